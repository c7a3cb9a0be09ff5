#include "cli/help/evaluation_guide.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/help/help.h"
#include "core/embedded.h"
#include "core/text.h"
#include "evaluations/evaluation.h"
#include "evaluations/guide.h"

namespace assay {

std::span<const EmbeddedText> embedded_templates();

namespace {

std::string fields_text(const EvaluationGuide& guide, const Terminal& terminal) {
  std::string out = bold("Data", terminal) + fmt::format(" ({})\n", guide.data);
  std::size_t width = 0;
  for (const GuideField& field : guide.fields) width = std::max(width, field.name.size());
  width = std::min<std::size_t>(width, 30);
  for (const GuideField& field : guide.fields) {
    out += fmt::format("  {:<{}}  {}{}{}\n", field.name, width, field.type, field.when.empty() ? "" : ", ",
                       field.when);
    out += fmt::format("  {:<{}}    {}\n", "", width, field.meaning);
  }
  return out;
}

// A family goes on with a name from the data.
std::string figures_text(const EvaluationGuide& guide, const Terminal& terminal) {
  std::string out =
      bold("Figures", terminal) + " (for gates; also NAME.low and NAME.high, cases.…, usage.…)\n ";
  std::size_t column = 1;
  for (const std::string& figure : guide.figures) {
    const std::string name = figure.ends_with('.') ? figure + "…" : figure;
    if (column + name.size() + 1 > static_cast<std::size_t>(text_width(terminal))) {
      out += "\n ";
      column = 1;
    }
    out += " " + name;
    column += name.size() + 1;
  }
  out += "\n";
  if (std::ranges::any_of(guide.figures,
                          [](const std::string& figure) { return figure.starts_with("NAME."); }))
    out +=
        "  NAME and SCORE are metrics of yours, with and without a number: assay help metrics has every "
        "kind.\n";
  return out;
}

// The config first.
std::string smallest_text(std::string_view evaluation, const Terminal& terminal) {
  const std::string folder = fmt::format("smallest/{}/", evaluation);
  const std::string config = fmt::format("{}.yaml", evaluation);
  std::vector<std::pair<std::string_view, std::string_view>> files;
  for (const EmbeddedText& text : embedded_templates()) {
    if (text.name.starts_with(folder)) files.emplace_back(text.name.substr(folder.size()), text.text);
  }
  std::ranges::sort(files, {}, [&](const auto& file) { return std::pair(file.first != config, file.first); });
  std::string out = bold("The smallest config that runs", terminal) + "\n";
  for (const auto& [name, text] : files) {
    out += fmt::format("  {}:\n", name);
    for (const std::string_view line : split(trim(text), '\n')) out += fmt::format("    {}\n", line);
  }
  return out + fmt::format("  assay run {}        (assay init {}: a larger one)\n", config, evaluation);
}

}  // namespace

std::string guide_text(const EvaluationKind& kind, const Terminal& terminal) {
  const EvaluationGuide guide = guide_to(kind.name);
  return fmt::format("{}\n{}\n{}\n", smallest_text(kind.name, terminal), fields_text(guide, terminal),
                     figures_text(guide, terminal));
}

}  // namespace assay
