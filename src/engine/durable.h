// Waiting for the journal: co_await Durable(journal, row) goes on once the row is on the disk.
#pragma once

#include <coroutine>
#include <utility>
#include <variant>

#include "core/error.h"
#include "store/journal.h"

namespace assay {

class Durable {
 public:
  template <class Row>
  Durable(Journal& journal, Row row) : journal_(journal), row_(std::move(row)) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    handle_ = handle;
    std::visit([this](auto& row) { journal_.append(std::move(row), this); }, row_);
  }
  Status await_resume() { return std::move(status_); }
  void finish(Status status) {
    status_ = std::move(status);
    handle_.resume();
  }

 private:
  Journal& journal_;
  std::variant<EffectRow, OutcomeRow> row_;
  std::coroutine_handle<> handle_;
  Status status_;
};

}  // namespace assay
