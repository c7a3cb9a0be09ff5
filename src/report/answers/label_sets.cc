#include "stats/agreement/label_sets.h"

#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/text.h"
#include "report/answers/columns.h"
#include "report/answers/mode.h"
#include "report/answers/rating_columns.h"
#include "report/answers/words.h"
#include "report/figure_json.h"

namespace assay::answers {
namespace {

// A list in JSON, or labels with a separator between them. Nothing if a list holds something else than
// labels.
std::optional<LabelSet> labels_of(const std::string& cell, char separator) {
  LabelSet labels;
  if (!cell.starts_with('[')) {
    for (const std::string_view part : split(cell, separator)) {
      if (const auto label = trim(part); !label.empty()) labels.emplace(label);
    }
    return labels;
  }
  const auto list = parse_json(cell);
  if (!list || !list->is_array()) return std::nullopt;
  for (const Json& item : list->get_array()) {
    const auto label = as_text(item);
    if (!label && !item.is_number()) return std::nullopt;
    labels.insert(label ? std::string(*label) : to_text(item));
  }
  return labels;
}

Result<Answer> compare_label_sets(const DataTable& table, const Config& config) {
  const auto raters = at_least_two_raters(config);
  if (!raters) return fail(raters.error());
  const std::string separator = config.text("separator");
  if (separator.size() != 1)
    return fail(ErrorKind::usage, "--separator is the one character between two labels of a cell");

  Columns columns(table);
  std::vector<std::vector<std::optional<LabelSet>>> units(columns.rows());
  for (const std::string& rater : *raters) {
    const auto cells = columns.texts(rater);
    for (std::size_t row = 0; row < cells.size(); ++row) {
      auto& set = units[row].emplace_back();
      if (!cells[row] || trim(*cells[row]).empty()) continue;
      set = labels_of(*cells[row], separator.front());
      if (!set) columns.wrong(row, rater, *cells[row], "a list of labels");
    }
  }
  if (auto good = columns.status(); !good) return fail(std::move(good.error()));

  JsonObject json{{"units", units.size()}, {"raters", raters->size()}};
  std::vector<Row> rows{{"figure", "value", "95% interval", "units", ""}};
  for (const auto& [name, distance] :
       {std::pair("alpha_masi", SetDistance::masi), std::pair("alpha_jaccard", SetDistance::jaccard)}) {
    const Estimate alpha = label_set_alpha(units, distance);
    json[name] = figure_json(alpha);
    rows.push_back(figure_row(name, alpha));
  }
  return Answer{std::move(json), text_table(rows)};
}

}  // namespace

Mode label_sets_mode() {
  return {
      .name = "label-sets",
      .title = "do raters agree who give several labels at once (Krippendorff's alpha on sets)",
      .needed = "--raters COLUMN,COLUMN",
      .asked_by = {},
      .keys =
          {
              {.name = "raters",
               .type = KeyType::text_list,
               .help = "Columns of the raters' labels, one unit a row: first,second,… A cell is a list in "
                       "JSON, or labels with the separator between them; [] says that no label fits, an "
                       "empty cell that nothing was said.",
               .required = true},
              {.name = "separator",
               .help = "The character between two labels of a cell.",
               .default_value = ";"},
          },
      .answer = compare_label_sets};
}

}  // namespace assay::answers
