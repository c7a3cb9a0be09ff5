#include "evaluations/score.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"

namespace assay {

Result<MeanFigure> find_mean_figure(std::string_view name, const std::vector<MeanFigure>& figures) {
  const auto found = std::ranges::find(figures, name, &MeanFigure::name);
  if (found != figures.end()) return *found;
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
