#include "report/summary.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "report/metric_names.h"

namespace assay {
namespace {

constexpr double kUsualLevel = 0.95;

Json text_json(std::string_view text) {
  return boost::json::string(text);
}

// Whole numbers are written without a fraction, and what is not finite as null.
Json number_json(double value) {
  if (!std::isfinite(value)) return nullptr;
  constexpr double kExact = 9007199254740992.0;
  if (value == std::floor(value) && std::fabs(value) < kExact) return static_cast<std::int64_t>(value);
  return value;
}

Json number_json(std::optional<double> value) {
  return value ? number_json(*value) : Json(nullptr);
}

Json interval_json(const Interval& interval) {
  return JsonArray{number_json(interval.low), number_json(interval.high)};
}

Json texts_json(const std::vector<std::string>& texts) {
  JsonArray json;
  for (const std::string& text : texts) json.push_back(text_json(text));
  return json;
}

Json table_json(const Table& table) {
  JsonArray rows;
  for (const auto& row : table.rows) rows.emplace_back(JsonArray(row.begin(), row.end()));
  JsonObject json;
  json[table.matrix ? "labels" : "columns"] = texts_json(table.columns);
  json["rows"] = std::move(rows);
  return json;
}

// How figures and tables are to be shown: only what differs from the usual, apart from the figures
// themselves.
Json display_json(const Summary& summary) {
  JsonObject metrics;
  for (const Metric& metric : summary.metrics) {
    JsonObject entry;
    if (metric.form != Metric::Form::number) entry["form"] = text_json(form_name(metric.form));
    if (metric.better != Metric::Better::higher) entry["better"] = text_json(better_name(metric.better));
    if (metric.headline) entry["headline"] = true;
    if (metric.range) entry["range"] = interval_json(*metric.range);
    if (metric.reference) entry["reference"] = number_json(*metric.reference);
    if (!entry.empty()) metrics[metric.name] = std::move(entry);
  }
  JsonObject tables;
  for (const Table& table : summary.tables) {
    JsonObject entry;
    if (!table.title.empty()) entry["title"] = text_json(table.title);
    if (!table.row_title.empty()) entry["row_title"] = text_json(table.row_title);
    if (!table.column_title.empty()) entry["column_title"] = text_json(table.column_title);
    if (!entry.empty()) tables[table.name] = std::move(entry);
  }
  JsonObject display;
  if (!metrics.empty()) display["metrics"] = std::move(metrics);
  if (!tables.empty()) display["tables"] = std::move(tables);
  return display;
}

Json usage_json(const UsageTotals& usage) {
  JsonObject json{
      {"requests", usage.requests},
      {"prompt_tokens", usage.prompt_tokens},
      {"completion_tokens", usage.completion_tokens},
      {"cost_usd", usage.cost_usd && std::isfinite(*usage.cost_usd) ? Json(*usage.cost_usd) : Json(nullptr)},
      {"cached", usage.cached}};
  if (usage.cached_tokens > 0) json["cached_tokens"] = usage.cached_tokens;
  if (usage.reasoning_tokens > 0) json["reasoning_tokens"] = usage.reasoning_tokens;
  if (usage.retries > 0) json["retries"] = usage.retries;
  if (usage.repairs > 0) json["repairs"] = usage.repairs;
  return json;
}

Json gate_json(const GateResult& gate) {
  JsonObject json{
      {"gate", text_json(gate.gate)}, {"passed", gate.passed}, {"value", number_json(gate.value)}};
  if (!gate.note.empty()) json["note"] = text_json(gate.note);
  return json;
}

std::string_view answer_word(StopVerdict::Answer answer) {
  switch (answer) {
    case StopVerdict::Answer::yes:
      return "yes";
    case StopVerdict::Answer::no:
      return "no";
    default:
      return "open";
  }
}

Json stopping_json(const StoppingReport& report) {
  JsonArray conditions;
  for (const StopVerdict& verdict : report.conditions) {
    JsonObject entry{{"condition", text_json(verdict.condition)},
                     {"settled", text_json(answer_word(verdict.answer))}};
    if (verdict.answer != StopVerdict::Answer::open) entry["after"] = verdict.after;
    conditions.push_back(std::move(entry));
  }
  return JsonObject{{"stopped", report.stopped},
                    {"taken", report.taken},
                    {"of", report.of},
                    {"saved_requests", number_json(report.saved_requests)},
                    {"saved_usd", number_json(report.saved_usd)},
                    {"conditions", std::move(conditions)}};
}

Json anchors_json(const AnchorsReport& anchors) {
  return JsonObject{{"file", text_json(anchors.file)},
                    {"sha256", text_json(anchors.hash)},
                    {"figure", text_json(anchors.figure)},
                    {"range", interval_json(anchors.range)},
                    {"cases", anchors.cases},
                    {"judged", anchors.judged}};
}

// Reads members of one object; the first wrong one is remembered with its name.
class Members {
 public:
  Members(const Json& json, std::string where) : where_(std::move(where)) {
    if (const JsonObject* object = json.if_object()) {
      object_ = object;
    } else {
      error_ = Error{ErrorKind::data, fmt::format("found {}, expected an object", kind_word(json)), {}};
    }
  }

