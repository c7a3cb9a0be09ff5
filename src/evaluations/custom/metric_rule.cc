#include "evaluations/custom/metric_rule.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "core/unicode.h"
#include "evaluations/fill.h"

namespace assay::custom {
namespace {

constexpr std::string_view kNot = "not_";
constexpr std::string_view kSaid = "said";      // `passes: said`
constexpr const char* kNoClass = "(no class)";  // of an output without anything where its class should stand

AnswerView view_of(const CaseAnswer& answer) {
  return {answer.reply.output, answer.reply.trace, answer.reply.meta, answer.reply.contexts, answer.fields};
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const CheckKind& kind : check_kinds()) {
    names.emplace_back(kind.name);
    if (kind.has_not) names.push_back(std::string(kNot) + std::string(kind.name));
  }
  for (const AskedKind& kind : asked_kinds()) names.emplace_back(kind.name);
  return names;
}

// The kinds that an entry names; exactly one is right. `judge` is one only where it is an object: as a text
// or with a model it is who judges.
std::vector<std::string> kinds_in(const JsonObject& entry) {
  std::vector<std::string> found;
  for (const std::string& name : kind_names()) {
    if (entry.contains(name)) found.push_back(name);
  }
  return found;
}

// Without its default, which every metric would get, also those of other kinds: a kind knows its own.
void add_option(Keys& keys, Key key) {
  key.default_value = nullptr;
  if (std::ranges::find(keys, key.name, &Key::name) == keys.end()) keys.push_back(std::move(key));
}

void add_names(std::vector<std::string>& names, std::vector<std::string> more) {
  for (std::string& name : more) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
}

std::vector<std::string> names_in(const NamedCheck& check, const Json& argument, const JsonObject& options) {
  const auto pattern = check.kind->name == "regex" ? as_text(argument) : std::nullopt;
  std::vector<std::string> names = pattern ? placeholders_in_regex(*pattern) : placeholders_in(argument);
  add_names(names, placeholders_in(Json(options)));
  return names;
}

bool is_nothing(const Json* value) {
  return value == nullptr || value->is_null() || (value->is_string() && value->get_string().empty()) ||
         (value->is_array() && value->get_array().empty());
}

// One reading of one entry.
class Reading {
 public:
  Reading(const JsonObject& entry, std::string key, const MetricSurroundings& around,
          std::vector<ConfigProblem>& problems)
      : entry_(entry), config_(entry), key_(std::move(key)), around_(around), problems_(problems) {}

  std::optional<MetricRule> read() {
    const std::size_t before = problems_.size();
    const auto kinds = kinds_in(entry_);
    if (kinds.size() != 1) {
      wrong("", kinds.empty() ? "has no kind; expected one of " + join(kind_names(), ", ")
                              : fmt::format("found {}, expected exactly one kind", join(kinds, " and ")));
      return std::nullopt;
    }
    kind_ = kinds.front();
    rule_.key = key_;
    rule_.shape.name = config_.has("name") ? config_.text("name") : kind_;
    read_common();
    if (const AskedKind* asked = find_asked(kind_)) {
      read_asked(*asked);
    } else {
      read_check();
    }
    check_fields();
    if (problems_.size() > before) return std::nullopt;
    return std::move(rule_);
  }

 private:
  void wrong(const std::string& below, std::string text) {
    problems_.push_back({"config", below.empty() ? key_ : key_ + "." + below, std::move(text)});
  }

