#include "runs/baseline.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/file.h"
#include "core/json/jsonl.h"
#include "core/text.h"
#include "core/time.h"
#include "core/yaml.h"
#include "runs/finished.h"
#include "runs/seal.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".jsonl";
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestHead = std::size_t{64} << 20;

Error damaged(const std::string& file, std::string words) {
  return Error{ErrorKind::data, std::move(words), {{"file", file}}};
}

// A case as a line of results.jsonl has it, cut down to what is compared.
JsonObject line_of(const RunScores& run, const ScoredCase& one) {
  JsonObject scores;
  for (std::size_t i = 0; i < one.scores.size(); ++i) {
    if (one.scores[i]) scores.emplace(run.figures[i], *one.scores[i]);
  }
  JsonObject line{{"id", one.id}, {"outcome", one.outcome}};
  if (!one.cluster.empty()) line.emplace("cluster", one.cluster);
  if (!scores.empty()) line.emplace("scores", std::move(scores));
  if (one.passed) line.emplace("passed", *one.passed);
  if (!one.error.empty()) line.emplace("error", one.error);
  if (!one.text.empty()) line.emplace("question", one.text);
  return line;
}

JsonObject head_line(const BaselineHead& head) {
  JsonObject line{{"baseline", head.name},
                  {"run_id", head.run_id},
                  {"directory", head.directory},
                  {"set", head.set},
                  {"cases", head.cases}};
  if (!head.seal.empty()) line.emplace("seal", head.seal);
  line.emplace("summary", to_json(head.summary));
  line.emplace("config", head.config);
  return line;
}

Result<BaselineHead> parse_head(std::string_view text, const std::string& file) {
  auto tree = parse_json(text);
  if (!tree || !tree->is_object() || find_member(*tree, "baseline") == nullptr)
    return fail(damaged(file, "this is no baseline: its first line has no key `baseline`"));
  BaselineHead head;
  head.name = text_at(*tree, "baseline");
  head.run_id = text_at(*tree, "run_id");
  head.directory = text_at(*tree, "directory");
  head.set = text_at(*tree, "set");
  head.seal = text_at(*tree, "seal");
  const Json* cases = find_member(*tree, "cases");
  head.cases = cases != nullptr ? as_integer(*cases).value_or(-1) : -1;
  const Json* summary = find_member(*tree, "summary");
  auto read = summary_from_json(summary != nullptr ? *summary : Json(nullptr));
  if (!read) return fail(std::move(read.error()).with("file", file));
  head.summary = std::move(*read);
  if (const Json* config = find_member(*tree, "config"); config != nullptr && config->is_object())
    head.config = config->get_object();
  return head;
}

// The first line, with the reader behind it.
Result<BaselineHead> next_head(LineReader& reader, const std::string& file) {
  auto line = reader.next();
  if (!line) return fail(std::move(line.error()).with("file", file));
  if (!*line) return fail(damaged(file, "this is no baseline: the file is empty"));
  return parse_head((*line)->text, file);
}

Result<BaselineHead> head_of(const std::string& file) {
  auto reader = LineReader::open(file, kLongestHead);
  if (!reader) return fail(std::move(reader.error()));
  return next_head(*reader, file);
}

Result<JsonObject> config_of(const std::string& run) {
  const std::string file = run + "/config.yaml";
  auto text = read_file(file);
  if (!text) return fail(std::move(text.error()));
  auto yaml = parse_yaml(*text);
  if (!yaml) return fail(std::move(yaml.error()).with("file", file));
  return yaml->value.is_object() ? std::move(yaml->value.get_object()) : JsonObject();
}

Status write_baseline(const std::string& file, const BaselineHead& head, const RunScores& scores) {
  auto out = AtomicFile::create(file);
  if (!out) return fail(std::move(out.error()));
  out->write(to_text(head_line(head)) + "\n");
  for (const ScoredCase& one : scores.cases) out->write(to_text(line_of(scores, one)) + "\n");
  return out->commit();
}

Status check_there(const std::string& directory, std::string_view name) {
  if (auto good = check_baseline_name(name); !good) return good;
  if (file_exists(baseline_file(directory, name))) return {};
  const std::vector<std::string> names = baseline_names(directory);
  std::string words = fmt::format("there is no baseline {} in {}", name, directory);
  if (names.empty()) {
    words += fmt::format("; make one of a finished run: assay baseline set {} DIR", name);
  } else if (const auto guess = nearest(name, names)) {
    words += fmt::format("; did you mean {}?", *guess);
  } else {
    words += fmt::format("; known are {}", fmt::join(names, ", "));
  }
  return fail(ErrorKind::usage, std::move(words));
}

}  // namespace

Status check_baseline_name(std::string_view name) {
  const bool good = !name.empty() && name.size() <= kLongestName && name.front() != '.' &&
                    name.front() != '-' && std::ranges::all_of(name, [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                             c == '.' || c == '_' || c == '-';
                    });
  if (good) return {};
  return fail(
      ErrorKind::usage,
      fmt::format("found {} as the name of a baseline, expected letters, digits, `.`, `_` and `-`, at "
                  "most {} of them and neither `.` nor `-` first",
                  excerpt(Json(boost::json::string(repair_utf8(name)))), kLongestName));
}

