// Checks that need nobody's opinion: pure functions from an answer to yes or no, or to a number from 0 to 1.
// They are a table, which code, `check`, help and the reference page are made from: a new one is one function
// and one row.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/config.h"
#include "core/error.h"
#include "core/json/json.h"

namespace assay::custom {

// What is looked at.
struct Subject {
  const Json& value;  // what `of` names: a text, or JSON; by default the output
  const Json& trace;  // tool calls in order, as outputs.jsonl has them (a list); null if there is none
  const Json& meta;   // latency_ms, cost_usd, finish_reason, usage; null if there is none
  // Whether the value is a member of the output's JSON: a text is then a text of that JSON, and not read
  // again.
  bool inside_json = false;
};

struct Checked {
  std::optional<double> score;  // 0 to 1; nothing: there is nothing to be looked at (no latency is known)
  std::string reason;           // why, in words for a reader of one case
};

// One check with its argument, ready to be used on many answers.
class Check {
 public:
  virtual ~Check() = default;
  virtual Checked look(const Subject& subject) const = 0;
};

using CheckMade = Result<std::unique_ptr<const Check>>;
// `argument` and `options` with all `{field}`s filled. The error (kind config) says what is wrong with them.
using MakeCheck = CheckMade (*)(const Json& argument, const JsonObject& options);

struct CheckKind {
  std::string_view name;
  enum class Value { yes_no, share } value = Value::yes_no;
  bool has_not = false;         // whether `not_NAME` is there
  std::string_view argument;    // what it is given, in words: "a text", "a list of texts", "{min, max}"
  std::string_view help;        // one sentence
  std::string_view example;     // a metric as it stands in a config
  Keys (*options)() = nullptr;  // beside the argument: ignore_case, tolerance, …; null: none
  MakeCheck make = nullptr;
  MakeCheck make_not = nullptr;  // `not_NAME`, where that is not simply the opposite; null: the opposite
};

std::span<const CheckKind> check_kinds();
// By its name, without `not_`; null if there is none.
const CheckKind* find_check(std::string_view name);

// A name as a metric has it, with or without `not_`.
struct NamedCheck {
  const CheckKind* kind = nullptr;  // null: there is none of that name
  bool negated = false;
};
NamedCheck find_named_check(std::string_view name);
// Ready to be used: if negated, what it finds is turned round already.
CheckMade make_check(const NamedCheck& named, const Json& argument, const JsonObject& options);

}  // namespace assay::custom