  void read_common() {
    MetricShape& shape = rule_.shape;
    const auto good = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    if (shape.name.empty() || !std::ranges::all_of(shape.name, good))
      wrong("name", fmt::format("found {}, expected lower-case letters, digits and _", shape.name));
    if (const auto weight = config_.number("weight")) shape.weight = *weight;
    if (const Json* scale = config_.find("scale")) {
      const JsonArray* ends = scale->if_array();
      const bool pair =
          ends != nullptr && ends->size() == 2 && (*ends)[0].is_number() && (*ends)[1].is_number();
      if (pair) shape.scale = {as_number((*ends)[0]).value_or(0), as_number((*ends)[1]).value_or(1)};
      if (!pair || !(shape.scale.low < shape.scale.high))
        wrong("scale", fmt::format("found {}, expected two numbers, the lower first", excerpt(*scale)));
    }
    if (config_.has("when")) {
      auto when = Condition::parse(config_.text("when"), known_fields());
      if (when) {
        rule_.when = std::move(*when);
      } else {
        wrong("when", when.error().text());
      }
    }
    if (config_.text("passes") == kSaid) {
      rule_.scorer_says = rule_.shape.has_passes = true;
    } else if (config_.has("passes")) {
      auto passes = PassRule::parse(config_.text("passes"));
      if (passes) {
        rule_.passes = std::move(*passes);
        shape.has_passes = true;
        shape.lower_is_better = rule_.passes->wants_low();
        shape.passes = [passing = *rule_.passes](double score) { return passing.holds(Json(score)); };
      } else {
        wrong("passes", passes.error().text());
      }
    }
    if (config_.has("of")) {
      auto of = SubjectPath::parse(config_.text("of"), known_fields());
      if (of) {
        rule_.of = std::move(*of);
      } else {
        wrong("of", of.error().text());
      }
    }
  }

  std::vector<std::string> known_fields() const { return around_.fields; }

  void read_check() {
    rule_.check = find_named_check(kind_);
    const CheckKind& kind = *rule_.check.kind;
    rule_.shape.value =
        kind.value == CheckKind::Value::yes_no ? MetricShape::Value::yes_no : MetricShape::Value::score;
    auto argument = around_.config.given_tree(*entry_.if_contains(kind_));
    if (!argument) {
      wrong(kind_, argument.error().text());
      return;
    }
    rule_.argument = std::move(*argument);
    const Keys options = kind.options != nullptr ? kind.options() : Keys();
    for (const Key& option : options) {
      if (const Json* value = config_.find(option.name)) rule_.options.emplace(option.name, *value);
    }
    check_options(options);
    if (const Json* lenient = rule_.options.if_contains("lenient"))
      rule_.lenient = as_boolean(*lenient).value_or(false);
    rule_.filled_from = names_in(rule_.check, rule_.argument, rule_.options);
    if (around_.fields_known) leave_out_prose(rule_.filled_from, around_.fields);
    if (!rule_.filled_from.empty()) return;
    auto made = make_check(rule_.check, rule_.argument, rule_.options);
    if (made) {
      rule_.ready = std::move(*made);
    } else {
      wrong(kind_, made.error().text());
    }
  }

  void read_asked(const AskedKind& kind) {
    rule_.shape.value = MetricShape::Value::score;
    check_options(kind.options != nullptr ? kind.options() : Keys());
    if (kind_ == "label") {
      const Config label(config_.find("label")->get_object());
      rule_.expected = label.text("expected");
      rule_.labels = rule_.shape.classes = label.texts("of");
      if (!label.has("judge")) {
        rule_.shape.value = MetricShape::Value::label;
        return;
      }
    }
    std::vector<std::string> shown = around_.fields;
    shown.emplace_back("output");
    const auto make = [&](const JudgeSettings& judge) {
      return kind.make({around_.config, config_, key_, rule_.shape, judge, around_.prompts, shown,
                        around_.directory, problems_});
    };
    const std::size_t before = problems_.size();
    const bool cascaded = !around_.cascade.empty() && !config_.has("model");
    rule_.asked = make(cascaded ? around_.cascade.front() : around_.judge);
    if (rule_.asked && cascaded && rule_.shape.judged && problems_.size() == before) add_judges(make);
    if (rule_.asked) rule_.filled_from = rule_.asked->required();
    if (around_.fields_known) leave_out_prose(rule_.filled_from, around_.fields);
  }

