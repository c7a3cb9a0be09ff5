// A metric that must ask somebody: a judge, a program, a service. What it learned is a mark, which the case's
// outcome keeps.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config/config.h"
#include "core/json/json.h"
#include "core/task.h"
#include "engine/context.h"
#include "engine/work.h"
#include "evaluations/custom/design.h"
#include "evaluations/custom/marks.h"
#include "evaluations/custom/variant.h"
#include "evaluations/data/unread_keys.h"
#include "evaluations/judge_config.h"
#include "evaluations/prompts.h"

namespace assay::custom {

// One answer, and what it may be held against.
struct CaseAnswer {
  const JsonObject& fields;  // all of the case's, answer keys included
  const Reply& reply;
  const std::string& case_id;
  const std::string& variant;
  int repeat = 1;
  const Reply* baseline = nullptr;  // of a pair: the baseline's answer of the same repeat
};

// What `{name}` in a metric may stand for: the fields, and output, contexts, trace and meta of the answer.
JsonObject metric_values(const CaseAnswer& answer);
// One of them; null if there is none.
const Json* metric_value(const CaseAnswer& answer, std::string_view name);

// What is seen of the material that stands in the data, before anybody is asked: by field, so that metrics
// which read the same tell it once.
struct MaterialFindings {
  std::map<std::string, std::string> wrong;  // what cannot be read, in words
  std::map<std::string, KeyCounts> unread;   // keys inside that nothing reads
};

class AskedMetric {
 public:
  virtual ~AskedMetric() = default;
  // `step` begins the names of its effects. A failure is a mark, too. The metric and what `answer` refers to
  // outlive the task.
  virtual Task<Mark> mark(const CaseAnswer& answer, std::string step, CaseContext& context) const = 0;
  virtual void estimate(const CaseAnswer& answer, CallEstimate& estimate) const = 0;
  // Looks at what it will be asked about, as far as it is known.
  virtual void look_at(const CaseAnswer& /*answer*/, MaterialFindings& /*found*/) const {}
  virtual std::vector<std::string> models() const { return {}; }
  // Those of them that are asked for vectors.
  virtual std::vector<std::string> embedding_models() const { return {}; }
  virtual std::vector<std::string> variables() const { return {}; }
  // Of files that decide what it says, as far as no text of the config's is them; "" if there are none.
  virtual std::string fingerprint() const { return ""; }
  // The `{field}`s that it is filled from.
  virtual std::vector<std::string> placeholders() const { return {}; }
  // Those of them without which there is nothing to ask.
  virtual std::vector<std::string> required() const { return {}; }
};

// What a kind of metric is made from.
struct MetricParts {
  const Config& config;  // for files that it names
  const Config& entry;   // the metric as declared
  std::string key;       // its place: "metrics[2]"
  MetricShape& shape;    // what the kind knows of its values goes in here
  JudgeSettings judge;
  const PromptLibrary& prompts;
  std::vector<std::string> shown;  // what a judge is shown unless `shows` says otherwise
  std::string directory;           // that relative names of programs are looked up in; "": as they stand
  std::vector<ConfigProblem>& problems;

  void wrong(const std::string& below, std::string text) const {
    problems.push_back({"config", below.empty() ? key : key + "." + below, std::move(text)});
  }
};

// A kind of metric that asks, for the table that code, help and docs are made from.
struct AskedKind {
  std::string_view name;
  std::string_view argument;  // what it is given, in words
  std::string_view help;
  std::string_view value;    // in words: "yes or no"
  std::string_view figures;  // that it gives
  std::string_view example;
  Key (*key)();       // of the argument
  Keys (*options)();  // beside it; null: none
  // Null after a problem.
  std::unique_ptr<AskedMetric> (*make)(MetricParts parts) = nullptr;
};

std::span<const AskedKind> asked_kinds();
const AskedKind* find_asked(std::string_view name);

// The failure of a metric, charged to whom it belongs.
Mark failed_mark(const Error& error);
Mark not_applicable_mark(std::string why);

}  // namespace assay::custom
