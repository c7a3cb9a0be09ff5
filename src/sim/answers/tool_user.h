// How the simulated model uses tools that it is free to use. It follows the user's words literally:
//
//   tools that the user names are called in the order of the text, one after the other or at times side by
//   side; at times it stops before it has called them all, as some models do, and goes on when a later
//   message names them after an SQL error it tries a simpler query once; after rows have come it may run a
//   program on them, if it has a tool for that its last words follow the example of output that the user
//   shows, or give the number that was asked for
//
// Stands where tools are offered or have given results. Without such signs it has no plan and no last words
// of its own, and answer.h decides.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "models/chat.h"
#include "sim/answers/table.h"
#include "sim/chance.h"

namespace assay::sim {

class ToolUser {
 public:
  // `request` must outlive it.
  ToolUser(const ChatRequest& request, const Chance& chance, double noise);

  struct Plan {
    enum class Kind { none, call, answer };
    Kind kind = Kind::none;
    std::vector<const Tool*> tools = {};  // to call, in one turn
  };
  Plan plan() const;

  // Writes SQL and Python where the tool takes it; `arguments` otherwise as they are.
  void write_arguments(const Tool& tool, JsonObject& arguments) const;

  // The text of a final answer; nothing if the conversation has no signs of what it should look like.
  std::optional<std::string> last_words() const;

 private:
  struct Named {
    std::size_t message = 0;  // the user's message that names them
    std::vector<const Tool*> tools = {};
  };

  void read_results();
  Named named_tools() const;
  const Tool* find(std::string_view name) const;
  std::size_t times_called(std::string_view tool, std::size_t since) const;
  // A tool whose latest call failed in its SQL and was the first one; null if none.
  const Tool* failed_query(std::size_t since) const;
  // What may describe tables.
  std::string visible_texts() const;
  const Tool* program_runner(std::size_t since) const;

  const ChatRequest& request_;
  Chance chance_;
  double noise_;
  std::size_t last_question_ = 0;      // the last message of the user
  std::string question_;               // all that the user said, without fences
  std::vector<Table> tables_;          // of the results
  std::set<std::string_view> failed_;  // tools whose latest call failed
};

}  // namespace assay::sim
