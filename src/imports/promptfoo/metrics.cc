#include "imports/promptfoo/metrics.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"

namespace assay::promptfoo {
namespace {

struct Member {
  std::size_t test = 0;
  Json argument;
  const Assertion* assertion = nullptr;
};

struct Group {
  std::string name;  // wanted
  MetricDraft draft;
  std::vector<Member> members;
};

std::string identity_of(const ScorerDraft& scorer) {
  return to_text(JsonArray{scorer.file, scorer.code, scorer.function, scorer.inline_code,
                           scorer.threshold.value_or(-1), scorer.inverse, scorer.parsed, scorer.config});
}

std::string identity_of(const MetricDraft& draft, std::string_view name) {
  JsonArray parts = {boost::json::string(name), boost::json::string(draft.kind), draft.options,
                     draft.comma_list};
  if (!draft.fillable) parts.push_back(draft.argument);
  if (draft.scorer) parts.emplace_back(identity_of(*draft.scorer));
  return to_text(parts);
}

class Planner {
 public:
  Planner(const std::vector<Test>& tests, Fields& fields, Reading& reading)
      : tests_(tests), fields_(fields), reading_(reading) {}

  MetricPlan plan() {
    out_.checks.resize(tests_.size());
    gather();
    for (Group& group : groups_) {
      out_.judged = out_.judged || group.draft.judged;
      if (!stands_alone(group)) add_metric(group);
    }
    return std::move(out_);
  }

 private:
  void gather() {
    std::map<std::string, std::size_t> positions;
    for (std::size_t i = 0; i < tests_.size(); ++i) {
      std::map<std::string, int> seen;  // the same assertion twice in one test is two metrics
      for (const Assertion& assertion : tests_[i].assertions) {
        auto draft = translate(assertion, reading_);
        if (!draft) continue;
        ++out_.assertions;
        const std::string type = (assertion.inverse ? "not_" : "") + assertion.type;
        const std::string name = plain_name(assertion.metric.empty() ? type : assertion.metric, "metric");
        std::string key = identity_of(*draft, name);
        key += fmt::format("#{}", ++seen[key]);
        const auto [entry, fresh] = positions.emplace(std::move(key), groups_.size());
        Member member{i, draft->argument, &assertion};
        if (fresh) groups_.push_back({name, std::move(*draft), {}});
        groups_[entry->second].members.push_back(std::move(member));
      }
    }
  }

  const Node& place_of(const Group& group) const { return group.members.front().assertion->at; }

  void leave_out(const Group& group, const std::string& why) {
    reading_.leave_out(place_of(group), "assertion " + group.members.front().assertion->type, why);
    out_.assertions -= group.members.size();
  }

  // The value as this test has it.
  Result<Json> filled(const Group& group, const Member& member) const {
    auto value = render_tree(member.argument, tests_[member.test].variables);
    if (!value || !group.draft.comma_list) return value;
    JsonArray list;
    for (const std::string& one : comma_separated(text_or_json(*value)))
      list.push_back(boost::json::string(one));
    return Json(std::move(list));
  }

  // Of one test among several, and in need of nobody: a check of that case alone.
  bool stands_alone(const Group& group) {
    if (group.members.size() != 1 || tests_.size() == 1 || !group.draft.plain) return false;
    const Member& member = group.members.front();
    const auto value = group.draft.fillable ? filled(group, member) : Result<Json>(group.draft.argument);
    // Braces in a check could be taken for a placeholder; in a field they are not.
    if (!value || to_text(*value).find('{') != std::string::npos) return false;
    JsonObject check = {{"name", group.name}};
    check[group.draft.kind] = *value;
    for (const auto& [key, option] : group.draft.options) check[key] = option;
    out_.checks[member.test].push_back(std::move(check));
    ++out_.case_checks;
    return true;
  }

  bool same_for_all(const Group& group) const {
    return group.members.size() == tests_.size() &&
           std::ranges::all_of(group.members, [&](const Member& member) {
             return member.argument == group.members.front().argument;
           });
  }

  // A field that holds the value of each test that has the assertion; nothing after a template that cannot be
  // filled.
  std::optional<std::string> value_field(const Group& group, const std::string& name) {
    std::vector<Json> values;
    for (const Member& member : group.members) {
      auto value = filled(group, member);
      if (!value) {
        leave_out(group, value.error().message);
        return std::nullopt;
      }
      values.push_back(std::move(*value));
    }
    std::string field = fields_.add_own("expected_" + name, FieldUse::metric);
    for (std::size_t i = 0; i < values.size(); ++i)
      fields_.set(group.members[i].test, field, std::move(values[i]));
    return field;
  }

  void add_metric(const Group& group) {
    const std::string name = unique_name(group.name, names_);
    JsonObject metric = {{"name", name}};
    if (group.draft.scorer) metric["program"] = nullptr;  // named once its files are
    std::string expected;
    if (group.draft.fillable) {
      const bool by_pattern = !group.draft.scorer && !group.draft.comma_list && same_for_all(group);
      if (by_pattern) {
        auto pattern = fields_.pattern_tree(group.draft.argument, FieldUse::metric);
        if (!pattern) return leave_out(group, pattern.error().message);
        metric[group.draft.kind] = std::move(*pattern);
      } else {
        const auto field = value_field(group, name);
        if (!field) return;
        expected = *field;
        if (!group.draft.scorer) metric[group.draft.kind] = fmt::format("{{{}}}", *field);
      }
    } else if (!group.draft.scorer) {
      metric[group.draft.kind] = group.draft.argument;
    }
    const bool everywhere = group.members.size() == tests_.size();
    if (!everywhere && (!group.draft.fillable || !group.draft.plain)) {
      std::string field = expected;
      if (field.empty()) {
        field = fields_.add_own("has_" + name, FieldUse::metric);
        for (const Member& member : group.members) fields_.set(member.test, field, true);
      }
      metric["when"] = field;
    }
    JsonObject declared = group.draft.options;
    const bool has_query = fields_.variables().contains("query");
    if (group.draft.asks_of_prompt && has_query) declared["question"] = "{{query}}";
    auto options = fields_.pattern_tree(declared, FieldUse::metric);
    if (!options) return leave_out(group, options.error().message);
    for (const auto& [key, value] : options->get_object()) metric[key] = value;
    // Without a query of its own an answer is held against the prompt: what it is filled with is known.
    if (group.draft.asks_of_prompt && !has_query) {
      std::vector<std::string> places;
      for (const std::string& field : fields_.shown_to_variants()) places.push_back("{" + field + "}");
      metric["question"] = join(places, "\n");
    }
    if (group.draft.shows_prompt) {
      JsonArray shows = {"output"};
      for (const std::string& field : fields_.shown_to_variants())
        shows.push_back(boost::json::string(field));
      metric["shows"] = std::move(shows);
    }
    if (group.draft.scorer) out_.scorers.push_back({name, *group.draft.scorer, expected});
    if (group.draft.options.if_contains("weight") != nullptr &&
        as_number(group.draft.options.at("weight")) == 0)
      out_.without_weight.push_back(name);
    out_.metrics.push_back(std::move(metric));
  }

  const std::vector<Test>& tests_;
  Fields& fields_;
  Reading& reading_;
  std::vector<Group> groups_;
  std::vector<std::string> names_;
  MetricPlan out_;
};

}  // namespace

MetricPlan plan_metrics(const std::vector<Test>& tests, Fields& fields, Reading& reading) {
  return Planner(tests, fields, reading).plan();
}

}  // namespace assay::promptfoo
