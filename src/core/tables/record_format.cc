#include "core/tables/record_format.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"

namespace assay {
namespace {

constexpr auto kNames =
    std::to_array<std::pair<RecordFormat, std::string_view>>({{RecordFormat::jsonl, "jsonl"},
                                                              {RecordFormat::json, "json"},
                                                              {RecordFormat::csv, "csv"},
                                                              {RecordFormat::tsv, "tsv"}});

std::string_view without_space(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text;
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find_first_of("\r\n"));
}

// "[1] is a footnote" is no list of objects.
bool begins_list(std::string_view text) {
  text = without_space(text);
  if (!text.starts_with('[')) return false;
  text = without_space(text.substr(1));
  return text.empty() || text.starts_with('{') || text == "]";
}

bool begins_object(std::string_view text) {
  text = without_space(text);
  if (!text.starts_with('{')) return false;
  text = without_space(text.substr(1));
  return text.starts_with('"') || text.starts_with('}');
}

}  // namespace

std::string_view to_string(RecordFormat format) {
  return std::ranges::find(kNames, format, &decltype(kNames)::value_type::first)->second;
}

std::optional<RecordFormat> record_format(std::string_view name) {
  for (const auto& [format, known] : kNames) {
    if (known == name) return format;
  }
  return std::nullopt;
}

std::vector<std::string> record_format_names() {
  std::vector<std::string> names;
  names.reserve(kNames.size());
  for (const auto& [format, name] : kNames) names.emplace_back(name);
  return names;
}

RecordFormat format_of_name(std::string_view path) {
  const std::string name = lower_ascii(path);
  std::string_view bare = name;
  if (bare.ends_with(".gz")) bare.remove_suffix(3);
  if (bare.ends_with(".json")) return RecordFormat::json;
  if (bare.ends_with(".csv")) return RecordFormat::csv;
  if (bare.ends_with(".tsv") || bare.ends_with(".tab")) return RecordFormat::tsv;
  return RecordFormat::jsonl;
}

RecordFormat format_of_content(std::string_view start) {
  const std::string_view text = without_space(start);
  if (text.empty() || text.starts_with('{')) return RecordFormat::jsonl;
  if (text.starts_with('[')) return RecordFormat::json;
  return first_line(text).contains('\t') ? RecordFormat::tsv : RecordFormat::csv;
}

std::string format_mismatch(RecordFormat format, std::string_view start) {
  const auto mismatch = [&](std::string_view found, std::string_view expected, RecordFormat better) {
    return fmt::format("found {}, expected {}; name the file .{} or set `input_format: {}`", found, expected,
                       to_string(better), to_string(better));
  };
  switch (format) {
    case RecordFormat::jsonl:
      if (begins_list(start))
        return mismatch("a JSON list", "JSON Lines (one object a line)", RecordFormat::json);
      return "";
    case RecordFormat::json:
      if (begins_object(start)) return mismatch("an object", "a JSON list of objects", RecordFormat::jsonl);
      return "";
    case RecordFormat::csv:
    case RecordFormat::tsv: {
      if (begins_object(start))
        return mismatch("JSON", "a table with a row of column names", RecordFormat::jsonl);
      if (begins_list(start))
        return mismatch("a JSON list", "a table with a row of column names", RecordFormat::json);
      const std::string_view names = first_line(without_space(start));
      if (names.find_first_of(",\t") == std::string_view::npos) {
        if (names.contains(';'))
          return "the first row has semicolons, expected column names divided by commas (.csv) or tabs "
                 "(.tsv); "
                 "save the table so";
        return "";
      }
      if (format == RecordFormat::csv && !names.contains(','))
        return mismatch("tabs between the column names", "commas", RecordFormat::tsv);
      if (format == RecordFormat::tsv && !names.contains('\t'))
        return mismatch("commas between the column names", "tabs", RecordFormat::csv);
      return "";
    }
  }
  return "";
}

}  // namespace assay
