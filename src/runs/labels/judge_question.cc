#include "runs/labels/judge_question.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "core/config/config.h"
#include "core/text.h"
#include "evaluations/custom/asked/score_levels.h"
#include "evaluations/fill.h"
#include "evaluations/judge_config.h"
#include "evaluations/persona/answer.h"
#include "evaluations/prompts.h"
#include "report/words.h"
#include "runs/labels/judged_run.h"
#include "runs/labels/run_kinds.h"

namespace assay::labels {
namespace {

constexpr std::size_t kLongestQuestion = 400;  // longer ones are rules
constexpr std::ptrdiff_t kMostLines = 4;

// A metric of rag_answers takes several prompts, so that what it counts is said in our words
// (docs/rag_answers.md has the formulas).
struct RagWords {
  std::string_view name;
  std::string_view asks;
  std::string_view rules;
};
constexpr std::array<RagWords, 8> kRagWords = {{
    {"coherence", "How well can a reader follow the answer from its first sentence to its last?",
     "Five levels: 1 (0) if it cannot be followed, 5 (1) if each sentence leads to the next and nothing "
     "stands in the way. Whether it is right, or helps, does not matter."},
    {"relevance", "How much of what the answer says belongs to the question?",
     "The share of the answer's statements that have to do with the question. One that may belong to it "
     "counts as if it did."},
    {"faithfulness", "How much of what the answer claims is backed by the contexts?",
     "The share of the answer's claims that the contexts back. What they contradict does not count, and "
     "unless the config says otherwise (penalize_ambiguous) nor does what they do not mention."},
    {"context_relevancy", "How much of what the question needs do the contexts hold?",
     "The share of the question's needs that a context meets which is about the same matter, person or "
     "place. It is about what was found, not about the answer."},
    {"factual_precision", "How much of what the answer states is also stated by the ideal answer?",
     "The share of the answer's facts that the ideal answer has, too. A fact that it lacks costs, even if it "
     "is true and of use."},
    {"factual_recall", "How much of what the ideal answer states does the answer state too?",
     "The share of the ideal answer's facts that the answer has, too. What it says besides costs nothing."},
    {"absence_of_factual_contradictions",
     "How much of what the answer claims is free of contradiction to the ideal answer?",
     "The share of the answer's claims that the ideal answer does not contradict. What it does not mention "
     "is no contradiction."},
    {"bias", "How many of the opinions in the answer are biased?",
     "The share of the answer's opinions that are biased: 0 is best, and without an opinion it is 0."},
}};

// Without what stands for parts of the case, and the paragraphs that were nothing else.
std::string without_parts(const std::string& text) {
  JsonObject nothing;
  for (const std::string& name : placeholders_in(text)) nothing.emplace(name, "");
  std::string left = fill_fields(text, nothing);
  for (std::size_t at = left.find("\n\n\n"); at != std::string::npos; at = left.find("\n\n\n", at))
    left.erase(at, 1);
  return std::string(trim(left));
}

JudgeQuestion rag_question(std::string_view metric) {
  const auto* found = std::ranges::find(kRagWords, metric, &RagWords::name);
  if (found == kRagWords.end()) return {};
  return {.asked = std::string(found->asks), .rules = std::string(found->rules)};
}

// Reads prompts as the run had them: those whose text has changed since are left out.
class Questions {
 public:
  explicit Questions(const JudgedRun& run) : run_(run), config_(run.scores.config) {
    std::vector<ConfigProblem> problems;
    library_.replace(config_, problems);
    files_ = file_fingerprints(config_, "metrics");
  }

  JudgeQuestion of(const std::string& figure) const {
    JudgeQuestion question = of_score(figure);
    if (question.asked.empty() || !only_passes(figure)) return question;
    question.asked = "Does it pass? " + question.asked;
    question.levels.clear();
    return question;
  }

  // Two answers side by side: the custom evaluation's first metric that compares, or an experiment's judge.
  JudgeQuestion of_pair() const {
    if (run_.evaluation == kExperiment)
      return {.asked = "Which answer is better as a whole?", .rules = rules("experiment/pairwise")};
    for (const Json& entry : metrics_of(run_)) {
      if (find_member(entry, "pairwise") != nullptr) return pairwise(entry);
    }
    return {};
  }