  // The same metric once more for each judge of the cascade.
  template <class Make>
  void add_judges(const Make& make) {
    if (rule_.shape.value == MetricShape::Value::pair)
      return wrong("", "a cascade decides one answer at a time; give a comparison a `model` of its own");
    for (const char* key : {"temperature", "votes"}) {
      if (config_.has(key)) wrong(key, "the cascade says who judges, and how often");
    }
    rule_.shape.votes = 1;
    rule_.judges.push_back(rule_.asked);
    for (std::size_t i = 1; i < around_.cascade.size(); ++i) rule_.judges.push_back(make(around_.cascade[i]));
  }

  // An option of another kind would be passed over in silence.
  void check_options(const Keys& options) {
    static const Keys common = common_metric_keys();
    for (const auto& [name, value] : entry_) {
      const std::string_view given = name;
      const auto is = [given](const Key& key) { return key.name == given; };
      if (given == kind_ || value.is_null() || std::ranges::any_of(options, is) ||
          std::ranges::any_of(common, is))
        continue;
      wrong(std::string(name), fmt::format("is no option of {}", kind_));
    }
  }

  void check_fields() {
    if (!around_.fields_known) return;
    std::vector<std::string> used = rule_.fields_used();
    leave_out_prose(used, around_.fields);
    for (const std::string& name : used) {
      constexpr std::string_view kParts[] = {"output", "contexts", "trace", "meta"};
      if (std::ranges::find(kParts, name) != std::end(kParts)) continue;
      if (std::ranges::find(around_.fields, name) != around_.fields.end()) continue;
      const auto guess = nearest(name, around_.fields);
      wrong(kind_, guess
                       ? fmt::format("unknown field {{{}}}; did you mean {{{}}}?", name, *guess)
                       : fmt::format("unknown field {{{}}}; there are {}", name, join(around_.fields, ", ")));
    }
  }

 public:
  static Keys common_metric_keys() {
    return {{.name = "name", .help = "What its figures are called; by default its kind."},
            {.name = "of",
             .help = "What it looks at: a field, a JSON pointer into the output, `/trace`, "
                     "`/meta/latency_ms`; by default the output."},
            {.name = "when",
             .help = "A condition on fields; elsewhere the metric does not apply.",
             .example = "area == refund"},
            {.name = "passes",
             .help = "When a score passes; `said`: the reply of a program or service says it.",
             .example = "\">= 4\""},
            {.name = "scale",
             .type = KeyType::any,
             .help = "The lowest and the highest score; by default [0, 1].",
             .example = "[1, 5]"},
            {.name = "weight",
             .type = KeyType::number,
             .help = "Its weight in `weighted.mean`.",
             .minimum = 0,
             .maximum = 1e6}};
  }

 private:
  const JsonObject& entry_;
  Config config_;
  std::string key_;
  const MetricSurroundings& around_;
  std::vector<ConfigProblem>& problems_;
  std::string kind_;
  MetricRule rule_;
};

// What should be looked at is not there: the answer fails, and fails the opposite, too.
Mark nothing_there(const MetricRule& rule, const FoundSubject& found) {
  if (!found.lacking) return not_applicable_mark(found.reason);
  Mark mark;
  mark.state = Mark::State::given;
  mark.score = rule.shape.lower_is_better ? rule.shape.scale.high : rule.shape.scale.low;
  mark.reason = found.reason;
  if (rule.shape.value == MetricShape::Value::label) mark.label = kNoClass;
  if (rule.shape.has_rate()) mark.passed = false;
  return mark;
}

// An answer of which a metric looks at a part: what `of` names stands in the place of the output. What it is
// made from outlives it.
class Part {
 public:
  Part(const MetricRule& rule, const CaseAnswer& whole, const Json& found)
      : whole_(whole), reply_(whole.reply) {
    reply_.output = found;
    if (whole.baseline == nullptr) return;
    baseline_ = *whole.baseline;
    const FoundSubject there = rule.of.find(
        view_of({whole.fields, *whole.baseline, whole.case_id, whole.variant, whole.repeat}), true);
    baseline_->output = there.value != nullptr ? *there.value : Json("");
  }
  CaseAnswer answer() const {
    return {whole_.fields,  reply_,        whole_.case_id,
            whole_.variant, whole_.repeat, baseline_ ? &*baseline_ : nullptr};
  }

