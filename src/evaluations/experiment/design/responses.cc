#include "evaluations/experiment/design/responses.h"

#include <algorithm>
#include <set>

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/file.h"
#include "core/sha256.h"
#include "core/text.h"
#include "evaluations/experiment/design/role_marks.h"

namespace assay::experiment {
namespace {

constexpr std::size_t kNamed = 5;
constexpr std::size_t kFingerprintDigits = 16;

// "query_1, query_2 and 3 more"
std::string some_of(const std::vector<std::string>& names) {
  const std::size_t count = std::min(names.size(), kNamed);
  const std::vector<std::string> first(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count));
  return names.size() > count ? fmt::format("{} and {} more", fmt::join(first, ", "), names.size() - count)
                              : fmt::format("{}", fmt::join(first, ", "));
}

ResponseFile read_one(const Config& config, const std::string& path, Answers answers,
                      const QueryList& queries, std::vector<ConfigProblem>& problems) {
  const auto wrong = [&](std::string text) { problems.push_back({path, "", std::move(text)}); };
  ResponseFile file;
  auto bytes = config.read_text(path);
  if (!bytes) {
    problems.push_back({"", "responses", bytes.error().text()});
    return file;
  }
  file.fingerprint = hex(sha256(*bytes)).substr(0, kFingerprintDigits);
  if (trim(*bytes).empty()) {
    wrong("the file is empty; expected an object with a text for each query");
    return file;
  }
  auto json = parse_json(*bytes);
  if (!json || !json->is_object()) {
    wrong(json ? fmt::format("found {}, expected an object with a text for each query", kind_word(*json))
               : json.error().text());
    return file;
  }
  std::vector<std::string> missing;
  std::vector<std::string> extra;
  std::vector<std::string> no_text;
  std::set<std::string> known;
  for (const QueryEntry& entry : queries.entries) {
    known.insert(entry.query.id);
    const Json* text = find_member(*json, entry.query.id);
    if (text == nullptr || text->is_null()) {
      missing.push_back(entry.query.id);
    } else if (!text->is_string() ||
               trim(take_out_roles(std::string_view(text->get_string())).text).empty()) {
      no_text.push_back(entry.query.id);
    } else {
      file.texts.emplace(entry.query.id, text->get_string());
    }
  }
  for (const auto& [id, value] : json->get_object()) {
    if (!known.contains(std::string(id))) extra.emplace_back(id);
  }
  if (!missing.empty() && answers == Answers::complete)
    wrong(fmt::format("no answer to {}", some_of(missing)));
  if (!no_text.empty())
    wrong(fmt::format("what stands under {} is no text, or an empty one", some_of(no_text)));
  if (!extra.empty() && !queries.chosen)
    wrong(fmt::format("answers to {}, which the queries do not have", some_of(extra)));
  return file;
}

}  // namespace

std::vector<ResponseFile> read_responses(const Config& config, const std::string& directory, Answers answers,
                                         const Design& design, const QueryList& queries,
                                         std::vector<ConfigProblem>& problems) {
  std::vector<ResponseFile> files;
  for (const Condition& condition : design.conditions) {
    for (int run = 1; run <= design.runs; ++run) {
      files.push_back(read_one(config, directory + "/" + response_file(condition.name, run, design.runs),
                               answers, queries, problems));
    }
  }
  return files;
}

}  // namespace assay::experiment
