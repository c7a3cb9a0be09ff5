#include "service/data/job_lists.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/file.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr const char* kOldFile = "lists.json";  // of earlier versions: all lists in one

std::string file_of(const std::string& directory, std::string_view list) {
  return fmt::format("{}/{}.jsonl", directory, list);
}

void set_list(JsonObject& status, std::string_view name, JsonArray page, std::size_t total) {
  status[name] = std::move(page);
  status[fmt::format("{}_total", name)] = total;
}

// The part of a page that there is.
template <class List>
std::pair<std::size_t, std::size_t> bounds(const List& list, const ListPage& page) {
  const auto begin = std::min(list.size(), static_cast<std::size_t>(page.offset));
  return {begin, std::min(list.size(), begin + static_cast<std::size_t>(page.count))};
}

}  // namespace

Status write_lists(const std::string& directory, const JsonObject& lists) {
  for (const char* name : kJobLists) {
    const Json* list = lists.if_contains(name);
    if (list == nullptr || !list->is_array() || list->get_array().empty()) continue;
    std::string lines;
    for (const Json& entry : list->get_array()) lines += to_text(entry) + "\n";
    if (auto written = write_file(file_of(directory, name), lines); !written) return written;
  }
  return {};
}

Status add_lists(JsonObject& status, const std::string& directory, const ListPage& page) {
  if (const std::string old = directory + "/" + kOldFile; file_exists(old)) {
    auto text = read_file(old);
    auto lists = text ? parse_json(*text) : fail(text.error());
    if (!lists) return fail(std::move(lists.error()));
    if (lists->is_object()) {
      for (auto& [name, list] : lists->get_object()) status[name] = std::move(list);
    }
    cut_lists(status, page);
    return {};
  }
  for (const char* name : kJobLists) {
    JsonArray entries;
    std::size_t total = 0;
    if (const std::string path = file_of(directory, name); file_exists(path)) {
      auto text = read_file(path);
      if (!text) return fail(std::move(text.error()));
      const auto lines = split_lines(*text);
      total = lines.size();
      const auto [begin, end] = bounds(lines, page);
      for (std::size_t i = begin; i < end; ++i) {
        auto entry = parse_json(lines[i]);
        if (!entry) return fail(std::move(entry.error()).with("file", path));
        entries.push_back(std::move(*entry));
      }
    }
    set_list(status, name, std::move(entries), total);
  }
  return {};
}

void cut_lists(JsonObject& status, const ListPage& page) {
  for (const char* name : kJobLists) {
    JsonArray entries;
    std::size_t total = 0;
    if (const Json* list = status.if_contains(name); list != nullptr && list->is_array()) {
      const JsonArray& all = list->get_array();
      total = all.size();
      const auto [begin, end] = bounds(all, page);
      for (std::size_t i = begin; i < end; ++i) entries.push_back(all[i]);
    }
    set_list(status, name, std::move(entries), total);
  }
}

}  // namespace assay