  // Without this one an object would become a tree that is gone when the constructor returns.
  Members(const JsonObject& object, std::string where) : object_(&object), where_(std::move(where)) {}

  const Json* find(std::string_view name) const {
    const Json* member = object_ == nullptr ? nullptr : object_->if_contains(name);
    return member == nullptr || member->is_null() ? nullptr : member;
  }

  void read(std::string_view name, std::string& into) {
    if (const Json* member = find(name)) take(name, as_text(*member), "text", into, *member);
  }
  void read(std::string_view name, std::int64_t& into) {
    if (const Json* member = find(name)) take(name, as_integer(*member), "a whole number", into, *member);
  }
  void read(std::string_view name, double& into) {
    if (const Json* member = find(name)) take(name, as_number(*member), "a number", into, *member);
  }
  void read(std::string_view name, bool& into) {
    if (const Json* member = find(name)) take(name, as_boolean(*member), "true or false", into, *member);
  }
  template <class T>
  void read(std::string_view name, std::optional<T>& into) {
    if (find(name) == nullptr) return;
    T value{};
    read(name, value);
    into = value;
  }
  void read(std::string_view name, std::optional<Interval>& into) {
    const Json* member = find(name);
    if (member == nullptr) return;
    const JsonArray* array = member->if_array();
    const auto low = array != nullptr && array->size() == 2 ? as_number((*array)[0]) : std::nullopt;
    const auto high = array != nullptr && array->size() == 2 ? as_number((*array)[1]) : std::nullopt;
    if (low && high) {
      into = Interval{*low, *high};
    } else {
      wrong(name, "a list of two numbers", *member);
    }
  }

  void read(std::string_view name, std::vector<std::string>& into) {
    const JsonArray* texts = array(name);
    if (texts == nullptr) return;
    for (const Json& text : *texts) {
      if (!text.is_string()) wrong(name, "texts", text);
      into.emplace_back(as_text(text).value_or(""));
    }
  }

  const JsonObject* object(std::string_view name) {
    const Json* member = find(name);
    if (member == nullptr) return nullptr;
    if (!member->is_object()) wrong(name, "an object", *member);
    return member->if_object();
  }
  const JsonArray* array(std::string_view name) {
    const Json* member = find(name);
    if (member == nullptr) return nullptr;
    if (!member->is_array()) wrong(name, "a list", *member);
    return member->if_array();
  }

  void wrong(std::string_view name, std::string_view expected, const Json& found) {
    if (error_) return;
    error_ = Error{ErrorKind::data,
                   fmt::format("found {}, expected {}", kind_word(found), expected),
                   {{"field", where_.empty() ? std::string(name) : fmt::format("{}.{}", where_, name)}}};
  }
  void fail_with(Error error) {
    if (!error_) error_ = std::move(error);
  }
  Status status() const {
    if (!error_) return {};
    return fail(*error_);
  }

