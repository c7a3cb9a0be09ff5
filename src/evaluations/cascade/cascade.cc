#include "evaluations/cascade/cascade.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/sha256.h"
#include "core/text.h"
#include "evaluations/data/label_file.h"
#include "report/words.h"

namespace assay {
namespace {

using Words = std::map<std::string, PeoplesWord, std::less<>>;

struct ReadWords {
  Words words;
  std::set<std::string, std::less<>> without;  // ids of rows without one
};

ReadWords read_words(const Config& config, const std::string& path, const std::string& key,
                     const LabelReading& reading, std::vector<ConfigProblem>& problems) {
  ReadWords read;
  Words& words = read.words;
  const LabelFilePlace place{path, key, problems};
  const auto rows = read_label_file(config.read_text(path), place);
  if (!rows) return read;
  read.without.insert(rows->unlabelled.begin(), rows->unlabelled.end());
  for (const LabelRow& row : rows->labelled) {
    auto word = reading(row.label);
    if (!word) {
      place.complain(fmt::format("line {}, label: {}", row.line, word.error().message));
    } else if (!words.emplace(row.id, std::move(*word)).second) {
      place.complain(fmt::format("line {}: the case {} is labelled already", row.line, row.id));
    }
    // The tests count cases that were drawn alike.
    if (row.probability != rows->labelled.front().probability) {
      place.complain(fmt::format(
          "line {}, probability: found {}, and {} above; a cascade is calibrated on cases that "
          "were drawn with "
          "the same probability (assay label-sample --design uniform)",
          row.line, number_words(row.probability), number_words(rows->labelled.front().probability)));
      break;
    }
  }
  return read;
}

std::string named(const CascadeJudge& judge) {
  return judge.settings.model;
}

// That many of a set of which `shown` of `all` are of the kind that counts.
std::int64_t scaled(std::int64_t needed, std::int64_t shown, std::int64_t all) {
  return static_cast<std::int64_t>(
      std::ceil(static_cast<double>(needed) * static_cast<double>(all) / static_cast<double>(shown)));
}

std::string promised(const CascadeSettings& settings) {
  return fmt::format("on {} of the cases with {} confidence", share_words(settings.agreement),
                     level_words(settings.confidence));
}

}  // namespace

Cascade::Cascade(CascadeSettings settings, Words labels, Words said,
                 std::set<std::string, std::less<>> unlabelled)
    : settings_(std::move(settings)),
      labels_(std::move(labels)),
      said_(std::move(said)),
      unlabelled_(std::move(unlabelled)) {}

std::shared_ptr<Cascade> Cascade::from(CascadeSettings settings, const Config& config,
                                       const LabelReading& reading, std::vector<ConfigProblem>& problems) {
  const std::size_t before = problems.size();
  ReadWords labels = read_words(config, settings.labels, "judge.labels", reading, problems);
  Words said;
  if (!settings.people_said.empty())
    said = read_words(config, settings.people_said, "judge.people", reading, problems).words;
  if (problems.size() > before) return nullptr;
  const std::string path = settings.labels;
  auto cascade = std::make_shared<Cascade>(std::move(settings), std::move(labels.words), std::move(said),
                                           std::move(labels.without));
  if (std::string missing = cascade->too_few(cascade->labels()); !missing.empty()) {
    problems.push_back({path, "judge.labels", std::move(missing)});
    return nullptr;
  }
  return cascade;
}

const PeoplesWord* Cascade::label_of(std::string_view id) const {
  const auto found = labels_.find(id);
  return found == labels_.end() ? nullptr : &found->second;
}

const PeoplesWord* Cascade::said_of(std::string_view id) const {
  const auto found = said_.find(id);
  return found == said_.end() ? label_of(id) : &found->second;
}

std::size_t Cascade::promising() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      settings_.judges, [](const CascadeJudge& judge) { return judge.error.has_value(); }));
}

AgreementPromise Cascade::promise_of(std::size_t judge) const {
  return {settings_.agreement, settings_.judges[judge].error.value_or(0)};
}

