// What the judge of a figure was asked, in the words that it got, for a person who judges it too: the
// question, the rules that go with it and what the steps of its scale mean. Never what it answered.
#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

namespace assay::labels {

struct JudgedRun;

struct JudgeQuestion {
  // A sentence or a few lines; `{field}` in it names a part of the case. "": the run does not say it.
  std::string asked = {};
  // By which rules it is answered: what the judge's prompt told it; of the metrics that are made of several
  // prompts (rag_answers) in our words. "" where a prompt's file has changed since, or has gone.
  std::string rules = {};
  // What the steps of the figure's scale mean, from low to high, as far apart from one to the next; none:
  // they have no names.
  std::vector<std::string> levels = {};
  // The judge got the question with the fields of the case put in.
  bool filled = false;

  // What holds of every case; "" where each case has a question of its own.
  std::string of_all() const;
  // What was asked about the case with these fields; "" where it is the same for all.
  std::string of_case(const boost::json::object& fields) const;
};

// Of any figure of the run; where it says only whether a judge's score passes, that is asked.
JudgeQuestion judge_question(const JudgedRun& run, const std::string& figure);
// Of every figure, pair and class of the run, in their `asked`.
void note_questions(JudgedRun& run);

}  // namespace assay::labels