 private:
  template <class Found, class Into>
  void take(std::string_view name, const std::optional<Found>& found, std::string_view expected, Into& into,
            const Json& member) {
    if (found) {
      into = Into(*found);
    } else {
      wrong(name, expected, member);
    }
  }

  const JsonObject* object_ = nullptr;
  std::string where_;
  std::optional<Error> error_;
};

Result<Estimate> estimate_from(const Json& json, const std::string& where) {
  Estimate estimate;
  Members members(json, where);
  members.read("value", estimate.value);
  members.read("count", estimate.count);
  members.read("n", estimate.n);
  members.read("ci", estimate.ci);
  members.read("method", estimate.method);
  members.read("level", estimate.level);
  members.read("undefined", estimate.undefined);
  members.read("bounds", estimate.bounds);
  if (const JsonObject* missing = members.object("missing")) {
    for (const auto& [reason, count] : *missing) {
      if (const auto number = as_integer(count)) {
        estimate.missing[std::string(reason)] = *number;
      } else {
        members.wrong("missing", "whole numbers", count);
      }
    }
  }
  if (auto status = members.status(); !status) return fail(status.error());
  return estimate;
}

Result<Table> table_from(std::string_view name, const Json& json) {
  Table table;
  table.name = name;
  Members members(json, fmt::format("tables.{}", name));
  table.matrix = members.find("labels") != nullptr;
  members.read(table.matrix ? "labels" : "columns", table.columns);
  if (const JsonArray* rows = members.array("rows")) {
    for (const Json& row : *rows) {
      if (const JsonArray* cells = row.if_array()) {
        table.rows.emplace_back(cells->begin(), cells->end());
      } else {
        members.wrong("rows", "a list of lists", row);
      }
    }
  }
  if (auto status = members.status(); !status) return fail(status.error());
  return table;
}

StopVerdict verdict_from(const Json& json, Members& stopping) {
  StopVerdict verdict;
  std::string settled;
  Members members(json, "stop_when.conditions");
  members.read("condition", verdict.condition);
  members.read("settled", settled);
  members.read("after", verdict.after);
  for (const auto answer : {StopVerdict::Answer::yes, StopVerdict::Answer::no}) {
    if (settled == answer_word(answer)) verdict.answer = answer;
  }
  if (auto status = members.status(); !status) stopping.fail_with(status.error());
  return verdict;
}

void read_display(const Json& json, Summary& summary) {
  const Json* metrics = find_member(json, "metrics");
  for (Metric& metric : summary.metrics) {
    const Json* entry = metrics == nullptr ? nullptr : find_member(*metrics, metric.name);
    if (entry == nullptr) continue;
    const Json* form = find_member(*entry, "form");
    const Json* better = find_member(*entry, "better");
    const Json* headline = find_member(*entry, "headline");
    for (const auto one : {Metric::Form::share, Metric::Form::count}) {
      if (form != nullptr && as_text(*form) == form_name(one)) metric.form = one;
    }
    for (const auto one : {Metric::Better::lower, Metric::Better::neither}) {
      if (better != nullptr && as_text(*better) == better_name(one)) metric.better = one;
    }
    metric.headline = headline != nullptr && as_boolean(*headline).value_or(false);
    Members members(*entry, fmt::format("display.metrics.{}", metric.name));
    members.read("range", metric.range);
    members.read("reference", metric.reference);
  }
  const Json* tables = find_member(json, "tables");
  for (Table& table : summary.tables) {
    const Json* entry = tables == nullptr ? nullptr : find_member(*tables, table.name);
    if (entry == nullptr) continue;
    const auto text = [&](std::string_view name) {
      const Json* member = find_member(*entry, name);
      return std::string(member == nullptr ? "" : as_text(*member).value_or(""));
    };
    table.title = text("title");
    table.row_title = text("row_title");
    table.column_title = text("column_title");
  }
}

}  // namespace

Json to_json(const Estimate& estimate) {
  JsonObject json;
  json["value"] = number_json(estimate.value);
  if (estimate.count) json["count"] = *estimate.count;
  json["n"] = estimate.n;
  if (estimate.ci) {
    json["ci"] = interval_json(*estimate.ci);
  } else if (!estimate.undefined.empty()) {
    json["ci"] = nullptr;
  }
  if (!estimate.method.empty()) json["method"] = text_json(estimate.method);
  if (estimate.ci && estimate.level != kUsualLevel) json["level"] = estimate.level;
  if (!estimate.undefined.empty()) json["undefined"] = text_json(estimate.undefined);
  if (!estimate.missing.empty()) {
    JsonObject missing;
    for (const auto& [reason, count] : estimate.missing) missing[reason] = count;
    json["missing"] = std::move(missing);
  }
  if (estimate.bounds) json["bounds"] = interval_json(*estimate.bounds);
  return json;
}

Json to_json(const Summary& summary) {
  JsonObject json;
  json["assay"] = text_json(summary.assay);
  json["evaluation"] = text_json(summary.evaluation);
  if (!summary.what.empty()) json["what"] = text_json(summary.what);
  json["run_id"] = text_json(summary.run_id);
  json["started"] = text_json(summary.started);
  json["finished"] = text_json(summary.finished);
  if (summary.worked_seconds) json["worked_seconds"] = number_json(summary.worked_seconds);
  if (!summary.about.empty()) {
    JsonObject about;
    for (const auto& [name, text] : summary.about) about[name] = text_json(text);
    json["about"] = std::move(about);
  }
  if (!summary.simulated.empty()) json["simulated"] = texts_json(summary.simulated);
  if (!summary.conclusions.empty()) json["conclusions"] = texts_json(summary.conclusions);
  JsonObject cases{{"total", summary.cases.total},
                   {"evaluated", summary.cases.evaluated},
                   {"errored", summary.cases.errored},
                   {"invalid", summary.cases.invalid}};
  if (summary.cases.skipped > 0) cases["skipped"] = summary.cases.skipped;
  if (summary.cases.open > 0) cases["open"] = summary.cases.open;
  json["cases"] = std::move(cases);
  JsonObject metrics;
  for (const Metric& metric : summary.metrics) metrics[metric.name] = to_json(metric.estimate);
  json["metrics"] = std::move(metrics);
  JsonObject tables;
  for (const Table& table : summary.tables) tables[table.name] = table_json(table);
  json["tables"] = std::move(tables);
  json["usage"] = usage_json(summary.usage);
  JsonArray gates;
  for (const GateResult& gate : summary.gates) gates.push_back(gate_json(gate));
  json["gates"] = std::move(gates);
  if (!summary.prompts.empty()) {
    JsonObject prompts;
    for (const auto& [name, print] : summary.prompts) prompts[name] = text_json(print);
    json["prompts"] = std::move(prompts);
  }
  if (summary.stopping) json["stop_when"] = stopping_json(*summary.stopping);
  if (summary.anchors) json["anchors"] = anchors_json(*summary.anchors);
  if (Json display = display_json(summary); !display.as_object().empty())
    json["display"] = std::move(display);
  return json;
}

Result<Summary> summary_from_json(const Json& json) {
  Summary summary;
  Members members(json, "");
  members.read("assay", summary.assay);
  members.read("evaluation", summary.evaluation);
  members.read("what", summary.what);
  members.read("run_id", summary.run_id);
  members.read("started", summary.started);
  members.read("finished", summary.finished);
  members.read("worked_seconds", summary.worked_seconds);
  if (const JsonObject* about = members.object("about")) {
    for (const auto& [name, text] : *about) {
      if (!text.is_string()) members.wrong("about", "texts", text);
      summary.about.emplace_back(name, as_text(text).value_or(""));
    }
  }
  members.read("simulated", summary.simulated);
  members.read("conclusions", summary.conclusions);
  if (const JsonObject* cases = members.object("cases")) {
    Members part(*cases, "cases");
    part.read("total", summary.cases.total);
    part.read("evaluated", summary.cases.evaluated);
    part.read("errored", summary.cases.errored);
    part.read("invalid", summary.cases.invalid);
    part.read("skipped", summary.cases.skipped);
    part.read("open", summary.cases.open);
    if (auto status = part.status(); !status) members.fail_with(status.error());
  }
  if (const JsonObject* metrics = members.object("metrics")) {
    for (const auto& [name, value] : *metrics) {
      auto estimate = estimate_from(value, fmt::format("metrics.{}", std::string_view(name)));
      if (!estimate) return fail(estimate.error());
      Metric metric;
      metric.name = name;
      metric.estimate = std::move(*estimate);
      summary.metrics.push_back(std::move(metric));
    }
  }
  if (const JsonObject* tables = members.object("tables")) {
    for (const auto& [name, value] : *tables) {
      auto table = table_from(name, value);
      if (!table) return fail(table.error());
      summary.tables.push_back(std::move(*table));
    }
  }
  if (const JsonObject* usage = members.object("usage")) {
    Members part(*usage, "usage");
    part.read("requests", summary.usage.requests);
    part.read("prompt_tokens", summary.usage.prompt_tokens);
    part.read("completion_tokens", summary.usage.completion_tokens);
    part.read("cached_tokens", summary.usage.cached_tokens);
    part.read("reasoning_tokens", summary.usage.reasoning_tokens);
    part.read("cost_usd", summary.usage.cost_usd);
    part.read("cached", summary.usage.cached);
    part.read("retries", summary.usage.retries);
    part.read("repairs", summary.usage.repairs);
    if (auto status = part.status(); !status) members.fail_with(status.error());
  }
  if (const JsonArray* gates = members.array("gates")) {
    for (const Json& entry : *gates) {
      GateResult gate;
      Members part(entry, "gates");
      part.read("gate", gate.gate);
      part.read("passed", gate.passed);
      part.read("value", gate.value);
      part.read("note", gate.note);
      if (auto status = part.status(); !status) members.fail_with(status.error());
      summary.gates.push_back(std::move(gate));
    }
  }
  if (const JsonObject* prompts = members.object("prompts")) {
    for (const auto& [name, print] : *prompts) summary.prompts.emplace(name, as_text(print).value_or(""));
  }
  if (const JsonObject* anchors = members.object("anchors")) {
    AnchorsReport report;
    std::optional<Interval> range;
    Members part(*anchors, "anchors");
    part.read("file", report.file);
    part.read("sha256", report.hash);
    part.read("figure", report.figure);
    part.read("range", range);
    part.read("cases", report.cases);
    part.read("judged", report.judged);
    report.range = range.value_or(Interval{0, 1});
    if (auto status = part.status(); !status) members.fail_with(status.error());
    summary.anchors = std::move(report);
  }
  if (const JsonObject* stopping = members.object("stop_when")) {
    StoppingReport report;
    Members part(*stopping, "stop_when");
    part.read("stopped", report.stopped);
    part.read("taken", report.taken);
    part.read("of", report.of);
    part.read("saved_requests", report.saved_requests);
    part.read("saved_usd", report.saved_usd);
    if (const JsonArray* conditions = part.array("conditions")) {
      for (const Json& entry : *conditions) report.conditions.push_back(verdict_from(entry, part));
    }
    if (auto status = part.status(); !status) members.fail_with(status.error());
    summary.stopping = std::move(report);
  }
  if (const Json* display = members.find("display")) read_display(*display, summary);
  if (auto status = members.status(); !status) return fail(status.error());
  return summary;
}

}  // namespace assay
