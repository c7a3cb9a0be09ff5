#include "store/work_thread.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/mailbox.h"

namespace assay {
namespace {

using ::testing::ElementsAre;

TEST(WorkThread, DoesWorkInTheOrderInWhichItCameAlsoForThoseWhoAreGone) {
  Mailbox loop;
  std::vector<int> done;
  WorkThread thread;
  const auto note = [&done](int number) {
    return [&done, number] {
      done.push_back(number);
      return std::to_string(number);
    };
  };
  Mailbox::give_up(thread.run<std::string>(note(1)));
  Mailbox::give_up(thread.run<std::string>(note(2)));
  EXPECT_EQ(loop.await(thread.run<std::string>(note(3))), "3");
  EXPECT_THAT(done, ElementsAre(1, 2, 3));
}

TEST(WorkThread, DoesWhatIsQueuedBeforeItGoes) {
  Mailbox loop;
  int done = 0;
  {
    WorkThread thread;
    for (int i = 0; i < 100; ++i) Mailbox::give_up(thread.run<int>([&done] { return ++done; }));
  }
  EXPECT_EQ(done, 100);
}

}  // namespace
}  // namespace assay
