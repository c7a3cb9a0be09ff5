// What is written to a run in PostgreSQL, on the writer's thread: groups of rows, each in one transaction and
// one round trip. Several processes may do so for one run. A key that is taken keeps its row, so a group
// whose commit may or may not have been made is simply put again.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/error.h"
#include "store/postgres/lasting_connection.h"
#include "store/postgres/run_tables.h"
#include "store/run_store.h"
#include "store/shared_texts.h"

namespace assay::postgres {

class RunWrites {
 public:
  struct Note {
    std::string text;
  };
  using Row = std::variant<EffectRow, OutcomeRow, Note>;
  using Standing = std::optional<EffectRow>;

  // Of whoever has the right to the run: one more sitting, which has worked since now.
  struct Sitting {
    std::int64_t number = 1;
    std::function<Status()> begin;  // before its first commit
    std::function<void()> goes_on;  // now and then
  };
  // A worker has no sitting.
  RunWrites(std::unique_ptr<LastingConnection> connection, std::int64_t run, std::optional<Sitting> sitting);

  // All of it, durable, or nothing. For each row: the answer of somebody else that stands under its key.
  Result<std::vector<Standing>> commit(std::span<const Row* const> rows);

 private:
  // A table of shared texts that is never asked: a text has the same hash for everybody, so the one that is
  // there already is the same.
  class SharedRows final : public SharedTextTable {
   public:
    Result<std::optional<std::int64_t>> find(const Digest& hash) override;
    Result<std::int64_t> add(const SharedText& text) override;
    std::string_view hash_of(std::int64_t number) const {
      return hashes_[static_cast<std::size_t>(number) % kKept];
    }

    struct New {
      std::string hash;
      std::optional<std::string> before;
      std::string text;
    };
    std::vector<New> take() { return std::exchange(added_, {}); }

   private:
    // What SharedTexts may still name: the last of those that were added.
    static constexpr std::size_t kKept = std::size_t{1} << 17U;
    std::vector<std::string> hashes_ = std::vector<std::string>(kKept);
    std::int64_t last_ = 0;
    std::vector<New> added_;
  };

  using Steps = std::vector<Connection::Step>;
  // The statements of a group, and which of them put how many effects.
  struct Group {
    Steps steps;
    std::vector<std::pair<std::size_t, std::int64_t>> effects;
  };
  Result<Group> group_of(std::span<const EffectRow* const> effects,
                         std::span<const OutcomeRow* const> outcomes, std::span<const Note* const> notes);
  Status add_effects(Group& group, std::span<const EffectRow* const> effects);
  void add_shared_texts(Steps& steps);
  void add_sitting(Steps& steps, std::span<const Note* const> notes);
  Result<std::vector<Standing>> standing(std::span<const Row* const> rows);

  std::unique_ptr<LastingConnection> connection_;
  std::int64_t run_;
  std::optional<Sitting> sitting_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::optional<std::chrono::steady_clock::time_point> told_;  // when the sitting's time was written last
  std::int64_t next_note_ = 1;
  SharedTexts shared_texts_{true};
  SharedRows shared_rows_;
};

}  // namespace assay::postgres
