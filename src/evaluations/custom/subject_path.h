// `of`: what a metric looks at. Left out, the whole output; else one of
//
//   question, {question}     a field of the case
//   /refund/amount           a JSON pointer into the output, which is read as JSON if it is a text
//   /output/meta             the same, where the first name would mean one of the following
//   /trace/0/tool            the tool calls of the answer
//   /meta/latency_ms         what is known of the answer: latency_ms, cost_usd, finish_reason, usage
//   /contexts/0              what the system says it has read
//
// A pointer is one of RFC 6901. Pure.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/json/json.h"

namespace assay::custom {

// Everything of one answer that a metric may look at. What is not known is null.
struct AnswerView {
  const Json& output;
  const Json& trace;
  const Json& meta;
  const Json& contexts;
  const JsonObject& fields;
};

struct FoundSubject {
  const Json* value = nullptr;  // null: nothing is there, and `reason` says why
  // Whether it is the answer that lacks it (its output has no such member, is no JSON), which counts against
  // it; else it is not known, and there is nothing to be looked at.
  bool lacking = false;
  std::string reason = {};
  bool inside_json = false;               // a member of the output's JSON; see Subject
  std::shared_ptr<const Json> read = {};  // keeps an output alive that was read as JSON
};

class SubjectPath {
 public:
  SubjectPath() = default;  // the output

  // `fields` are the names that the data have. The error (kind config) names the nearest one.
  static Result<SubjectPath> parse(std::string_view of, std::span<const std::string> fields);

  // `lenient`: an output with its JSON inside ``` fences or running text counts as JSON.
  FoundSubject find(const AnswerView& answer, bool lenient = false) const;

  const std::string& text() const { return text_; }
  bool is_output() const { return place_ == Place::output && rest_.empty(); }  // all of it
  // The field that it names; empty if none.
  std::string_view field() const {
    return place_ == Place::field ? std::string_view(rest_) : std::string_view();
  }

 private:
  enum class Place { output, field, trace, meta, contexts };

  std::string text_ = "output";
  Place place_ = Place::output;
  std::string rest_;  // the field's name, or the pointer into the place
};

}  // namespace assay::custom