Cascade::Next Cascade::next(const CascadeRecord& record, std::string_view id) const {
  std::size_t asked = 0;
  for (std::size_t i = 0; i < settings_.judges.size(); ++i) {
    const CascadeJudge& judge = settings_.judges[i];
    const bool last_word = !judge.error;
    const bool known = last_word || i < shown_.size();
    const auto threshold = last_word || !known ? std::optional<ThresholdTest>() : shown_[i].search.chosen();
    // One that can promise nothing is asked no more. What it said of the labelled cases was paid for, and
    // belongs to what they cost.
    if (known && !last_word && !threshold && label_of(id) == nullptr) continue;
    if (asked == record.ballots.size()) return {.ask = i};
    const CascadeBallot& ballot = record.ballots[asked++];
    if (!known) return {};
    if (last_word || (threshold && ballot.count() >= threshold->votes)) return {.decided_by = judge.name};
  }
  return {.decided_by = std::string(kPeople)};
}

std::string Cascade::too_few(std::size_t labelled) const {
  const std::int64_t needed = fewest_labels(promise_of(0));
  const auto there = static_cast<std::int64_t>(labelled);
  if (there >= needed) return "";
  return fmt::format(
      "found {}, expected at least {}: with fewer not even a judge that always agrees with people can be "
      "shown to "
      "do so {}{}. {} missing; nothing was asked",
      counted_words(there, "labelled case", "labelled cases"), needed, promised(settings_),
      promising() > 1 ? fmt::format(", which {} judges share", promising()) : "",
      counted_words(needed - there, "label is", "labels are"));
}

Status Cascade::look_at(const std::vector<CalibrationCase>& cases) const {
  if (std::string missing = too_few(cases.size()); !missing.empty())
    return fail(Error{ErrorKind::data, std::move(missing), {{"file", settings_.labels}}});
  std::map<std::string_view, std::string_view> clusters;
  for (const CalibrationCase& one : cases) {
    if (one.input.cluster.empty()) continue;
    const auto [first, added] = clusters.emplace(one.input.cluster, one.input.id);
    if (added) continue;
    return fail(
        Error{ErrorKind::data,
              fmt::format("the labelled cases {} and {} belong together (cluster {}); the promise counts "
                          "cases that are drawn each by itself: label one of each cluster",
                          first->second, one.input.id, one.input.cluster),
              {{"file", settings_.labels}}});
  }
  return {};
}

std::map<std::string, std::string> Cascade::fingerprints() const {
  constexpr std::size_t kDigits = 16;
  const auto print_of = [](const Words& words) {
    JsonObject all;
    for (const auto& [id, word] : words)
      all.emplace(id, JsonArray{boost::json::string(word.side), word.value});
    return hex(sha256(canonical_text(std::move(all)))).substr(0, kDigits);
  };
  std::map<std::string, std::string> prints{{"judge/labels", print_of(labels_)}};
  if (!settings_.people_said.empty()) prints.emplace("judge/people", print_of(said_));
  return prints;
}

std::optional<std::string> Cascade::step() const {
  if (shown_.size() >= promising()) return std::nullopt;
  return settings_.judges[shown_.size()].name;
}

JsonObject Cascade::rests_on() const {
  JsonArray judges;
  for (const CascadeJudge& judge : settings_.judges) {
    judges.push_back(JsonObject{{"model", judge.settings.model},
                                {"votes", judge.votes},
                                {"temperature", judge.settings.sampling.temperature.value_or(0)}});
  }
  JsonObject labels;
  for (const auto& [id, word] : labels_) labels.emplace(id, word.side);
  return {{"agreement", settings_.agreement},
          {"confidence", settings_.confidence},
          {"judges", std::move(judges)},
          {"people", settings_.people},
          {"labels", hex(sha256(canonical_text(std::move(labels))))}};
}

std::string Cascade::refusal_of(std::size_t judge, const Shown& shown, std::int64_t labelled) const {
  if (shown.search.chosen()) return "";
  const AgreementPromise promise = promise_of(judge);
  const CascadeJudge& own = settings_.judges[judge];
  const std::int64_t fewest = fewest_labels(promise);
  const std::int64_t all = labelled;
  const std::string who = named(own);
  if (shown.search.tests.empty() || shown.search.tests.front().cases == 0) {
    return fmt::format("{} decides nothing: of {} none {}, and at least {} are needed", who,
                       counted_words(all, "labelled case", "labelled cases"),
                       shown.reached == 0 ? "reaches it" : "gets all its votes for one side", fewest);
  }
  const ThresholdTest& test = shown.search.tests.front();
  const std::string found = fmt::format(
      "{} decides nothing: where all its {} votes are for one side it agrees with people on {} of {}", who,
      own.votes, test.agreed, counted_words(test.cases, "labelled case", "labelled cases"));
  if (test.agreed == test.cases) {
    return fmt::format("{}, and at least {} are needed: about {} missing", found, fewest,
                       counted_words(scaled(fewest, test.cases, all) - all, "label is", "labels are"));
  }
  const auto enough = labels_at_rate(test.agreed, test.cases, promise);
  if (!enough) {
    return fmt::format(
        "{} ({}), which is not above {}: more labels would not help, another judge or a lower "
        "`agreement` may",
        found, share_words(static_cast<double>(test.agreed) / static_cast<double>(test.cases)),
        share_words(settings_.agreement));
  }
  return fmt::format("{}, which shows {} at least: if it goes on like that, about {} missing", found,
                     share_words(test.lower),
                     counted_words(scaled(*enough, test.cases, all) - all, "label is", "labels are"));
}

