// How near the output is to what was expected, by the vectors of an embedding model.
#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>

#include "engine/effects/embedding.h"
#include "evaluations/custom/asked/kinds.h"
#include "evaluations/fill.h"
#include "models/tokens.h"
#include "stats/cosine.h"

namespace assay::custom {
namespace {

class SimilarMetric final : public AskedMetric {
 public:
  SimilarMetric(std::string model, Json expected)
      : model_(std::move(model)), expected_(std::move(expected)) {}

  Task<Mark> mark(const CaseAnswer& answer, std::string step, CaseContext& context) const override {
    std::vector<std::string> texts = expected_texts(answer);
    if (texts.empty()) co_return not_applicable_mark("the case has nothing to compare with");
    texts.push_back(text_or_json(answer.reply.output));
    const auto vectors = co_await embed(context, std::move(step), model_, texts);
    if (!vectors) co_return failed_mark(vectors.error());
    Mark mark;
    mark.state = Mark::State::given;
    for (std::size_t i = 0; i + 1 < vectors->size(); ++i) {
      // What points the other way is no nearer than what has nothing to do with it.
      const double near = std::clamp(cosine_similarity((*vectors)[i], vectors->back()), 0.0, 1.0);
      if (i > 0 && near <= mark.score) continue;
      mark.score = near;
      mark.reason = "nearest to: " + texts[i];
    }
    co_return mark;
  }
  void estimate(const CaseAnswer& answer, CallEstimate& estimate) const override {
    auto& model = estimate.models[model_];
    ++model.calls;
    model.prompt_tokens += estimate_tokens(text_or_json(answer.reply.output));
    for (const std::string& text : expected_texts(answer)) model.prompt_tokens += estimate_tokens(text);
  }
  std::vector<std::string> models() const override { return {model_}; }
  std::vector<std::string> embedding_models() const override { return {model_}; }
  std::vector<std::string> placeholders() const override { return placeholders_in(expected_); }

 private:
  // Of those whose fields the case has.
  std::vector<std::string> expected_texts(const CaseAnswer& answer) const {
    const JsonObject values = metric_values(answer);
    std::vector<std::string> texts;
    const auto add = [&](const Json& pattern) {
      for (const std::string& name : placeholders_in(pattern)) {
        const Json* value = values.if_contains(name);
        if (value == nullptr || value->is_null()) return;
      }
      const Json filled = fill_tree(pattern, values);
      if (const JsonArray* list = filled.if_array()) {
        for (const Json& one : *list) texts.push_back(text_or_json(one));
      } else if (std::string text = text_or_json(filled); !text.empty()) {
        texts.push_back(std::move(text));
      }
    };
    if (const JsonArray* list = expected_.if_array()) {
      for (const Json& one : *list) add(one);
    } else {
      add(expected_);
    }
    return texts;
  }

  std::string model_;
  Json expected_;
};

}  // namespace

std::unique_ptr<AskedMetric> make_similar(MetricParts parts) {
  parts.shape.value = MetricShape::Value::score;
  const std::string model = parts.entry.text("model");
  const Json* expected = parts.entry.find("similar");
  if (!expected->is_string() && !expected->is_array())
    parts.wrong("similar", "found " + excerpt(*expected) + ", expected a text or a list of texts");
  if (model.empty()) {
    parts.wrong("", "has no model for embeddings; give it a `model` such as openai/text-embedding-3-small");
    return nullptr;
  }
  return std::make_unique<SimilarMetric>(model, *expected);
}

}  // namespace assay::custom
