#include "evaluations/score.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"

namespace assay {

std::string joined_ids(std::initializer_list<std::string_view> ids) {
  std::string joined;
  for (const std::string_view* id = ids.begin(); id != ids.end(); ++id) {
    if (id != ids.begin()) joined += '/';
    for (const char c : *id) {
      if (c == '/') {
        joined += "%2F";
      } else if (c == '%') {
        joined += "%25";
      } else {
        joined += c;
      }
    }
  }
  return joined;
}

Result<MeanFigure> find_mean_figure(std::string_view name, const std::vector<MeanFigure>& figures) {
  const auto found = std::ranges::find(figures, name, &MeanFigure::name);
  if (found != figures.end()) return *found;
  for (MeanFigure of_part : figures) {
    if (of_part.part.empty() || !name.starts_with(of_part.name + ".")) continue;
    of_part.name = name;
    return of_part;
  }
  std::vector<std::string> names;
  names.reserve(figures.size());
  for (const MeanFigure& figure : figures) names.push_back(figure.name);
  const auto guess = nearest(name, names);
  return fail(ErrorKind::config,
              guess
                  ? fmt::format("no figure {} is a mean over cases; did you mean {}?", name, *guess)
                  : fmt::format("no figure {} is a mean over cases; there are {}", name, join(names, ", ")));
}

}  // namespace assay
