// What a worker has set aside of a budget that others draw on, too.
#include "worker/shared_budget.h"

#include <gtest/gtest.h>

#include "tests/store/played_board.h"
#include "tests/store/run_store_fixture.h"

namespace assay {
namespace {

TEST(SharedBudget, KeepsWhatWasSpentSetAsideUntilOthersSeeItInTheStore) {
  const ScratchDirectory directory("shared_budget");
  const auto store = *create_run(directory.path());
  EventLoop loop;
  PlayedBoard board;
  Budget local(100);
  const WorkerSign own{.worker = "a"};
  SharedBudget shared(loop, board, *store, local, 100, "run-1", own);
  local.begin_with_nothing();
  local.raise(40);
  ASSERT_TRUE(local.reserve(10));
  local.settle(10, 10);
  shared.beat();
  EXPECT_EQ(shared.held(), 40) << "the answer is on its way into the store";
  local.keep(10);
  EXPECT_EQ(shared.held(), 40) << "others may have looked before";
  shared.beat();
  EXPECT_EQ(shared.held(), 30);
}

}  // namespace
}  // namespace assay
