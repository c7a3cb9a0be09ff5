// Rows on their way to the disk, each with the coroutine that waits for it. Any loop's thread puts; one
// writer thread commits what has gathered (GroupCommit); each coroutine goes on, on its own loop, when its
// row is durable. Destroyed while it waits, it hears nothing, and its row is written all the same.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/later.h"
#include "core/task.h"
#include "store/group_commit.h"

namespace assay {

template <class Row, class Answer>
class AwaitedRows {
 public:
  // On the writer's thread: makes the group durable, all of it or nothing, and gives an answer for each row.
  using Commit = std::function<Result<std::vector<Answer>>(std::span<const Row* const> rows)>;

  explicit AwaitedRows(Commit commit)
      : commit_(std::move(commit)),
        writer_(
            kGroup, typename GroupCommit<Entry>::Gather{kBusy, kApart},
            [this](std::span<Entry> group) { return committed(group); },
            [this](std::span<Entry> group, const Status& done) { tell(group, done); }) {}

  Task<Result<Answer>> put(Row row) { co_return co_await Committed(writer_, std::move(row)); }

 private:
  static constexpr std::size_t kGroup = 4096;  // rows of one commit
  // So many rows within one commit come from an endpoint that answers at once: commits a little apart then
  // save more than they cost, since requests do not wait for them.
  static constexpr std::size_t kBusy = 16;
  static constexpr std::chrono::milliseconds kApart{2};

  using Waiting = Awaited<Result<Answer>>;
  struct Entry {
    Row row;
    Poster* back;  // the loop of the one who waits
    std::shared_ptr<Waiting> waiting;
  };

  class Committed {
   public:
    Committed(GroupCommit<Entry>& writer, Row row) : writer_(writer), row_(std::move(row)) {}
    Committed(const Committed&) = delete;
    Committed& operator=(const Committed&) = delete;
    ~Committed() { waiting_->handle = nullptr; }
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) {
      waiting_->handle = handle;
      writer_.add({std::move(row_), &Poster::here(), waiting_});
    }
    Result<Answer> await_resume() { return std::move(*waiting_->value); }

   private:
    GroupCommit<Entry>& writer_;
    Row row_;
    std::shared_ptr<Waiting> waiting_ = std::make_shared<Waiting>();
  };

  Status committed(std::span<Entry> group) {
    std::vector<const Row*> rows;
    rows.reserve(group.size());
    for (const Entry& entry : group) rows.push_back(&entry.row);
    auto answers = commit_(rows);
    if (!answers) return fail(std::move(answers.error()));
    answers_ = std::move(*answers);
    return {};
  }

  void tell(std::span<Entry> group, const Status& done) {
    // One post to each loop for the whole group: each wakes the loop.
    std::map<Poster*, std::vector<std::shared_ptr<Waiting>>> waiting;
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (done) {
        group[i].waiting->value.emplace(std::move(answers_[i]));
      } else {
        group[i].waiting->value.emplace(fail(done.error()));
      }
      waiting[group[i].back].push_back(std::move(group[i].waiting));
    }
    for (auto& [back, those] : waiting) {
      back->post([come = std::move(those)] {
        for (const auto& one : come) one->arrive();
      });
    }
  }

  Commit commit_;
  std::vector<Answer> answers_;  // of the group that was committed last; on the writer's thread
  GroupCommit<Entry> writer_;    // last: its thread uses what is above
};

}  // namespace assay