 private:
  const CaseAnswer& whole_;
  Reply reply_;
  std::optional<Reply> baseline_;
};

Mark label_mark(const MetricRule& rule, const CaseAnswer& answer) {
  const FoundSubject found = rule.of.find(view_of(answer), true);
  // An answer that lacks what it should say is of no class, and as wrong as one that says another.
  if (found.value == nullptr) return nothing_there(rule, found);
  const std::string said = casefold(collapse_white_space(text_or_json(*found.value)));
  Mark mark;
  mark.state = Mark::State::given;
  mark.label = text_or_json(*found.value);
  for (const std::string& label : rule.labels) {
    if (casefold(collapse_white_space(label)) == said) mark.label = label;
  }
  const bool known = rule.labels.empty() || std::ranges::find(rule.labels, mark.label) != rule.labels.end();
  // Words that are no class are an answer all the same, and a wrong one.
  if (!known) mark.label = shorten(collapse_white_space(mark.label), 60);
  return mark;
}

}  // namespace

std::vector<std::string> MetricRule::fields_used() const {
  std::vector<std::string> names = filled_from;
  add_names(names, placeholders_in(expected));
  if (when) add_names(names, when->fields());
  if (!of.field().empty()) add_names(names, {std::string(of.field())});
  if (asked) add_names(names, asked->placeholders());
  return names;
}

Keys metric_keys() {
  Keys keys = Reading::common_metric_keys();
  for (const CheckKind& kind : check_kinds()) {
    Key key{.name = std::string(kind.name), .type = KeyType::file_or_value, .help = std::string(kind.help)};
    keys.push_back(key);
    if (!kind.has_not) continue;
    key.name = std::string(kNot) + key.name;
    key.help = "The opposite.";
    keys.push_back(std::move(key));
  }
  for (const AskedKind& kind : asked_kinds()) {
    Key key = kind.key();
    key.help = std::string(kind.help);
    keys.push_back(std::move(key));
  }
  for (const CheckKind& kind : check_kinds()) {
    if (kind.options == nullptr) continue;
    for (Key& key : kind.options()) add_option(keys, std::move(key));
  }
  for (const AskedKind& kind : asked_kinds()) {
    if (kind.options == nullptr) continue;
    for (Key& key : kind.options()) add_option(keys, std::move(key));
  }
  return keys;
}

std::optional<MetricRule> read_metric(const JsonObject& entry, const std::string& key,
                                      const MetricSurroundings& around,
                                      std::vector<ConfigProblem>& problems) {
  return Reading(entry, key, around, problems).read();
}

std::optional<MetricRule> read_case_check(const Json& entry, std::size_t place,
                                          const MetricSurroundings& around,
                                          std::vector<ConfigProblem>& problems) {
  static const Keys keys = metric_keys();
  const std::string key = fmt::format("checks[{}]", place);
  if (!entry.is_object()) {
    problems.push_back({"data", key, fmt::format("found {}, expected an object", excerpt(entry))});
    return std::nullopt;
  }
  ConfigSource source;
  source.document.value = entry;
  ResolvedConfig resolved = resolve_config(keys, source);
  for (ConfigProblem& problem : resolved.problems) {
    problem.key = key + "." + problem.key;
    problems.push_back(std::move(problem));
  }
  if (!resolved.problems.empty()) return std::nullopt;
  return read_metric(resolved.config.values(), key, around, problems);
}

