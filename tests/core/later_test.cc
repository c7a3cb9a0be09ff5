#include "core/later.h"

#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/core/mailbox.h"

namespace assay {
namespace {

Task<std::string> wait_for(Later<std::string>::Start start) {
  co_return co_await Later<std::string>(std::move(start));
}

TEST(Later, BringsTheValueOfAnotherThreadBackToItsOwn) {
  Mailbox loop;
  std::thread other;
  std::thread::id worked;
  std::thread::id resumed;
  auto task = [&]() -> Task<std::string> {
    auto value = co_await Later<std::string>([&](Later<std::string>::Done done) {
      other = std::thread([&worked, done = std::move(done)] {
        worked = std::this_thread::get_id();
        done("there");
      });
    });
    resumed = std::this_thread::get_id();
    co_return value;
  };
  EXPECT_EQ(loop.await(task()), "there");
  other.join();
  EXPECT_NE(worked, std::this_thread::get_id());
  EXPECT_EQ(resumed, std::this_thread::get_id());
}

TEST(Later, MayBeDoneAtOnce) {
  Mailbox loop;
  EXPECT_EQ(loop.await(wait_for([](const auto& done) { done("now"); })), "now");
}

TEST(Later, WorkBeginsWhenItIsAwaitedAndNotBefore) {
  Mailbox loop;
  int begun = 0;
  const auto start = [&begun](const auto& done) {
    ++begun;
    done("x");
  };
  {
    const Task<std::string> never_awaited = wait_for(start);
  }
  EXPECT_EQ(begun, 0);
  loop.await(wait_for(start));
  EXPECT_EQ(begun, 1);
}

TEST(Later, NobodyHearsOfAnAnswerToACoroutineThatIsGone) {
  Mailbox loop;
  Later<std::string>::Done kept;
  Mailbox::give_up(wait_for([&kept](Later<std::string>::Done done) { kept = std::move(done); }));
  std::thread([&kept] { kept("too late"); }).join();
  loop.work_off_one();  // what was posted finds nobody
}

TEST(Later, NobodyHearsOfAnAnswerThatWasPostedBeforeItsCoroutineWent) {
  Mailbox loop;
  Mailbox::give_up(wait_for([](const auto& done) { done("on its way"); }));
  loop.work_off_one();
}

}  // namespace
}  // namespace assay