Result<JsonObject> Cascade::learn(const std::vector<CalibrationCase>& cases) const {
  const std::size_t judge = shown_.size();
  std::vector<VotedLabel> labelled;
  for (const CalibrationCase& one : cases) {
    const PeoplesWord* word = label_of(one.input.id);
    const Json* kept = one.outcome.result.if_contains("cascade");
    if (word == nullptr || kept == nullptr) continue;  // there was no answer to judge
    const CascadeRecord record = cascade_record(*kept);
    if (record.ballots.empty() || record.ballots.back().judge != settings_.judges[judge].name) continue;
    const CascadeBallot& ballot = record.ballots.back();
    labelled.push_back({ballot.count(), ballot.side() == word->side});
  }
  Shown shown{static_cast<std::int64_t>(labelled.size()),
              find_threshold(labelled, settings_.judges[judge].votes, promise_of(judge))};
  shown.refusal = refusal_of(judge, shown, static_cast<std::int64_t>(cases.size()));
  std::vector<std::string> refusals;
  for (const Shown& earlier : shown_) {
    if (!earlier.refusal.empty()) refusals.push_back(earlier.refusal);
  }
  if (!shown.refusal.empty()) refusals.push_back(shown.refusal);
  if (refusals.size() == promising()) {
    return fail(
        Error{ErrorKind::judge,
              fmt::format("no judge can be shown to agree with people {}: {}. With more labels, start a "
                          "new run with --reuse for the answers that are here",
                          promised(settings_), join(refusals, "; ")),
              {{"file", settings_.labels}}});
  }
  JsonArray tests;
  for (const ThresholdTest& test : shown.search.tests) {
    tests.push_back(JsonObject{{"votes", test.votes},
                               {"cases", test.cases},
                               {"agreed", test.agreed},
                               {"lower", test.lower},
                               {"holds", test.holds}});
  }
  return JsonObject{{"judge", settings_.judges[judge].name},
                    {"reached", shown.reached},
                    {"tests", std::move(tests)},
                    {"refusal", shown.refusal}};
}

Status Cascade::know(const JsonObject& learnt) {
  const Json kept(learnt);
  const auto judge = step();
  if (!judge || text_at(kept, "judge") != *judge)
    return fail(ErrorKind::journal, "what was learnt is of another judge");
  const auto whole = [](const Json& of, std::string_view name) {
    const Json* value = find_member(of, name);
    return value != nullptr ? as_integer(*value).value_or(0) : 0;
  };
  Shown shown{.reached = whole(kept, "reached"), .refusal = text_at(kept, "refusal")};
  for (const Json& entry : list_at(kept, "tests")) {
    const Json* lower = find_member(entry, "lower");
    const Json* holds = find_member(entry, "holds");
    shown.search.tests.push_back({.votes = static_cast<int>(whole(entry, "votes")),
                                  .cases = whole(entry, "cases"),
                                  .agreed = whole(entry, "agreed"),
                                  .lower = lower != nullptr ? as_number(*lower).value_or(0) : 0,
                                  .holds = holds != nullptr && as_boolean(*holds).value_or(false)});
  }
  shown_.push_back(std::move(shown));
  return {};
}

void check_labelled_cases(const Cascade& cascade, const CaseWork& work, const std::string& data_path,
                          std::vector<ConfigProblem>& problems) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(data_path, ignored)) return;
  auto source = work.cases();
  if (!source) return;  // told when the data are looked at
  std::vector<CalibrationCase> labelled;
  for (;;) {
    auto more = (*source)->next();
    if (!more) return;
    if (!*more) break;
    if (cascade.takes_part((*source)->current())) labelled.push_back({(*source)->current().travelling()});
  }
  if (auto enough = cascade.look_at(labelled); !enough)
    problems.push_back({cascade.settings().labels, "judge.labels", enough.error().message});
}

}  // namespace assay
