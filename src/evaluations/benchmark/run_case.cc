#include "evaluations/benchmark/run_case.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/saturating.h"
#include "engine/effects/promptql.h"
#include "evaluations/benchmark/resume.h"
#include "evaluations/benchmark/run_outcome.h"
#include "evaluations/benchmark/scoring/answer.h"
#include "evaluations/benchmark/standing.h"
#include "evaluations/benchmark/tool_loop.h"
#include "tools/kinds/kinds.h"
#include "tools/tool_session.h"

namespace assay::benchmark {
namespace {

// A count or an amount, whatever a person has written there.
double number_at(const Json& object, std::string_view key) {
  constexpr double kMost = 9e15;
  const Json* value = find_member(object, key);
  return std::clamp(value != nullptr ? as_number(*value).value_or(0) : 0, 0.0, kMost);
}

// What the run had cost when its file was read, to which this sitting's spending is added.
class Ledger {
 public:
  explicit Ledger(const RunFile& file) : usage_(file.usage), seconds_(file.seconds.value_or(0)) {}

  void enter(const CaseSpending& spent, RunFile& file) const {
    const auto sum = [&](std::string_view key, std::int64_t more) {
      constexpr double kMost = 9e18;  // a file may say anything
      return saturating_add(static_cast<std::int64_t>(std::clamp(number_at(usage_, key), 0.0, kMost)), more);
    };
    // To the millisecond: people read the file.
    file.seconds = std::round((seconds_ + spent.seconds) * 1e3) / 1e3;
    JsonObject usage{{"requests", sum("requests", spent.requests)}};
    // The service does not tell what its models took.
    if (file.form == RunForm::promptql) {
      file.usage = std::move(usage);
      return;
    }
    usage["prompt_tokens"] = sum("prompt_tokens", spent.prompt_tokens);
    usage["completion_tokens"] = sum("completion_tokens", spent.completion_tokens);
    const Json* before = find_member(usage_, "cost_usd");
    const bool known = spent.cost_usd && (before == nullptr || before->is_number());
    usage["cost_usd"] = known ? Json(number_at(usage_, "cost_usd") + *spent.cost_usd) : Json(nullptr);
    file.usage = std::move(usage);
  }

 private:
  Json usage_;
  double seconds_;
};

Answer answer_of(const RunFile& file, const std::string& artifact) {
  if (file.form == RunForm::promptql) return artifact_answer(file.output, artifact);
  std::vector<std::string> said;
  for (const Entry& entry : file.conversation) {
    if (entry.kind == Entry::Kind::assistant_message) said.push_back(entry.text);
  }
  // What the model said before it was cut off is not what it was about to answer.
  if (file.cut_off && said.size() > 1) said.erase(said.begin(), said.end() - 1);
  return extract_answer(said);
}

std::string confirmation(const std::string& artifact) {
  return fmt::format("Yes, go ahead: carry out your plan now and store the result as the artifact '{}'.",
                     artifact);
}

// Whom a failure is charged to. The model under test is the system here, not a judge.
OutcomeKind charged_to(ErrorKind kind) {
  if (kind == ErrorKind::refused || kind == ErrorKind::context_overflow) return outcome_of(kind);
  return kind == ErrorKind::target ? OutcomeKind::target_failed : OutcomeKind::infra_failed;
}

class RunningCase {
 public:
  RunningCase(const BenchmarkPlan& plan, const RubricJudge* judge, PlannedRun run, RunState state,
              CaseContext& context)
      : plan_(plan), judge_(judge), run_(std::move(run)), state_(std::move(state)), context_(context) {}

  Task<Outcome> evaluate() {
    Standing standing = standing_of(plan_, run_, state_);
    if (!standing.unreadable.empty()) co_return unreadable(standing.unreadable);
    const std::string aside = replaced_file(run_, state_);
    change_ = change_words(plan_, run_, standing, aside);
    if (!state_.taken) written_ = state_.text.value_or("");
    file_ = std::move(standing.file);
    const Resume& next = standing.next;
    if (next.action == Resume::Action::again && !next.changed.empty()) {
      if (auto kept = co_await context_.keep_file(aside, written_); !kept)
        co_return failed_outcome(kept.error());
      file_.usage = nullptr;
      file_.seconds.reset();
    }
    const Ledger ledger(file_);
    Status ended = standing.unfinished.empty() ? Status() : fail(ErrorKind::target, standing.unfinished);
    if (next.action != Resume::Action::skip) {
      begin(next);
      const Keep keep = [&](RunFile& file) {
        ledger.enter(context_.spending(), file);
        return write(file);
      };
      ended = run_.system == System::promptql ? co_await ask_promptql(next, keep) : co_await talk(keep);
      if (!ended && (winds_down(ended.error().kind) || ended.error().kind == ErrorKind::io))
        co_return failed_outcome(ended.error());
    }
    std::optional<Error> judge_error = co_await settle(ended.has_value(), next.action);
    if (judge_error && winds_down(judge_error->kind)) co_return failed_outcome(*judge_error);
    if (auto written = co_await write(file_); !written) co_return failed_outcome(written.error());
    co_return outcome(ended, judge_error, next);
  }