std::string not_applicable(const MetricRule& rule, const CaseAnswer& answer) {
  if (rule.when && !rule.when->holds(answer.fields)) return "the condition of `when` does not hold";
  // A check against something that the case does not have says nothing.
  for (const std::string& name : rule.filled_from) {
    if (is_nothing(metric_value(answer, name))) return fmt::format("the case has no {}", name);
  }
  return "";
}

Task<Mark> asked_mark(const MetricRule& rule, const AskedMetric& asked, const CaseAnswer& answer,
                      std::string step, CaseContext& context) {
  if (rule.of.is_output()) co_return co_await asked.mark(answer, std::move(step), context);
  const FoundSubject found = rule.of.find(view_of(answer), true);
  if (found.value == nullptr) co_return nothing_there(rule, found);
  const Part part(rule, answer, *found.value);
  co_return co_await asked.mark(part.answer(), std::move(step), context);
}

void estimate_asked(const MetricRule& rule, const AskedMetric& asked, const CaseAnswer& answer,
                    CallEstimate& estimate) {
  const FoundSubject found = rule.of.find(view_of(answer), true);
  if (rule.of.is_output() || found.value == nullptr) {
    asked.estimate(answer, estimate);
  } else {
    asked.estimate(Part(rule, answer, *found.value).answer(), estimate);
  }
}

Mark check_mark(const MetricRule& rule, const CaseAnswer& answer) {
  if (std::string why = not_applicable(rule, answer); !why.empty())
    return not_applicable_mark(std::move(why));
  if (rule.check.kind == nullptr) return completed(rule, answer, label_mark(rule, answer));
  std::shared_ptr<const Check> check = rule.ready;
  if (!check) {
    JsonObject values;
    for (const std::string& name : rule.filled_from) values.emplace(name, *metric_value(answer, name));
    auto made = make_check(rule.check, fill_tree(rule.argument, values),
                           fill_tree(rule.options, values).get_object());
    if (!made) return failed_mark({ErrorKind::judge, made.error().text(), {}});
    check = std::move(*made);
  }
  const FoundSubject found = rule.of.find(view_of(answer), rule.lenient);
  if (found.value == nullptr) return nothing_there(rule, found);
  Checked checked = check->look({*found.value, answer.reply.trace, answer.reply.meta, found.inside_json});
  if (!checked.score) return not_applicable_mark(checked.reason);
  Mark mark;
  mark.state = Mark::State::given;
  mark.score = *checked.score;
  mark.reason = std::move(checked.reason);
  return completed(rule, answer, std::move(mark));
}

Mark completed(const MetricRule& rule, const CaseAnswer& answer, Mark mark) {
  if (mark.state == Mark::State::not_applicable) return mark;
  if (!rule.expected.empty()) {
    for (const std::string& name : placeholders_in(rule.expected)) {
      const Json* value = answer.fields.if_contains(name);
      if (value == nullptr || value->is_null())
        return not_applicable_mark(fmt::format("the case has no {}", name));
    }
    mark.expected = fill_fields(rule.expected, answer.fields);
    for (const std::string& label : rule.labels) {
      if (casefold(collapse_white_space(label)) == casefold(collapse_white_space(mark.expected)))
        mark.expected = label;
    }
    mark.score = mark.label == mark.expected ? 1 : 0;
  }
  // One that failed is of an expected class all the same.
  if (!mark.given()) return mark;
  if (rule.scorer_says) {
    if (!mark.passed)
      return failed_mark({ErrorKind::judge, "the reply does not say whether it passes (`passed`)", {}});
    return mark;
  }
  if (rule.passes) {
    mark.passed = rule.passes->holds(rule.shape.value == MetricShape::Value::label ? Json(mark.label)
                                                                                   : Json(mark.score));
  } else if (rule.shape.value == MetricShape::Value::yes_no) {
    mark.passed = mark.score > 0.5;
  } else {
    mark.passed.reset();
  }
  return mark;
}

}  // namespace assay::custom
