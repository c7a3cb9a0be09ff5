// A system of the user's that is asked for each answer: a program that is run, or a service. Whatever kind it
// is, its failures are told from those of the way to it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/config/config.h"
#include "core/json/json.h"
#include "core/task.h"
#include "engine/context.h"
#include "evaluations/call_patterns.h"

namespace assay {

class SystemCall {
 public:
  // From an object with `command` or `http`, as components/target_key.cc declares it. `key` is its place in
  // the config. Nothing after a problem.
  static std::optional<SystemCall> read(const Config& entry, const std::string& key, int usual_tries,
                                        std::vector<ConfigProblem>& problems);

  // What a reply that is no JSON is good for.
  void take_text(TextReply text);
  // A field whose text a program also finds in the variable INPUT.
  void set_input_field(std::string field) { input_field_ = std::move(field); }

  // `step` names the effect. A program that hangs, and a service that answers 5xx or not in time, have failed
  // (kind target); a connection that cannot be made has not reached the service. The call outlives the task.
  Task<Result<Json>> ask(JsonObject fields, std::string step, CaseContext& context) const;

  // Of the environment, that must be set.
  std::vector<std::string> variables() const;
  // The `{field}`s in it, and where they stand.
  std::vector<std::string> placeholders() const;
  std::string_view place() const;  // "args", "http"
  // The `{field}`s that a case must have to be asked.
  std::vector<std::string> needed() const;
  // What a program needs and is not there (CaseWork::not_found), with the keys of the config.
  std::vector<std::pair<std::string, std::string>> not_found() const;

 private:
  SystemCall(std::string key, std::variant<CommandPattern, HttpPattern> pattern)
      : key_(std::move(key)), pattern_(std::move(pattern)) {}

  std::string key_;
  std::variant<CommandPattern, HttpPattern> pattern_;
  std::string input_field_;
};

}  // namespace assay