std::string baseline_file(const std::string& directory, std::string_view name) {
  return fmt::format("{}/{}{}", directory, name, kEnding);
}

Result<BaselineHead> set_baseline(const std::string& directory, const std::string& name,
                                  const std::string& run) {
  if (auto good = check_baseline_name(name); !good) return fail(std::move(good.error()));
  const std::string file = baseline_file(directory, name);
  // A file that somebody else has made is not written over.
  if (file_exists(file)) {
    if (auto there = head_of(file); !there) return fail(std::move(there.error()).with("baseline", name));
  }
  auto scores = read_run_scores(run);
  if (!scores) return fail(std::move(scores.error()));
  auto config = config_of(run);
  if (!config) return fail(std::move(config.error()));
  auto seal = check_seal(run);
  if (!seal) return fail(std::move(seal.error()));
  if (!seal->defects.empty()) {
    return fail(Error{ErrorKind::data,
                      fmt::format("{}: a baseline must be what the run was; look with: assay verify {}",
                                  seal->defects.front().words(), run),
                      {{"directory", run}}});
  }
  BaselineHead head{.name = name,
                    .run_id = scores->summary.run_id,
                    .directory = run,
                    .set = iso_time(std::chrono::system_clock::now()),
                    .seal = seal->seal,
                    .cases = static_cast<std::int64_t>(scores->cases.size()),
                    .summary = scores->summary,
                    .config = std::move(*config)};
  // Of the tables only what says how answers were scored is compared with.
  std::erase_if(head.summary.tables, [](const Table& table) { return table.name != "scorers"; });
  if (auto made = make_directories(directory); !made) return fail(std::move(made.error()));
  if (auto written = write_baseline(file, head, *scores); !written) return fail(std::move(written.error()));
  return head;
}

Result<BaselineHead> read_baseline(const std::string& directory, std::string_view name) {
  if (auto there = check_there(directory, name); !there) return fail(std::move(there.error()));
  return head_of(baseline_file(directory, name));
}

Status remove_baseline(const std::string& directory, std::string_view name) {
  if (auto there = read_baseline(directory, name); !there) return fail(std::move(there.error()));
  const std::string file = baseline_file(directory, name);
  std::error_code error;
  if (!fs::remove(file, error)) return fail(file_error(file, "remove", error ? error.value() : ENOENT));
  return {};
}

std::vector<std::string> baseline_names(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = fs::directory_iterator(directory, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.ends_with(kEnding)) continue;
    std::string stem = name.substr(0, name.size() - kEnding.size());
    if (check_baseline_name(stem)) names.push_back(std::move(stem));
  }
  std::ranges::sort(names);
  return names;
}

Baselines list_baselines(const std::string& directory) {
  Baselines list;
  for (const std::string& name : baseline_names(directory)) {
    auto head = head_of(baseline_file(directory, name));
    if (head) {
      head->name = name;
      list.found.push_back(std::move(*head));
    } else {
      list.damaged.push_back(std::move(head.error()));
    }
  }
  return list;
}

Result<RunScores> read_baseline_scores(const std::string& directory, std::string_view name) {
  if (auto there = check_there(directory, name); !there) return fail(std::move(there.error()));
  const std::string file = baseline_file(directory, name);
  auto reader = LineReader::open(file);
  if (!reader) return fail(std::move(reader.error()));
  auto head = next_head(*reader, file);
  if (!head) return fail(std::move(head.error()));
  RunScores run;
  run.directory = fmt::format("{}{}", kBaselineMark, name);
  run.summary = std::move(head->summary);
  take_config(std::move(head->config), run);
  if (auto read = read_case_scores(*reader, file, run); !read) return fail(std::move(read.error()));
  if (const auto found = static_cast<std::int64_t>(run.cases.size()); found != head->cases) {
    return fail(damaged(file, fmt::format("found {} cases, expected {}: the file was cut or joined; set the "
                                          "baseline again, or take the file from where it is kept",
                                          found, head->cases)));
  }
  return run;
}

Result<RunScores> read_base(const std::string& word, const std::string& baselines) {
  if (!word.starts_with(kBaselineMark)) return read_run_scores(word);
  return read_baseline_scores(baselines, std::string_view(word).substr(kBaselineMark.size()));
}

Json to_json(const BaselineHead& head) {
  const Summary& summary = head.summary;
  JsonObject metrics;
  for (const Metric& metric : summary.metrics) metrics[metric.name] = to_json(metric.estimate);
  return JsonObject{{"name", head.name},
                    {"evaluation", summary.evaluation},
                    {"what", summary.what},
                    {"run_id", head.run_id},
                    {"directory", head.directory},
                    {"finished", summary.finished},
                    {"set", head.set},
                    {"seal", head.seal.empty() ? Json(nullptr) : Json(head.seal)},
                    {"cases", head.cases},
                    {"metrics", std::move(metrics)}};
}

}  // namespace assay