 private:
  static Outcome unreadable(const std::string& why) {
    return {OutcomeKind::infra_failed,
            {},
            why + "; the file is left as it is: mend it, or delete it to run this again"};
  }

  // What an earlier sitting made of it is made anew.
  void begin(const Resume& state) {
    if (state.action == Resume::Action::go_on) {
      file_.conversation = state.conversation;
      file_.error.reset();
    } else {
      RunFile fresh;
      fresh.form = file_.form;
      // A failed query was paid for all the same.
      fresh.usage = std::move(file_.usage);
      fresh.seconds = file_.seconds;
      fresh.other = std::move(file_.other);
      fresh.asked = plan_.present(run_).asked;
      file_ = std::move(fresh);
    }
    file_.answer.reset();
    file_.answer_error.clear();
    file_.answer_notes.clear();
    file_.score.reset();
    file_.score_details.clear();
    file_.refused = false;
    file_.cut_off.reset();
  }

  // For readers of the journal and of messages, steps of one sitting share a beginning.
  std::string steps() const { return fmt::format("sitting{}/", state_.sitting); }

  Task<Status> talk(const Keep& keep) {
    const BenchmarkTask& task = plan_.tasks[run_.task];
    ToolLoop loop;
    loop.model = plan_.models[run_.model].name;
    loop.sampling = plan_.sampling;
    // So that repeats are draws of their own where a model takes a seed.
    if (run_.run > 1) loop.sampling.seed = run_.run;
    loop.system_prompt = plan_.system_prompt_of(run_);
    loop.prompt = plan_.prompt_of(run_);
    loop.expected_tool_calls = task.task.expected_tool_calls;
    loop.tools = plan_.tools_of(task, run_.system);
    loop.max_turns = plan_.max_turns;
    loop.max_nudges = plan_.max_nudges;
    loop.token_limit = plan_.present(run_).max_tokens;
    loop.steps = steps();
    loop.unoffered = &unoffered_;
    loop.session = std::make_shared<ToolSession>();
    Status ended = co_await converse(loop, context_, file_, keep);
    co_await loop.session->close();
    co_return ended;
  }

  // A service that only proposes a plan is told, once, to carry it out.
  Task<Status> ask_promptql(const Resume& next, const Keep& keep) {
    const std::string& artifact = plan_.tasks[run_.task].task.expected_promptql_artifact;
    const PromptqlQuery query =
        promptql_query(plan_.promptql, plan_.models[run_.model].spec, plan_.prompt_of(run_));
    if (next.action != Resume::Action::go_on) {
      if (auto asked = co_await query_once("query", query, keep); !asked) co_return asked;
      if (!only_proposes(file_.output, artifact)) co_return Status();
    }
    file_.proposed = next.action == Resume::Action::go_on ? next.proposal : file_.output;
    file_.output = nullptr;
    ++file_.nudges;
    co_return co_await query_once("confirm", confirming_query(query, file_.proposed, confirmation(artifact)),
                                  keep);
  }

  Task<Status> query_once(std::string name, PromptqlQuery query, const Keep& keep) {
    std::string step = step_name(steps() + name, JsonObject{{"query", to_json(query)}, {"run", run_.run}});
    auto reply = co_await query_promptql(context_, std::move(step), std::move(query));
    if (reply) {
      file_.output = std::move(*reply);
      co_return co_await keep(file_);
    }
    if (!winds_down(reply.error().kind)) {
      file_.error = reply.error().text();
      if (auto kept = co_await keep(file_); !kept) co_return kept;
    }
    co_return fail(std::move(reply.error()));
  }

  // The answer and its score. What a person wrote into a finished file stands.
  Task<std::optional<Error>> settle(bool came_to_its_end, Resume::Action action) {
    const auto scorer = plan_.tasks[run_.task].task.scorer_for(variation());
    failed_ = !came_to_its_end || file_.refused;
    file_.score.reset();
    file_.scorer.clear();
    file_.score_details.clear();
    if (!failed_ && !(action == Resume::Action::skip && file_.answer)) {
      Answer answer = answer_of(file_, plan_.tasks[run_.task].task.expected_promptql_artifact);
      answer_state_ = answer.state;
      file_.answer.reset();
      if (answer.state == AnswerState::found) file_.answer = std::move(answer.value);
      file_.answer_error = std::move(answer.error);
      file_.answer_notes = std::move(answer.notes);
    }
    if (file_.answer) {
      file_.answer_error.clear();
      // The answer was complete before the tokens were used up.
      if (file_.cut_off) file_.answer_notes.push_back(cut_off_words() + ", behind the answer");
      file_.cut_off.reset();
    }
    if (file_.cut_off) failed_ = true;
    if (!scorer) co_return std::nullopt;
    file_.scorer = to_string(scorer->name);
    if (failed_ || !file_.answer) {
      file_.score = 0;
      co_return std::nullopt;
    }
    auto score = co_await score_answer(context_, judge_,
                                       {.scorer = *scorer,
                                        .prompt = plan_.prompt_of(run_),
                                        .variation = variation(),
                                        .answer = *file_.answer,
                                        .program_steps = steps(),
                                        .verdicts = state_.verdicts});
    if (!score) co_return std::move(score.error());
    if (!*score) co_return std::nullopt;
    file_.score = (*score)->value;
    file_.score_details = std::move((*score)->details);
    notes_ = std::move((*score)->notes);
    judged_ = std::move((*score)->judged);
    co_return std::nullopt;
  }

