#include "runs/drift/anchor_runs.h"

#include <utility>

#include "core/file.h"
#include "core/json/jsonl.h"
#include "core/yaml.h"
#include "evaluations/judges/anchors.h"
#include "runs/finished.h"
#include "runs/list.h"

namespace assay {

bool has_anchors(const std::string& directory) {
  return file_exists(directory + "/summary.json") && file_exists(directory + "/" + kAnchorsFile);
}

Result<std::optional<AnchorRun>> read_anchor_run(const std::string& directory) {
  if (!has_anchors(directory)) return std::nullopt;
  auto summary = read_summary(directory);
  if (!summary) return fail(std::move(summary.error()));
  if (!summary->anchors) return std::nullopt;
  AnchorRun anchored;
  anchored.run.directory = directory;
  anchored.run.summary = std::move(*summary);
  auto config = read_file(directory + "/config.yaml");
  if (!config) return fail(std::move(config.error()));
  auto yaml = parse_yaml(*config);
  if (!yaml) return fail(std::move(yaml.error()).with("file", directory + "/config.yaml"));
  take_config(yaml->value.is_object() ? std::move(yaml->value.get_object()) : JsonObject(), anchored.run);
  const std::string file = directory + "/" + kAnchorsFile;
  auto reader = LineReader::open(file);
  if (!reader) return fail(std::move(reader.error()));
  for (;;) {
    auto line = reader->next();
    if (!line) return fail(std::move(line.error()).with("file", file));
    if (!*line) break;
    auto tree = parse_json((*line)->text);
    if (!tree)
      return fail(std::move(tree.error()).with("file", file).with("line", std::to_string((*line)->number)));
    const std::string id = text_at(*tree, "id");
    const Json* scores = find_member(*tree, "scores");
    const Json* score =
        scores == nullptr ? nullptr : find_member(*scores, anchored.run.summary.anchors->figure);
    if (const auto value = score == nullptr ? std::nullopt : as_number(*score))
      anchored.scores.emplace(id, *value);
    if (std::string shown = text_at(*tree, kAnchorShown); !shown.empty())
      anchored.shown.emplace(id, std::move(shown));
    const Json* label = find_member(*tree, "label");
    if (const auto value = label == nullptr ? std::nullopt : as_number(*label))
      anchored.labels.emplace(id, *value);
  }
  return anchored;
}

AnchorRuns find_anchor_runs(const std::string& results) {
  AnchorRuns all;
  for (const FoundRun& found : find_runs(results)) {
    auto run = read_anchor_run(found.directory);
    if (!run)
      all.unread.emplace_back(found.directory, std::move(run.error()));
    else if (*run)
      all.runs.push_back(std::move(**run));
  }
  return all;
}

}  // namespace assay
