#include "runs/labels/judged_parts.h"

#include <algorithm>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "evaluations/score.h"
#include "runs/result_lines.h"

namespace assay::labels {

Result<JudgedParts> read_judged_parts(const JudgedRun& run, const std::string& figure) {
  JudgedParts found;
  std::set<std::string> known;
  const auto note = [&](std::string name) {
    if (known.insert(name).second) found.figures.push_back(std::move(name));
  };
  const auto read = each_result_line(run.directory, [&](const Json& line) {
    const Json* figures = find_member(line, "parts");
    if (figures == nullptr || !figures->is_object()) return Status();
    const std::string id = text_at(line, "id");
    for (const auto& [of_all, parts] : figures->get_object()) {
      note(of_all);
      if (!parts.is_object()) continue;
      for (const auto& [name, score] : parts.get_object()) {
        std::string of_one = fmt::format("{}.{}", std::string_view(of_all), std::string_view(name));
        if (figure == of_all || figure == of_one)
          found.list.push_back({joined_ids({id, name}), {id, name}, as_number(score)});
        note(std::move(of_one));
      }
    }
    return Status();
  });
  if (!read) return fail(read.error());
  return found;
}

Result<std::map<std::string, CaseTexts>> part_texts(const JudgedRun& run,
                                                    const std::vector<JudgedPart>& parts,
                                                    const std::set<std::string>& ids) {
  std::set<CasePart> places;
  for (const JudgedPart& one : parts) {
    if (ids.contains(one.id)) places.insert(one.place);
  }
  const auto found = part_material(run.directory, places);
  if (!found) return fail(found.error());
  std::map<std::string, CaseTexts> texts;
  for (const auto& [place, fields] : *found) {
    Material& material = texts[joined_ids({place.id, place.part})].material;
    for (const auto& [name, value] : fields) {
      if (std::string text = material_text(value); !text.empty())
        material.emplace_back(name, std::move(text));
    }
  }
  return texts;
}

}  // namespace assay::labels
