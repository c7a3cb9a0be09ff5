// An answer against the baseline's, blind: the judge sees A and B, and with `swap` both orders.
#include <utility>

#include <boost/json/object.hpp>

#include "core/text.h"
#include "evaluations/custom/asked/judgement.h"
#include "evaluations/custom/asked/kinds.h"
#include "evaluations/fill.h"

namespace assay::custom {
namespace {

enum class Seat { first, second };  // of the variant; the baseline has the other

class PairwiseMetric final : public AskedMetric {
 public:
  PairwiseMetric(std::string question, bool swap, std::vector<std::string> shown, JudgeStep step)
      : question_(std::move(question)), swap_(swap), shown_(std::move(shown)), step_(std::move(step)) {}

  Task<Mark> mark(const CaseAnswer& answer, std::string step, CaseContext& context) const override {
    if (answer.baseline == nullptr) co_return not_applicable_mark("the baseline has no answer");
    if (answer.reply.output == answer.baseline->output) co_return same_words();
    std::vector<Task<Result<Judgement>>> seats;
    if (swap_) {
      seats.push_back(judge(answer, Seat::first, step + "/first", context));
      seats.push_back(judge(answer, Seat::second, step + "/second", context));
    } else {
      const Seat seat = (context.random(step).bits32() & 1U) == 0 ? Seat::first : Seat::second;
      seats.push_back(judge(answer, seat, step, context));
    }
    std::vector<Result<Judgement>> said = co_await all(std::move(seats));
    Mark mark;
    std::vector<std::string> reasons;
    for (const Result<Judgement>& one : said) {
      if (!one) co_return failed_mark(one.error());
      mark.score += one->score / static_cast<double>(said.size());
      reasons.push_back(one->reason);
      if (swap_) mark.votes.push_back(one->score);
    }
    mark.state = Mark::State::given;
    mark.reason = join(reasons, " | with the seats changed: ");
    co_return mark;
  }
  void estimate(const CaseAnswer& answer, CallEstimate& estimate) const override {
    if (answer.baseline != nullptr && answer.reply.output == answer.baseline->output) return;
    // One that is not known yet is as long as the other.
    const CaseAnswer pair{answer.fields,  answer.reply,
                          answer.case_id, answer.variant,
                          answer.repeat,  answer.baseline != nullptr ? answer.baseline : &answer.reply};
    count_judgement(step_.request(values(pair, Seat::first)), swap_ ? 2 : 1, estimate);
  }
  std::vector<std::string> models() const override { return {step_.judge().model}; }
  std::vector<std::string> placeholders() const override { return placeholders_in(question_); }
  std::vector<std::string> required() const override { return placeholders(); }

 private:
  // Nobody need be asked which of two equal answers is better.
  static Mark same_words() {
    Mark mark;
    mark.state = Mark::State::given;
    mark.score = 0.5;
    mark.reason = "both answers are the same";
    return mark;
  }

  Prompt::Values values(const CaseAnswer& answer, Seat seat) const {
    const bool first = seat == Seat::first;
    const Json& a = first ? answer.reply.output : answer.baseline->output;
    const Json& b = first ? answer.baseline->output : answer.reply.output;
    return {{"question", block("question", fill_fields(question_, answer.fields))},
            {"material", material(answer, shown_)},
            {"output_a", block("output_a", text_or_json(a))},
            {"output_b", block("output_b", text_or_json(b))}};
  }

  Task<Result<Judgement>> judge(const CaseAnswer& answer, Seat seat, std::string step,
                                CaseContext& context) const {
    auto said = co_await step_.ask(context, std::move(step), values(answer, seat));
    if (!said) co_return fail(std::move(said.error()));
    const std::string better = text_at(*said, "better");
    const std::string own = seat == Seat::first ? "A" : "B";
    co_return Judgement{better == "tie" ? 0.5 : better == own ? 1.0 : 0.0, text_at(*said, "reason")};
  }

  std::string question_;
  bool swap_;
  std::vector<std::string> shown_;
  JudgeStep step_;
};

}  // namespace

std::unique_ptr<AskedMetric> make_pairwise(MetricParts parts) {
  JudgedSettings settings = read_judged(parts);
  parts.shape.value = MetricShape::Value::pair;
  parts.shape.votes = 1;
  // The output is shown as A or B, never as what it is.
  std::erase(settings.shown, "output");
  const Config own(parts.entry.find("pairwise")->get_object());
  if (trim(own.text("rubric")).empty())
    parts.wrong("pairwise.rubric", "expected the question that decides which answer is better");
  JudgeStep step(parts.prompts, "custom/pairwise", {"question", "material", "output_a", "output_b"},
                 settings.judge, parts.problems);
  return std::make_unique<PairwiseMetric>(own.text("rubric"), own.boolean("swap"), std::move(settings.shown),
                                          std::move(step));
}

}  // namespace assay::custom
