// A metric as it stands in a config, on an answer as it stands in outputs.jsonl.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/object.hpp>
#include <gtest/gtest.h>

#include "core/yaml.h"
#include "evaluations/custom/checks/check.h"

namespace assay::custom {

struct Answer {
  Json value;
  Json trace = nullptr;
  Json meta = nullptr;
  bool inside_json = false;
};

inline Answer text(std::string_view text) {
  return {boost::json::string(text)};
}
inline Answer json(std::string_view text) {
  return {parse_json(text).value()};
}
// As `of: /pointer` finds it.
inline Answer member(std::string_view text) {
  return {.value = parse_json(text).value(), .inside_json = true};
}
inline Answer traced(std::string_view trace) {
  return {boost::json::string("done"), parse_json(trace).value()};
}
inline Answer measured(std::string_view meta) {
  return {boost::json::string("done"), nullptr, parse_json(meta).value()};
}

// "contains: refund, ignore_case: true": the kind first, then its options.
inline CheckMade made_from(const std::string& metric) {
  const Json config = parse_yaml("{" + metric + "}").value().value;
  JsonObject options = config.get_object();
  const std::string name = options.begin()->key();
  const Json argument = options.begin()->value();
  options.erase(options.begin());
  const NamedCheck named = find_named_check(name);
  if (named.kind == nullptr) return fail(ErrorKind::config, "no check " + name);
  return make_check(named, argument, options);
}

inline Checked look(const std::string& metric, const Answer& answer) {
  const auto check = made_from(metric);
  if (!check) {
    ADD_FAILURE() << metric << ": " << check.error().text();
    return {};
  }
  return (*check)->look({answer.value, answer.trace, answer.meta, answer.inside_json});
}
inline double score(const std::string& metric, const Answer& answer) {
  const Checked checked = look(metric, answer);
  EXPECT_FALSE(checked.reason.empty()) << metric;
  EXPECT_TRUE(checked.score.has_value()) << metric << ": " << checked.reason;
  return checked.score.value_or(-1);
}
inline bool holds(const std::string& metric, const Answer& answer) {
  return score(metric, answer) == 1;
}
inline std::string why(const std::string& metric, const Answer& answer) {
  return look(metric, answer).reason;
}
// What is said of an argument or option that cannot be.
inline std::string refusal(const std::string& metric) {
  const auto check = made_from(metric);
  return check ? "" : check.error().text();
}

}  // namespace assay::custom
