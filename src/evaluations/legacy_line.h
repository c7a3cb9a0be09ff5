// The line of a collector that is not yet split into line and aggregate.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "engine/outcome.h"
#include "engine/work.h"
#include "evaluations/score.h"

namespace assay {

class LegacyLine {
 public:
  void begin(const Case& input, OutcomeKind outcome) {
    text_.assign("{\"id\":");
    append_json_string(text_, input.id);
    text_ += ",\"line\":";
    append_integer(static_cast<std::int64_t>(input.line));
    if (!input.cluster.empty()) text("cluster", input.cluster);
    scores_.clear();
    text_ += ",\"outcome\":\"";
    text_ += to_string(outcome);
    text_ += '"';
  }
  void text(std::string_view name, std::string_view value) {
    key(name);
    append_json_string(text_, value);
  }
  void boolean(std::string_view name, bool value) {
    key(name);
    text_ += value ? "true" : "false";
  }
  void number(std::string_view name, double value) {
    key(name);
    text_ += number_text(value);
  }
  // A value that is JSON text already.
  void written(std::string_view name, std::string_view value) {
    key(name);
    text_ += value;
  }
  void json(std::string_view name, const Json& value) {
    key(name);
    text_ += to_text(value);
  }
  // Null where the case has none. The names must outlive the line.
  void scores(Scores list) {
    scores_.assign(list.begin(), list.end());
    key("scores");
    char before = '{';
    for (const Score& score : list) {
      text_ += before;
      before = ',';
      text_ += '"';
      text_ += score.figure;
      text_ += "\":";
      text_ += score.value ? number_text(*score.value) : "null";
    }
    text_ += list.empty() ? "{}" : "}";
  }
  // The same for a case that counts as one or zero.
  void score(std::string_view name, bool value) {
    text_ += ",\"scores\":{\"";
    text_ += name;
    text_ += value ? "\":1}" : "\":0}";
    scores_.assign(1, {name, value ? 1.0 : 0.0});
  }
  Scores scores() const { return scores_; }
  // The fields of the line that the evaluation does not know.
  void extras(const LineParser& line) {
    const std::size_t before = text_.size();
    text_ += ",\"extra\":";
    const std::size_t start = text_.size();
    line.append_extras(text_);
    if (text_.size() == start) text_.resize(before);
  }
  // With its line end.
  std::string_view end() {
    text_ += "}\n";
    return text_;
  }

 private:
  void key(std::string_view name) {
    text_ += ",\"";
    text_ += name;
    text_ += "\":";
  }
  void append_integer(std::int64_t value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    text_.append(digits, static_cast<std::size_t>(end - digits));
  }

  std::string text_;
  std::vector<Score> scores_;  // of the case at hand
};

}  // namespace assay
