#include "evaluations/custom/subject_path.h"

#include <algorithm>
#include <array>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"

namespace assay::custom {
namespace {

constexpr std::size_t kMostNamed = 12;

// "~" is followed by 0 or 1, and nothing else (RFC 6901).
bool is_pointer(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '~' && (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1'))) return false;
  }
  return text.empty() || text.front() == '/';
}

std::unexpected<Error> no_such_subject(std::string_view of, std::span<const std::string> fields) {
  std::string words = fmt::format("there is no field \"{}\"", shorten(of, 80));
  if (const auto guess = nearest(of, fields)) {
    words += fmt::format("; did you mean \"{}\"?", *guess);
  } else if (!fields.empty()) {
    const std::size_t shown = std::min(fields.size(), kMostNamed);
    words += fmt::format("; there are {}{}", fmt::join(fields.first(shown), ", "),
                         shown < fields.size() ? ", …" : "");
  }
  return fail(ErrorKind::config,
              words + "; a pointer into the output begins with a slash, as in /refund/amount");
}

// How far a pointer leads, and what there is in its stead.
std::string dead_end(const Json& value, std::string_view pointer) {
  std::size_t end = pointer.size();
  const Json* last = nullptr;
  while (last == nullptr && end > 0) {
    end = pointer.rfind('/', end - 1);
    last = find_pointer(value, pointer.substr(0, end));
  }
  const std::string where = end == 0 ? "it" : std::string(pointer.substr(0, end));
  if (last == nullptr) return "";
  if (const auto* object = last->if_object()) {
    std::vector<std::string_view> names;
    for (const auto& member : *object) {
      if (names.size() < kMostNamed) names.push_back(member.key());
    }
    return names.empty() ? fmt::format("; {} is empty", where)
                         : fmt::format("; {} has {}{}", where, fmt::join(names, ", "),
                                       object->size() > kMostNamed ? ", …" : "");
  }
  if (const auto* list = last->if_array()) return fmt::format("; {} has {} items", where, list->size());
  return fmt::format("; {} is {}", where, excerpt(*last));
}

FoundSubject below(const Json& value, std::string_view pointer, std::string_view name) {
  FoundSubject found;
  found.value = find_pointer(value, pointer);
  if (found.value != nullptr) return found;
  found.lacking = true;
  found.reason = fmt::format("the {} has no {}{}", name, pointer, dead_end(value, pointer));
  return found;
}

FoundSubject unknown(std::string reason) {
  return {.reason = std::move(reason)};
}

FoundSubject in_output(const Json& output, const std::string& pointer, bool lenient) {
  if (pointer.empty()) return {.value = &output};
  const auto text = as_text(output);
  if (!text) {
    FoundSubject found = below(output, pointer, "output");
    found.inside_json = true;
    return found;
  }
  auto read = parse_json(*text);
  if (!read && lenient) {
    if (auto forgiven = parse_lenient_json(*text)) read = std::move(forgiven->value);
  }
  if (!read)
    return {
        .lacking = true,
        .reason = fmt::format("the output is not JSON, so there is no {}: {}", pointer, read.error().text())};
  auto kept = std::make_shared<const Json>(std::move(*read));
  FoundSubject found = below(*kept, pointer, "output");
  found.read = std::move(kept);
  found.inside_json = true;
  return found;
}

}  // namespace

Result<SubjectPath> SubjectPath::parse(std::string_view of, std::span<const std::string> fields) {
  const std::string_view whole = trim(of);
  if (!valid_utf8(whole))
    return fail(ErrorKind::config,
                fmt::format("found \"{}\", expected text in UTF-8", shorten(repair_utf8(whole), 80)));
  const bool braced = whole.size() > 2 && whole.front() == '{' && whole.back() == '}';
  const std::string_view name = braced ? whole.substr(1, whole.size() - 2) : whole;
  struct Named {
    std::string_view name;
    Place place;
  };
  constexpr std::array<Named, 4> kNamed = {{{"output", Place::output},
                                            {"trace", Place::trace},
                                            {"meta", Place::meta},
                                            {"contexts", Place::contexts}}};

  SubjectPath path;
  path.text_ = std::string(whole);
  if (!whole.starts_with('/')) {
    const bool is_field = name != "output" && std::ranges::find(fields, name) != fields.end();
    const auto named = std::ranges::find(kNamed, name, &Named::name);
    if (!is_field && named == kNamed.end()) return no_such_subject(name, fields);
    path.place_ = is_field ? Place::field : named->place;
    if (is_field) path.rest_ = std::string(name);
    return path;
  }
  if (!is_pointer(whole))
    return fail(ErrorKind::config, fmt::format("found \"{}\", expected a JSON pointer, where ~ is written ~0",
                                               shorten(whole, 80)));
  const std::size_t end = std::min(whole.find('/', 1), whole.size());
  const auto named = std::ranges::find(kNamed, whole.substr(1, end - 1), &Named::name);
  path.place_ = named == kNamed.end() ? Place::output : named->place;
  path.rest_ = std::string(named == kNamed.end() ? whole : whole.substr(end));
  return path;
}

FoundSubject SubjectPath::find(const AnswerView& answer, bool lenient) const {
  switch (place_) {
    case Place::field: {
      const Json* value = answer.fields.if_contains(rest_);
      if (value == nullptr || value->is_null()) return unknown(fmt::format("the case has no {}", rest_));
      return {.value = value};
    }
    case Place::trace:
      if (answer.trace.is_null()) return unknown("the answer has no trace");
      return below(answer.trace, rest_, "trace");
    case Place::contexts:
      if (answer.contexts.is_null()) return unknown("the answer has no contexts");
      return below(answer.contexts, rest_, "list of contexts");
    case Place::meta: {
      FoundSubject found = below(answer.meta, rest_, "answer's meta");
      found.lacking = false;  // what nobody has measured is no fault of the answer
      if (found.value != nullptr && found.value->is_null())
        return unknown(fmt::format("{} is not known", text_));
      return found;
    }
    case Place::output:
      return in_output(answer.output, rest_, lenient);
  }
  return {};
}

}  // namespace assay::custom
