#include "runs/result_lines.h"

#include <utility>

#include "core/json/jsonl.h"

namespace assay {

Status each_result_line(const std::string& directory, const std::function<Status(const Json&)>& tell,
                        std::size_t most) {
  const std::string file = directory + "/results.jsonl";
  auto reader = LineReader::open(file);
  if (!reader) return fail(std::move(reader.error()));
  for (std::size_t told = 0; told < most; ++told) {
    auto line = reader->next();
    if (!line) return fail(std::move(line.error()));
    if (!*line) return {};
    auto tree = parse_json((*line)->text);
    if (!tree)
      return fail(std::move(tree.error()).with("line", std::to_string((*line)->number)).with("file", file));
    if (auto taken = tell(*tree); !taken) return taken;
  }
  return {};
}

}  // namespace assay
