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

std::string file_of(std::string_view list) {
  return fmt::format("{}.jsonl", list);
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
    if (auto written = write_file(directory + "/" + file_of(name), lines); !written) return written;
  }
  return {};
}

std::vector<std::string> list_files() {
  std::vector<std::string> files;
  for (const char* name : kJobLists) files.push_back(file_of(name));
  return files;
}

Status add_lists(JsonObject& status, const JobFiles& files, const std::string& job_id, const ListPage& page) {
  const auto old = files.text(job_id, kOldFile);
  if (!old) return fail(old.error());
  if (*old) {
    auto lists = parse_json(**old);
    if (!lists) return fail(std::move(lists.error()));
    if (lists->is_object()) {
      for (auto& [name, list] : lists->get_object()) status[name] = std::move(list);
    }
    cut_lists(status, page);
    return {};
  }
  for (const char* name : kJobLists) {
    JsonArray entries;
    const auto text = files.text(job_id, file_of(name));
    if (!text) return fail(text.error());
    const auto lines = split_lines(*text ? std::string_view(**text) : std::string_view());
    const auto [begin, end] = bounds(lines, page);
    for (std::size_t i = begin; i < end; ++i) {
      auto entry = parse_json(lines[i]);
      if (!entry)
        return fail(std::move(entry.error()).with("file", files.directory_of(job_id) + "/" + file_of(name)));
      entries.push_back(std::move(*entry));
    }
    set_list(status, name, std::move(entries), lines.size());
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
