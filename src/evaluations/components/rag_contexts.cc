#include "evaluations/components/rag_contexts.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"

namespace assay::components {
namespace {

// Where the text of a context stands; the first of them that is not empty counts. HTML comes first: links and
// tables carry meaning that plain text has lost.
constexpr std::string_view kTextKeys[] = {"html_content", "html",          "content", "text",
                                          "chunk",        "page_content",  "body",    "passage",
                                          "chunk_text",   "plain_content", "snippet", "markdown"};
// What else is read, or names the context without saying anything about its content.
constexpr std::string_view kOtherTexts[] = {"title", "description"};
constexpr std::string_view kNames[] = {
    "exact_path", "base_path", "heading_hierarchy", "id", "uid", "chunk_uid", "url", "path", "link"};

constexpr std::size_t kMostKeys = 50;

// One context is a list of one; null is none.
JsonArray entries_of(const Json& value) {
  if (value.is_array()) return value.get_array();
  if (value.is_null()) return {};
  return {value};
}

std::string_view text_member(const Json& context, std::string_view name) {
  const Json* value = find_member(context, name);
  return value != nullptr ? as_text(*value).value_or("") : "";
}

std::string_view content_of(const Json& context) {
  if (const auto text = as_text(context)) return *text;
  for (const std::string_view key : kTextKeys) {
    if (const std::string_view text = text_member(context, key); !trim(text).empty()) return text;
  }
  return {};
}

std::string check_context(const Json& context) {
  constexpr std::string_view kExpected =
      "text, or an object with its text under html_content (or text, content, page_content, chunk)";
  if (!context.is_string() && !context.is_object())
    return fmt::format("found {}, expected {}", excerpt(context), kExpected);
  if (context.is_object()) {
    const auto check_text = [&](std::string_view name) -> std::string {
      const Json* text = find_member(context, name);
      if (text == nullptr || text->is_string() || text->is_null()) return "";
      return fmt::format("{}: found {}, expected text", name, excerpt(*text));
    };
    for (const std::string_view name : kTextKeys) {
      if (std::string problem = check_text(name); !problem.empty()) return problem;
    }
    for (const std::string_view name : kOtherTexts) {
      if (std::string problem = check_text(name); !problem.empty()) return problem;
    }
    const Json* headings = find_member(context, "heading_hierarchy");
    if (headings != nullptr && !headings->is_array() && !headings->is_null() && !headings->is_string())
      return fmt::format("heading_hierarchy: found {}, expected a list of texts", excerpt(*headings));
  }
  if (trim(content_of(context)).empty())
    return fmt::format("has no text: found {}, expected {}", excerpt(context), kExpected);
  return "";
}

std::string context_text(const Json& context) {
  std::string text;
  if (context.is_object()) {
    const auto put = [&](std::string_view title, std::string_view value) {
      if (!value.empty()) text += fmt::format("{}: {}\n", title, value);
    };
    put("Title", text_member(context, "title"));
    if (const Json* headings = find_member(context, "heading_hierarchy"); headings != nullptr) {
      std::vector<std::string> parts;
      if (const auto one = as_text(*headings)) parts.emplace_back(*one);
      if (headings->is_array()) {
        for (const Json& heading : headings->get_array()) parts.emplace_back(as_text(heading).value_or(""));
      }
      put("Headings", join(parts, " > "));
    }
    put("Description", text_member(context, "description"));
    if (!text.empty()) text += '\n';
  }
  text += content_of(context);
  return text;
}

}  // namespace

std::string check_contexts(const Json& value) {
  const JsonArray contexts = entries_of(value);
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    const std::string problem = check_context(contexts[i]);
    if (!problem.empty()) return fmt::format("entry {} {}", i + 1, problem);
  }
  return "";
}

std::vector<std::string> context_texts(const Json& value) {
  std::vector<std::string> texts;
  for (const Json& context : entries_of(value)) texts.push_back(context_text(context));
  return texts;
}

void count_unread_keys(const Json& value, KeyCounts& counts) {
  const auto among = [](const auto& names, std::string_view key) {
    return std::ranges::find(names, key) != std::end(names);
  };
  for (const Json& context : entries_of(value)) {
    if (!context.is_object()) continue;
    for (const auto& [key, member] : context.get_object()) {
      if (among(kTextKeys, key) || among(kOtherTexts, key) || among(kNames, key)) continue;
      // Keys that are data (a path as the key) are not worth keeping one by one.
      const bool room = counts.size() < kMostKeys || counts.contains(std::string(key));
      ++counts[room ? std::string(key) : "others"];
    }
  }
}

}  // namespace assay::components
