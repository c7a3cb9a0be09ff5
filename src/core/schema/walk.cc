#include "core/schema/walk.h"

#include <fmt/format.h>

#include "core/schema/words.h"
#include "core/text.h"

namespace assay::schema {
namespace {

using boost::json::kind;

// Schema applications inside each other. Values are at most 128 deep when parsed; each level may pass through
// several references.
constexpr std::size_t kMaxDepth = 1500;
// Schema applications in one walk: about a second. Only schemas whose alternatives multiply come near.
constexpr std::size_t kMaxSteps = 20'000'000;
constexpr std::size_t kMostAnswersKept = 200'000;

bool is_choice(const ValueRules& rules, const Json& value) {
  if (!rules.texts.empty()) {
    const auto* text = value.if_string();
    return text != nullptr && rules.texts.contains(std::string_view(*text));
  }
  return std::ranges::any_of(*rules.choices, [&](const Json& choice) { return equal_values(choice, value); });
}

}  // namespace

std::string Path::pointer() const {
  if (parent == nullptr) return {};
  return below(parent->pointer(), index == kNoLimit ? std::string(key) : std::to_string(index));
}

std::uint8_t type_of(const Json& value) {
  switch (value.kind()) {
    case kind::null:
      return kNull;
    case kind::bool_:
      return kBoolean;
    case kind::int64:
    case kind::uint64:
      return kInteger;
    case kind::double_:
      return is_whole(value) ? kInteger : kNumber;
    case kind::string:
      return kString;
    case kind::array:
      return kArray;
    case kind::object:
      return kObject;
  }
  return 0;
}

bool Walk::run(const Json& instance) {
  const bool fit = check(*tree_.root, instance, Path{}, nullptr, nullptr);
  // Inside `not` a walk that was given up can look like a fit.
  return fit && stopped_ == nullptr;
}

bool Walk::check(const Node& node, const Json& value, const Path& path, const Entered* entered,
                 Marks* outer) {
  if (stopped_ != nullptr) return false;
  if (node.never) {
    return defect(node, "", path, [] { return "not allowed here"; });
  }
  if (depth_ == kMaxDepth || ++steps_ > kMaxSteps) {
    stopped_ = depth_ == kMaxDepth ? "the schema refers to itself too deeply for this value"
                                   : "the schema has too many combinations to check for this value";
    return false;
  }
  ++depth_;
  const Entered here{entered, node.scope};
  if (tree_.has_dynamic_references && (entered == nullptr || entered->scope != node.scope)) entered = &here;
  const bool ok = check_rules({node, path, entered}, value, outer);
  --depth_;
  return ok;
}

bool Walk::fits(const Node& node, const Json& value, const Path& path, const Entered* entered, Marks* marks) {
  const Redirect quietly(*this, nullptr);
  if (marks == nullptr) {
    // Which resources were entered decides only where references are dynamic.
    const bool worth = (node.logic || node.object || node.list) && !tree_.has_dynamic_references && !in_name_;
    if (!worth) return check(node, value, path, entered, nullptr);
    const Question question{&node, &value};
    if (const auto known = answers_.find(question); known != answers_.end()) return known->second;
    const bool answer = check(node, value, path, entered, nullptr);
    if (stopped_ == nullptr && answers_.size() < kMostAnswersKept) answers_.emplace(question, answer);
    return answer;
  }
  Marks own;
  const bool ok = check(node, value, path, entered, &own);
  if (ok) marks->merge(own);
  return ok;
}

bool Walk::check_rules(const Site& site, const Json& value, Marks* outer) {
  const auto& node = site.node;
  Verdict verdict(*this, true);
  if (node.types != kAnyType && verdict.decided(check_type(site, value))) return false;
  if (node.value && verdict.decided(check_value(site, value))) return false;
  switch (value.kind()) {
    case kind::int64:
    case kind::uint64:
    case kind::double_:
      if (node.number && verdict.decided(check_number(site, value))) return false;
      break;
    case kind::string:
      if (node.text && verdict.decided(check_text(site, value))) return false;
      break;
    case kind::array:
      if (node.list) return check_list(site, value, outer, verdict.ok());
      break;
    case kind::object:
      if (node.object) return check_object(site, value, outer, verdict.ok());
      break;
    default:
      break;
  }
  if (node.logic && verdict.decided(check_logic(site, value, outer))) return false;
  return verdict.ok();
}

bool Walk::check_type(const Site& site, const Json& value) {
  if ((site.node.types & type_of(value)) != 0) return true;
  return defect(site.node, "type", site.path,
                [&] { return found_expected(value, type_words(site.node.types)); });
}

bool Walk::check_value(const Site& site, const Json& value) {
  const auto& rules = *site.node.value;
  bool ok = true;
  if (rules.constant != nullptr && !equal_values(*rules.constant, value)) {
    ok = defect(site.node, "const", site.path,
                [&] { return found_expected(value, excerpt(*rules.constant)); });
  }
  if (rules.choices != nullptr && !is_choice(rules, value)) {
    ok = defect(site.node, "enum", site.path,
                [&] { return found_expected(value, choice_words(*rules.choices, value)); });
  }
  return ok;
}

bool Walk::check_number(const Site& site, const Json& value) {
  const auto& rules = *site.node.number;
  bool ok = true;
  const auto expect = [&](bool passed, std::string_view keyword, std::string_view words, const Json* limit) {
    if (passed) return;
    ok = defect(site.node, keyword, site.path,
                [&] { return found_expected(value, fmt::format("{} {}", words, excerpt(*limit))); });
  };
  if (rules.minimum != nullptr) {
    expect(compare_numbers(value, *rules.minimum) >= 0, "minimum", "at least", rules.minimum);
  }
  if (rules.maximum != nullptr) {
    expect(compare_numbers(value, *rules.maximum) <= 0, "maximum", "at most", rules.maximum);
  }
  if (rules.exclusive_minimum != nullptr) {
    const bool passed = compare_numbers(value, *rules.exclusive_minimum) > 0;
    expect(passed, "exclusiveMinimum", "more than", rules.exclusive_minimum);
  }
  if (rules.exclusive_maximum != nullptr) {
    const bool passed = compare_numbers(value, *rules.exclusive_maximum) < 0;
    expect(passed, "exclusiveMaximum", "less than", rules.exclusive_maximum);
  }
  if (rules.multiple_of != nullptr) {
    expect(is_multiple(to_decimal(value), rules.divisor), "multipleOf", "a multiple of", rules.multiple_of);
  }
  return ok;
}

bool Walk::check_text(const Site& site, const Json& value) {
  const auto& rules = *site.node.text;
  const std::string_view text = value.get_string();
  bool ok = true;
  if (rules.min_length > 0 || rules.max_length != kNoLimit) {
    const auto length = count_code_points(text);
    const auto wrong = [&](std::string_view keyword, std::string_view words, std::size_t limit) {
      ok = defect(site.node, keyword, site.path, [&] {
        return fmt::format("found {} ({}), expected {} {}", excerpt(value),
                           counted(length, "character", "characters"), words, limit);
      });
    };
    if (length < rules.min_length) wrong("minLength", "at least", rules.min_length);
    if (length > rules.max_length) wrong("maxLength", "at most", rules.max_length);
  }
  if (rules.pattern != nullptr && !rules.pattern->found_in(text)) {
    ok = defect(site.node, "pattern", site.path, [&] {
      return found_expected(value, rules.example.empty()
                                       ? fmt::format("text that matches {}", shorten(rules.pattern_text, 120))
                                       : fmt::format("text such as \"{}\"", shorten(rules.example, 120)));
    });
  }
  if (rules.format != nullptr && !rules.format(text)) {
    ok = defect(site.node, "format", site.path,
                [&] { return found_expected(value, fmt::format("the format {}", rules.format_name)); });
  }
  return ok;
}

}  // namespace assay::schema
