#include "service/data/backlog.h"

#include <gtest/gtest.h>

#include "net/event_loop.h"

namespace assay {
namespace {

struct BacklogTest : testing::Test {
  EventLoop loop;
  Backlog backlog;
  bool went_on = false;

  // Up to its first wait.
  void wait(Task<void> until) {
    loop.spawn([](Task<void> task, bool& done) -> Task<void> {
      co_await std::move(task);
      done = true;
    }(std::move(until), went_on));
  }
};

TEST_F(BacklogTest, WhoWantsRoomWaitsAsLongAsThereIsNone) {
  for (int i = 0; i < 4; ++i) backlog.begin();
  wait(backlog.room(3));
  EXPECT_FALSE(went_on);
  backlog.end();
  EXPECT_FALSE(went_on) << "three are as many as there may be";
  backlog.end();
  EXPECT_TRUE(went_on);
}

TEST_F(BacklogTest, WhereThereIsRoomNobodyWaits) {
  backlog.begin();
  wait(backlog.room(2));
  EXPECT_TRUE(went_on);
}

TEST_F(BacklogTest, TheEndIsWhenNothingIsLeft) {
  backlog.begin();
  backlog.begin();
  wait(backlog.ended());
  backlog.end();
  EXPECT_FALSE(went_on);
  backlog.end();
  EXPECT_TRUE(went_on);
}

TEST_F(BacklogTest, WhoHasGoneIsNotWoken) {
  backlog.begin();
  {
    EventLoop other;
    other.spawn(backlog.ended());
  }
  backlog.end();
  EXPECT_FALSE(went_on);
}

}  // namespace
}  // namespace assay
