#include "evaluations/stress/rag.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/text.h"
#include "evaluations/components/rag_contexts.h"

namespace assay::stress {
namespace {

using Against = JudgedFigure::Against;

// A fault is none for a metric that does not ask about it: whether an answer is coherent, or keeps to the
// question, does not hang on its figures.
struct Row {
  std::string_view metric;
  bool sees_answer;
  bool sees_contexts;
  std::array<std::string_view, 3> faults;
  Against against = Against::reference;
  bool lower_is_better = false;
  bool counts_statements = false;
};
constexpr std::array<Row, 8> kRows = {{
    {"coherence", true, false, {}},
    {"relevance", true, false, {}, Against::reference, false, true},
    {"faithfulness", true, true, {"figure", "negation", "invented_source"}, Against::contexts, false, true},
    {"context_relevancy", false, true, {}},
    {"factual_precision",
     true,
     false,
     {"figure", "negation", "invented_source"},
     Against::reference,
     false,
     true},
    {"factual_recall", true, false, {"figure", "negation", "left_out"}},
    {"absence_of_factual_contradictions", true, false, {"figure", "negation"}},
    {"bias", true, false, {}, Against::reference, true},
}};

class RagStressing final : public Stressing {
 public:
  RagStressing(std::vector<std::string> metrics, std::string lacking)
      : metrics_(std::move(metrics)), lacking_(std::move(lacking)) {}

  std::vector<JudgedFigure> figures() const override {
    std::vector<JudgedFigure> figures;
    for (const std::string& metric : metrics_) {
      auto figure = rag_judged_figure(metric);
      if (!figure) continue;
      figure->name = metric + ".mean";
      figures.push_back(std::move(*figure));
    }
    return figures;
  }
  std::string lacking() const override { return lacking_; }

  std::optional<JudgedTexts> texts(const Case& input) const override {
    const CaseTree line(input);
    JudgedTexts texts{.answer = text_at(*line, "llm_answer"), .reference = text_at(*line, "ideal_answer")};
    if (trim(texts.answer).empty()) return std::nullopt;
    const Json* contexts = find_member(*line, "structured_contexts");
    if (contexts != nullptr && !contexts->is_null()) {
      texts.contexts = contexts->is_array() ? contexts->get_array() : JsonArray{*contexts};
      texts.sources = join(components::context_texts(*contexts), "\n");
    }
    return texts;
  }

  WrittenCase written(const Case& input, const std::string& id, const ChangedTexts& texts) const override {
    const CaseTree tree(input);
    JsonObject line = tree->get_object();
    line["id"] = id;
    line["llm_answer"] = texts.answer;
    if (!texts.contexts.empty()) line["structured_contexts"] = texts.contexts;
    return {std::move(line)};
  }

  Status derive(JsonObject& config, const std::vector<std::string>& metrics) const override {
    config["generate"] = false;
    config.erase("target");
    for (const std::string& name : metrics) {
      if (std::ranges::find(metrics_, name) != metrics_.end()) continue;
      const auto guess = nearest(name, metrics_);
      return fail(ErrorKind::usage,
                  guess ? fmt::format("no metric {}; did you mean {}?", name, *guess)
                        : fmt::format("no metric {}; there are {}", name, join(metrics_, ", ")));
    }
    if (metrics.empty()) return {};
    JsonArray kept;
    for (const Json& entry : config["metrics"].get_array()) {
      if (std::ranges::find(metrics, text_at(entry, "name")) != metrics.end()) kept.push_back(entry);
    }
    config["metrics"] = std::move(kept);
    return {};
  }

 private:
  std::vector<std::string> metrics_;
  std::string lacking_;
};

}  // namespace

std::optional<JudgedFigure> rag_judged_figure(std::string_view metric) {
  const auto* row = std::ranges::find(kRows, metric, &Row::metric);
  if (row == kRows.end()) return std::nullopt;
  JudgedFigure figure{.metric = std::string(metric),
                      .lower_is_better = row->lower_is_better,
                      .sees_answer = row->sees_answer,
                      .sees_contexts = row->sees_contexts,
                      .against = row->against,
                      .counts_statements = row->counts_statements};
  for (const std::string_view fault : row->faults) {
    if (!fault.empty()) figure.faults.push_back(fault);
  }
  return figure;
}

std::unique_ptr<Stressing> rag_stressing(std::vector<std::string> metrics, std::string lacking) {
  return std::make_unique<RagStressing>(std::move(metrics), std::move(lacking));
}

}  // namespace assay::stress