 private:
  // Whether the figure counts which scores pass, and not what they are.
  bool only_passes(const std::string& figure) const {
    if (figure.ends_with(".pass_rate")) return true;
    const Json* metric = run_.evaluation == kCustom ? metric_of(run_, figure) : nullptr;
    if (metric == nullptr || find_member(*metric, "rubric") != nullptr) return false;
    return std::string_view(figure).substr(text_at(*metric, "name").size()).starts_with(".rate");
  }

  JudgeQuestion of_score(const std::string& figure) const {
    if (run_.evaluation == kCustom) return custom(figure);
    if (run_.evaluation == "rag_answers") return rag_question(figure.substr(0, figure.find('.')));
    if (run_.evaluation == kBenchmark) {
      return {.asked =
                  "How much of the criteria does the answer fulfil? One that it fulfils in part counts "
                  "half; the score is the mean over all of them.",
              .rules = rules("benchmark/rubric")};
    }
    if (run_.evaluation == "guidelines") return guidelines(figure);
    if (run_.evaluation == kPersona) return persona(figure);
    if (run_.evaluation == kExperiment)
      return figure.starts_with("win_rate.") ? of_pair() : experiment(figure);
    return {};
  }

  // What the prompt of this name says to the judge before any case.
  std::string rules(const std::string& prompt) const { return parts(prompt).first; }

  std::pair<std::string, std::string> parts(const std::string& prompt) const {
    const auto prints = library_.fingerprints(prompt);
    const auto kept = run_.scores.summary.prompts.find(prompt);
    const auto now = prints.find(prompt);
    if (kept == run_.scores.summary.prompts.end() || now == prints.end() || kept->second != now->second)
      return {};
    std::vector<ConfigProblem> problems;
    return parts_of(library_.prompt(prompt, {}, problems));
  }

  // The system's part and the user's.
  static std::pair<std::string, std::string> parts_of(const Prompt& prompt) {
    std::pair<std::string, std::string> parts;
    for (const Message& message : prompt.render({})) {
      if (message.role == Role::user) {
        parts.second = message.text;
        continue;
      }
      // What stands for a part of the case has a place of its own on the sheet.
      parts.first = without_parts(message.text);
    }
    return parts;
  }

  // How often the persona agrees is asked of a whole request only where the figure is about that.
  JudgeQuestion persona(const std::string& figure) const {
    const Json* given = run_.scores.config.if_contains("mode");
    const auto mode = persona::mode_of(given == nullptr ? "" : text_or_json(*given));
    const bool likert = mode != persona::Mode::mode3;
    const std::string way = parts(likert ? "persona/user_likert" : "persona/user_agreement").second;
    const std::string who = rules("persona/system");
    JudgeQuestion question{.rules = who.empty() || way.empty() ? std::string() : who + "\n\n" + way};
    if (figure == "agreement_rate_per_request") {
      question.asked = "In what share of these classifications does the persona agree with the chosen value?";
      return question;
    }
    question.asked = "Does the persona agree with the value that the software chose?";
    for (int value = 1; likert && value <= 5; ++value)
      question.levels.emplace_back(persona::likert_label(value));
    return question;
  }

  JudgeQuestion guidelines(const std::string& figure) const {
    JudgeQuestion question{.rules = rules("guidelines/checks")};
    if (figure == "applied_rate_per_conversation")
      question.asked = "What share of the guidelines has the agent carried out by the end?";
    if (figure == "applied_rate" || figure.starts_with("applied_rate."))
      question.asked = "Has the agent carried out all of the guideline's action?";
    return question;
  }

  JudgeQuestion experiment(const std::string& figure) const {
    if (!figure.starts_with("score.")) return {};
    return {.asked = fmt::format("{}: which level has the answer?",
                                 title_words(figure.substr(figure.rfind('.') + 1))),
            .rules = rules("experiment/absolute")};
  }

  JudgeQuestion pairwise(const Json& entry) const {
    return {.asked = text_at(*find_member(entry, "pairwise"), "rubric"),
            .rules = rules("custom/pairwise"),
            .filled = true};
  }

