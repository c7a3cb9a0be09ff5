// Has the system called the right tools, in the right order, with the right arguments?
#include <algorithm>
#include <array>
#include <map>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/custom/checks/kinds.h"
#include "evaluations/custom/checks/parts.h"

namespace assay::custom {
namespace {

constexpr std::size_t kMostCallsNamed = 20;

// The calls of an answer, by name and in order.
using Calls = std::vector<std::string>;

std::optional<Calls> calls_in(const Json& trace) {
  const JsonArray* list = trace.if_array();
  if (list == nullptr) return std::nullopt;
  Calls calls;
  for (const Json& call : *list) {
    if (auto name = find_text(call, "tool")) calls.push_back(std::move(*name));
  }
  return calls;
}

Checked no_trace() {
  return nothing("which tools were called is not known: the answer has no trace");
}

std::string called_words(const Calls& calls) {
  if (calls.empty()) return "no tool was called";
  std::string out = "called: ";
  for (std::size_t i = 0; i < std::min(calls.size(), kMostCallsNamed); ++i)
    out += (i == 0 ? "" : ", ") + calls[i];
  if (calls.size() > kMostCallsNamed) out += fmt::format(" and {} more", calls.size() - kMostCallsNamed);
  return out;
}

Result<std::vector<std::string>> tool_names(const Json& argument) {
  auto names = texts_in(argument);
  if (names && names->empty()) return unexpected_argument(argument, "the name of a tool, or a list of names");
  return names;
}

// --- tool_called -------------------------------------------------------------------------------------------

Keys called_options() {
  return {{.name = "times",
           .type = KeyType::any,
           .help = "How often each is called: a number, or {min, max}; default: at least once.",
           .example = "{max: 2}"}};
}

CheckMade called_so_often(const Json& argument, const Bounds& times) {
  auto names = tool_names(argument);
  if (!names) return fail(std::move(names.error()));
  return check_of([names = std::move(*names), times](const Subject& subject) {
    const auto calls = calls_in(subject.trace);
    if (!calls) return no_trace();
    bool all = true;
    std::string words;
    for (const std::string& name : names) {
      const auto count = static_cast<std::size_t>(std::ranges::count(*calls, name));
      all = all && times.hold(static_cast<double>(count));
      words += fmt::format("{}: {}; ", name,
                           count == 0 ? "not called" : "called " + count_of(count, "time", "times"));
    }
    return yes_or_no(all, words + called_words(*calls));
  });
}

CheckMade make_tool_called(const Json& argument, const Config& options) {
  const Json* times = options.find("times");
  if (times == nullptr) return called_so_often(argument, {.min = 1, .max = {}});
  const auto bounds = read_bounds(*times, Alone::is_exact, as_amount, "a number of calls, or {min, max}");
  if (!bounds) return fail(Error(bounds.error()).with("option", "times"));
  return called_so_often(argument, *bounds);
}

// Of several tools none, since that is what people mean; the opposite of "all of them" would let one through.
CheckMade make_not_tool_called(const Json& argument, const Config& options) {
  if (options.has("times"))
    return fail(ErrorKind::config,
                "`not_tool_called` takes no `times`; `tool_called` with other times says it");
  return called_so_often(argument, {.min = {}, .max = 0});
}

// --- tool_order --------------------------------------------------------------------------------------------

Keys order_options() {
  return {{.name = "strict",
           .type = KeyType::boolean,
           .help = "Exactly these calls, and no other.",
           .default_value = false}};
}

CheckMade make_tool_order(const Json& argument, const Config& options) {
  auto names = tool_names(argument);
  if (!names) return fail(std::move(names.error()));
  return check_of([names = std::move(*names), strict = options.boolean("strict")](const Subject& subject) {
    const auto calls = calls_in(subject.trace);
    if (!calls) return no_trace();
    if (strict) return yes_or_no(*calls == names, called_words(*calls));
    std::size_t reached = 0;
    for (const std::string& call : *calls) {
      if (reached < names.size() && call == names[reached]) ++reached;
    }
    if (reached == names.size()) return yes_or_no(true, called_words(*calls));
    const std::string after = reached == 0 ? "" : fmt::format(" after {}", names[reached - 1]);
    return yes_or_no(false,
                     fmt::format("{} is not called{}; {}", names[reached], after, called_words(*calls)));
  });
}

// --- tool_arguments ----------------------------------------------------------------------------------------

Keys arguments_options() {
  return {{.name = "exact",
           .type = KeyType::boolean,
           .help = "The call has no other arguments.",
           .default_value = false}};
}

struct WantedCall {
  std::string tool;
  JsonObject arguments;  // by name, or by JSON pointer
  bool exact = false;
};

// What is wrong with the arguments of a call; empty if nothing.
std::string defect_of(const Json& given, const WantedCall& wanted) {
  for (const auto& [name, value] : wanted.arguments) {
    const Json* found = name.starts_with('/') ? find_pointer(given, name) : find_member(given, name);
    if (found == nullptr) return fmt::format("{} is missing", std::string_view(name));
    if (!same_json(*found, value, {}))
      return fmt::format("{} is {}, expected {}", std::string_view(name), excerpt(*found, 120),
                         excerpt(value, 120));
  }
  if (wanted.exact && given.is_object() && given.get_object().size() > wanted.arguments.size()) {
    for (const auto& member : given.get_object()) {
      if (!wanted.arguments.contains(member.key()))
        return fmt::format("{} is one argument too many", std::string_view(member.key()));
    }
  }
  return "";
}

// As an object; some systems keep them as the text that the model wrote.
Json arguments_of(const Json& call) {
  const Json* arguments = find_member(call, "arguments");
  if (arguments == nullptr) return JsonObject{};
  auto read = json_in(*arguments, false);
  if (!read) return *arguments;
  return std::move(*read);
}

Checked look_at_calls(const Json& trace, const WantedCall& wanted) {
  const auto calls = calls_in(trace);
  if (!calls) return no_trace();
  std::string nearest;
  std::size_t count = 0;
  for (const Json& call : trace.get_array()) {
    if (find_text(call, "tool") != wanted.tool) continue;
    ++count;
    std::string defect = defect_of(arguments_of(call), wanted);
    if (defect.empty()) return yes_or_no(true, fmt::format("call {} of {} has them", count, wanted.tool));
    nearest = std::move(defect);
  }
  if (count == 0)
    return yes_or_no(false, fmt::format("{} was not called; {}", wanted.tool, called_words(*calls)));
  return yes_or_no(false, count == 1 ? nearest
                                     : fmt::format("no call of {} has them; in the last of {}: {}",
                                                   wanted.tool, count, nearest));
}

CheckMade make_tool_arguments(const Json& argument, const Config& options) {
  constexpr std::string_view kExpected = "{tool: NAME, arguments: {NAME: VALUE}}";
  const auto tool = find_text(argument, "tool");
  const Json* arguments = find_member(argument, "arguments");
  if (!tool || arguments == nullptr || !arguments->is_object() || argument.get_object().size() != 2)
    return unexpected_argument(argument, kExpected);
  WantedCall wanted{*tool, arguments->get_object(), options.boolean("exact")};
  const auto is_pointer = [](const auto& member) { return member.key().starts_with('/'); };
  if (wanted.exact && std::ranges::any_of(wanted.arguments, is_pointer))
    return fail(ErrorKind::config, "`exact` needs whole arguments by name, not pointers into them");
  return check_of(
      [wanted = std::move(wanted)](const Subject& subject) { return look_at_calls(subject.trace, wanted); });
}

}  // namespace

std::span<const CheckKind> tool_kinds() {
  using enum CheckKind::Value;
  static const std::array kinds = {
      CheckKind{.name = "tool_called",
                .value = yes_no,
                .has_not = true,
                .argument = "the name of a tool, or a list of names",
                .help = "Each of these tools is called; `not_`: none of them is.",
                .example = "{name: looks_up, tool_called: find_order, times: 1}",
                .options = called_options,
                .make = made<make_tool_called, called_options>,
                .make_not = made<make_not_tool_called, called_options>},
      CheckKind{.name = "tool_order",
                .value = yes_no,
                .has_not = true,
                .argument = "a list of names",
                .help = "These tools are called in this order; others may be called between.",
                .example = "{name: asks_first, tool_order: [find_order, refund]}",
                .options = order_options,
                .make = made<make_tool_order, order_options>},
      CheckKind{.name = "tool_arguments",
                .value = yes_no,
                .has_not = true,
                .argument = "{tool, arguments}; an argument by its name, or by a JSON pointer",
                .help = "Some call of this tool has these arguments, equal as JSON.",
                .example =
                    "{name: right_order, tool_arguments: {tool: refund, arguments: {order: \"{order_id}\"}}}",
                .options = arguments_options,
                .make = made<make_tool_arguments, arguments_options>},
  };
  return kinds;
}

}  // namespace assay::custom