  // "the last message was cut off at the limit of 4096 tokens"
  std::string cut_off_words() const {
    const auto& limit = file_.cut_off->max_tokens;
    return fmt::format(
        "the model's last message was cut off at {}",
        limit ? fmt::format("the limit of {} tokens", *limit) : std::string("its own limit of tokens"));
  }

  std::string limit_words(Resume::Action action) const {
    return cut_off_words() + (action == Resume::Action::skip
                                  ? ", which has not been raised since, so it was not asked again; raise "
                                    "max_tokens and run again"
                                  : "; raise max_tokens and run again: it is asked anew from there");
  }

  Outcome outcome(const Status& ended, const std::optional<Error>& judge_error, const Resume& next) const {
    Outcome outcome;
    if (!ended) {
      outcome.kind = charged_to(ended.error().kind);
      outcome.error = ended.error().text();
    } else if (judge_error) {
      outcome.kind = OutcomeKind::judge_failed;
      outcome.error = judge_error->text();
    } else if (file_.refused) {
      outcome.kind = OutcomeKind::refused;
      outcome.error = "the model declined";
    } else if (file_.cut_off) {
      outcome.kind = OutcomeKind::limit_hit;
      outcome.error = limit_words(next.action);
    }
    RunOutcome run;
    run.score = file_.score;
    run.scorer = file_.scorer;
    run.failed = failed_;
    run.changed = next.changed;
    if (!failed_) run.answer_state = to_string(file_.answer ? AnswerState::found : answer_state_);
    run.answer = file_.answer;
    run.answer_error = file_.answer_error;
    run.details = file_.score_details;
    run.notes = file_.answer_notes;
    run.notes.insert(run.notes.end(), notes_.begin(), notes_.end());
    if (file_.form == RunForm::conversation) {
      run.tool_calls = std::ranges::count(file_.conversation, Entry::Kind::tool_call, &Entry::kind);
      run.turns = rounds(file_.conversation);
      run.nudges = file_.nudges;
    }
    run.usage = file_.usage;
    run.seconds = file_.seconds;
    run.done = next.action == Resume::Action::skip    ? "skipped"
               : next.action == Resume::Action::go_on ? "went_on"
                                                      : "ran";
    run.sitting = state_.sitting;
    run.judged = judged_;
    run.warnings = refused_programs();
    if (!change_.empty()) run.warnings.push_back(change_);
    for (const std::string& name : unoffered_) {
      run.warnings.push_back(
          fmt::format("expected_tool_calls names {}, but no tool of that name was offered", name));
    }
    outcome.result = to_json(run);
    return outcome;
  }

  // That no sandbox can be made is this machine's fault, and the score suffers from it: worth a warning.
  std::vector<std::string> refused_programs() const {
    if (run_.system != System::tool_calling_python) return {};
    for (const auto& tool : plan_.tools_of(plan_.tasks[run_.task], run_.system)) {
      if (tool->kind != &kPythonKind) continue;
      for (const Entry& entry : file_.conversation) {
        if (entry.kind != Entry::Kind::tool_call || entry.call.name != tool->name || !entry.call.result)
          continue;
        const std::string why = is_tool_error(*entry.call.result) ? text_at(*entry.call.result, "error") : "";
        if (why.contains("sandbox") || why.contains("cannot be run"))
          return {fmt::format("{} could not be used: {}", entry.call.name, why)};
      }
    }
    return {};
  }

  // Only what has changed, so that a look at finished files leaves them untouched.
  Task<Status> write(const RunFile& file) {
    std::string text = to_yaml(file);
    if (text == written_) co_return Status();
    auto kept = co_await context_.keep_file(run_.id + ".yaml", text);
    if (kept) written_ = std::move(text);
    co_return kept;
  }

  const Variation& variation() const { return plan_.tasks[run_.task].task.variations[run_.variation]; }

  const BenchmarkPlan& plan_;
  const RubricJudge* judge_;
  PlannedRun run_;
  RunState state_;
  CaseContext& context_;
  RunFile file_;
  std::string written_;
  std::string change_;  // of what is asked, in words
  bool failed_ = false;
  AnswerState answer_state_ = AnswerState::missing;
  std::vector<std::string> notes_;
  std::string judged_;
  std::vector<std::string> unoffered_;
};

}  // namespace

Task<Outcome> run_case(const BenchmarkPlan& plan, const RubricJudge* judge, PlannedRun run, RunState state,
                       CaseContext& context) {
  RunningCase running(plan, judge, std::move(run), std::move(state), context);
  co_return co_await running.evaluate();
}

}  // namespace assay::benchmark