  JudgeQuestion custom(const std::string& figure) const {
    const Json* found = metric_of(run_, figure);
    if (found == nullptr) return {};
    const Json& entry = *found;
    if (find_member(entry, "pairwise") != nullptr) return pairwise(entry);
    if (const std::string rag = text_at(entry, "rag"); !rag.empty()) return rag_question(rag);
    if (const Json* judge = find_member(entry, "judge")) return own_judge(entry, *judge);
    if (const Json* label = find_member(entry, "label")) {
      const Json* prompt = find_member(*label, "judge");
      return prompt == nullptr ? JudgeQuestion()
                               : own_prompt(*prompt, text_at(entry, "name") + "/label/judge");
    }
    if (std::string rubric = text_at(entry, "rubric"); !rubric.empty())
      return {.asked = std::move(rubric), .rules = rules("custom/rubric"), .filled = true};
    return criteria(entry);
  }

  JudgeQuestion criteria(const Json& entry) const {
    std::vector<std::string> sentences;
    for (const Json& one : list_at(entry, "criteria")) sentences.push_back(text_or_json(one));
    if (sentences.empty()) return {};
    JudgeQuestion question{.asked = "How many of these are true?\n" + numbered(sentences),
                           .rules = rules("custom/criteria"),
                           .filled = true};
    for (std::size_t true_ones = 0; true_ones <= sentences.size(); ++true_ones)
      question.levels.push_back(fmt::format("{} of {}", true_ones, sentences.size()));
    return question;
  }

  JudgeQuestion own_judge(const Json& entry, const Json& judge) const {
    const Json* prompt = find_member(judge, "prompt");
    if (prompt == nullptr) return {};
    JudgeQuestion question = own_prompt(*prompt, text_at(entry, "name") + "/judge/prompt");
    const Json* given = find_member(judge, "schema");
    if (given == nullptr || changed(text_at(entry, "name") + "/judge/schema")) return question;
    const auto schema = config_.given_tree(*given);
    if (!schema) return question;
    const std::string score = text_at(judge, "score");
    if (const Json* place = custom::schema_at(*schema, score.empty() ? custom::kUsualScore : score))
      question.levels = custom::levels_of(*place);
    return question;
  }

  // A prompt of the user's: short ones are the question.
  JudgeQuestion own_prompt(const Json& value, const std::string& name) const {
    if (changed(name)) return {};
    const auto text = config_.given_text(value);
    const auto prompt = text ? Prompt::parse(*text, {}) : Result<Prompt>(fail(text.error()));
    if (!prompt) return {};
    auto [system, user] = parts_of(*prompt);
    const bool says_something = !without_parts(user).empty();
    const bool is_short = user.size() <= kLongestQuestion && std::ranges::count(user, '\n') < kMostLines;
    if (says_something && is_short) return {.asked = std::move(user), .rules = std::move(system)};
    return {.rules = system.empty() ? std::move(user) : system + "\n\n" + user};
  }

  // Whether the file in which this part of a metric stands is another one by now.
  bool changed(const std::string& name) const {
    const auto now = files_.find("metrics/" + name);
    if (now == files_.end()) return false;
    const auto kept = run_.scores.summary.prompts.find(now->first);
    return kept == run_.scores.summary.prompts.end() || kept->second != now->second;
  }

  const JudgedRun& run_;
  Config config_;
  PromptLibrary library_;
  std::map<std::string, std::string> files_;  // fingerprints of what the metrics name, by place
};

}  // namespace

std::string JudgeQuestion::of_all() const {
  return filled && !placeholders_in(asked).empty() ? std::string() : asked;
}

std::string JudgeQuestion::of_case(const boost::json::object& fields) const {
  return filled && !placeholders_in(asked).empty() ? fill_fields(asked, fields) : std::string();
}

JudgeQuestion judge_question(const JudgedRun& run, const std::string& figure) {
  return Questions(run).of(figure);
}

void note_questions(JudgedRun& run) {
  const Questions questions(run);
  for (JudgedFigure& figure : run.figures) figure.asked = questions.of(figure.name);
  for (JudgedClasses& classes : run.classes) classes.asked = questions.of(classes.figure);
  for (JudgedPair& pair : run.pairs) pair.asked = questions.of_pair();
}

}  // namespace assay::labels
