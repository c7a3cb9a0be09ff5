#include "core/once.h"

#include <stdexcept>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/core/mailbox.h"

namespace assay {
namespace {

// What the one who makes it waits for.
struct Work {
  Later<int>::Done done;
  int made = 0;

  Task<int> make() {
    ++made;
    const int value = co_await Later<int>([this](Later<int>::Done begun) { done = std::move(begun); });
    if (value < 0) throw std::runtime_error("nothing came of it");
    co_return value;
  }
};

Task<std::string> wanted(Once<int>& once, Work& work) {
  try {
    co_return std::to_string(co_await once.get([&work] { return work.make(); }));
  } catch (const std::runtime_error& thrown) {
    co_return thrown.what();
  }
}

Task<int> give(Work& work, int value) {
  work.done(value);
  co_return 0;
}

TEST(Once, IsMadeByTheFirstForAll) {
  Mailbox loop;
  Once<int> once;
  Work work;
  const auto [first, second, third] = loop.await(all(wanted(once, work), wanted(once, work), give(work, 7)));
  EXPECT_EQ(first, "7");
  EXPECT_EQ(second, "7");
  EXPECT_EQ(loop.await(wanted(once, work)), "7");
  EXPECT_EQ(work.made, 1);
}

// Else a case whose judge throws would never end, nor the run.
TEST(Once, ThatCannotBeMadeLeavesNobodyWaiting) {
  Mailbox loop;
  Once<int> once;
  Work work;
  const auto [first, second, third] = loop.await(all(wanted(once, work), wanted(once, work), give(work, -1)));
  EXPECT_EQ(first, "nothing came of it");
  EXPECT_EQ(second, "nothing came of it");
  EXPECT_EQ(loop.await(wanted(once, work)), "nothing came of it");
  EXPECT_EQ(work.made, 1);
}

}  // namespace
}  // namespace assay
