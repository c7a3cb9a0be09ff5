// Checks a finished run: its files against each other, and against the replies in its journal. No model is
// asked.
#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/file.h"
#include "core/sha256.h"
#include "core/text.h"
#include "core/yaml.h"
#include "evaluations/experiment/analysis/analysis.h"
#include "evaluations/experiment/analysis/gathering.h"
#include "evaluations/experiment/experiment.h"
#include "evaluations/experiment/experiment_files.h"
#include "evaluations/experiment/verify_journal.h"
#include "evaluations/human_check.h"
#include "evaluations/judges/anchors.h"
#include "report/conclusions.h"
#include "report/csv.h"
#include "report/gates.h"
#include "report/hangs_on_missing.h"
#include "report/pages/html_parts.h"
#include "report/report_json.h"

namespace assay::experiment {
namespace {

constexpr std::size_t kToldDefects = 3;

// How sentences begin that labels by people and anchors bring along.
constexpr const char* kNotChecked = "What the judge says is not checked against people";
constexpr std::array kOfJudge{"Corrected by people's labels of ",
                              "Labels of ",
                              "The labels ",
                              "On ",
                              "Between ",
                              "By the alternative annotator test ",
                              "Whether the judge of ",
                              "None of the anchors "};

// Where the first difference is, for people.
std::string first_difference(const Json& a, const Json& b, const std::string& at) {
  if (a.is_object() && b.is_object()) {
    for (const auto& [key, value] : a.get_object()) {
      const Json* other = find_member(b, key);
      std::string inner = at + "/" + std::string(key);
      if (other == nullptr) return inner;
      if (canonical_text(value) != canonical_text(*other)) return first_difference(value, *other, inner);
    }
    for (const auto& [key, value] : b.get_object()) {
      if (find_member(a, key) == nullptr) return at + "/" + std::string(key);
    }
  }
  if (a.is_array() && b.is_array() && a.get_array().size() == b.get_array().size()) {
    for (std::size_t i = 0; i < a.get_array().size(); ++i) {
      if (canonical_text(a.get_array()[i]) != canonical_text(b.get_array()[i]))
        return first_difference(a.get_array()[i], b.get_array()[i], fmt::format("{}/{}", at, i));
    }
  }
  return at.empty() ? "everything" : at;
}

class Verifying {
 public:
  explicit Verifying(std::string directory) : directory_(std::move(directory)) {}

  Result<std::vector<RunCheck>> run() {
    const std::string config_text = read("config.yaml");
    const std::string key_text = read(kKeyFile);
    const std::string commitment_text = read(kCommitmentFile);
    const std::string results_text = read("results.jsonl");
    const std::string comparisons_text = read("evaluations.jsonl");
    const std::string analysis_text = read(kAnalysisFile);
    const std::string summary_text = read("summary.json");
    const std::string report_text = read("report.html");
    const std::string csv_text = read("aggregate.csv");
    if (!file_exists(directory_ + "/" + kJournalFile)) missing_.emplace_back(kJournalFile);
    Config config;
    if (auto document = parse_yaml(config_text); document && document->value.is_object()) {
      config = Config(document->value.get_object());
      read_config(config);
    }
    const Json key = parsed(key_text);
    if (key.is_object()) read_answers(key.get_object());
    read_evaluators();
    if (!missing_.empty())
      return fail(
          Error{ErrorKind::data,
                fmt::format("not a finished experiment: {} cannot be read", fmt::join(missing_, ", ")),
                {{"directory", directory_}}});
    read_results(results_text);
    const Json commitment = parsed(commitment_text);
    const Json summary = parsed(summary_text);
    check_commitment(key_text, commitment);
    check_mentions(key_text, commitment, summary, report_text);
    check_key(key_text);
    check_journal(config, key_text);
    check_blinding();
    check_roles();
    check_comparisons(comparisons_text);
    check_results();
    const std::optional<Analysis> analysis = check_analysis(analysis_text);
    check_summary(analysis, summary, report_text, csv_text);
    return std::move(checks_);
  }

 private:
  struct Evaluator {
    std::string file;
    int number = 0;
    Json rows;
  };
  // A line of results.jsonl with all that the other files hold on its query.
  struct ReadQuery {
    Json line;
    JudgedQuery judged;
  };

  std::string read(const std::string& name) {
    auto text = read_file(directory_ + "/" + name);
    if (text) return std::move(*text);
    missing_.push_back(name);
    return "";
  }

  static Json parsed(const std::string& text) {
    auto json = parse_json(text);
    return json ? std::move(*json) : Json(nullptr);
  }

  void told(std::string what, const std::vector<std::string>& defects, std::string if_good) {
    std::string detail = std::move(if_good);
    if (!defects.empty()) {
      const std::size_t count = std::min(defects.size(), kToldDefects);
      detail = fmt::format(
          "{}", fmt::join(defects.begin(), defects.begin() + static_cast<std::ptrdiff_t>(count), "; "));
      if (defects.size() > count) detail += fmt::format("; and {} more", defects.size() - count);
    }
    checks_.push_back({std::move(what), defects.empty(), std::move(detail)});
  }

  void read_config(const Config& config) {
    design_ = design_of(config);
    score_names_ = score_names(design_);
  }

  // The answers and their blinded copies, by the key.
  void read_answers(const JsonObject& key) {
    std::map<std::string, std::size_t> files;
    for (std::size_t place = 0; place < design_.answers(); ++place) files[design_.file_at(place)] = place;
    for (const auto& [name, code] : key) {
      if (name == kSalt) continue;
      const auto own = files.find(std::string(name));
      const std::string dataset(as_text(code).value_or(""));
      originals_[std::string(name)] = parsed(read(kResponses + std::string(name)));
      blinded_[std::string(name)] = parsed(read(kBlinded + dataset));
      if (own != files.end()) places_[dataset] = own->second;
    }
  }

  void read_evaluators() {
    for (int i = 1; i <= design_.pairwise_evaluators; ++i) add_evaluator(pairwise_file(i), i);
    for (int i = design_.pairwise_evaluators + 1; i <= design_.evaluators(); ++i)
      add_evaluator(absolute_file(i), i);
    const auto [first, last] = design_.role_evaluators();
    for (int i = first; i <= last; ++i) {
      if (file_exists(directory_ + "/" + role_file(i))) add_evaluator(role_file(i), i);
    }
  }

  void add_evaluator(const std::string& file, int number) {
    const std::string text = read(file);
    if (!text.empty()) evaluators_.push_back({file, number, parsed(text)});
  }

  void check_commitment(const std::string& key_text, const Json& commitment) {
    const std::string hash = hex(sha256(key_text));
    const std::string committed = text_at(commitment, "sha256");
    std::vector<std::string> defects;
    if (hash != committed)
      defects.push_back(fmt::format("its SHA-256 is {}, committed was {}", hash, committed));
    told("randomization_key.json is the key that was committed to", defects,
         fmt::format("SHA-256 {}, committed {}", hash, text_at(commitment, "started")));
  }

  // The hash as readers meet it, and when it was made.
  void check_mentions(const std::string& key_text, const Json& commitment, const Json& summary,
                      const std::string& report_text) {
    const std::string hash = hex(sha256(key_text));
    const std::string started = text_at(summary, "started");
    std::vector<std::string> defects;
    if (text_at(commitment, "started") != started)
      defects.push_back(fmt::format("{} says that the run started {}, summary.json {}", kCommitmentFile,
                                    text_at(commitment, "started"), started));
    const JsonArray row{kKeyFile, boost::json::string(hash), boost::json::string(started)};
    const Json* rows = find_pointer(summary, "/tables/blinding/rows");
    if (rows == nullptr || !rows->is_array() || rows->get_array().size() != 1 ||
        canonical_text(rows->get_array()[0]) != canonical_text(row))
      defects.push_back(
          fmt::format("summary.json does not have {} with hash {} and time {}", kKeyFile, hash, started));
    std::string cells;
    for (const Json& value : row) cells += html::cell(value);
    if (report_text.find(cells) == std::string::npos)
      defects.push_back(
          fmt::format("report.html does not show {} with hash {} and time {}", kKeyFile, hash, started));
    told("report.html and summary.json name the committed key", defects, "hash and time");
  }

  void check_key(const std::string& key_text) {
    std::vector<std::string> defects;
    const std::string salt = salt_of(key_text);
    if (salt.empty()) defects.emplace_back("it has no salt");
    if (key_text != BlindingKey(design_, salt).text())
      defects.emplace_back("another one follows from its salt and the names and the seed of config.yaml");
    told("the key follows from names, seed and salt", defects, fmt::format("seed {}", design_.seed));
  }

  void check_journal(const Config& config, const std::string& key_text) {
    constexpr const char* kFiles =
        "answers, evaluators' files and evaluations.jsonl are those of the journal";
    constexpr const char* kReplies = "every answer and judgement follows from a reply in the journal";
    std::vector<Query> queries;
    queries.reserve(queries_.size());
    for (const ReadQuery& one : queries_) queries.push_back(one.judged.query);
    const BlindingKey key(design_, salt_of(key_text));
    const auto held = held_against_journal(directory_, config, design_, key, queries);
    if (!held) {
      told(kFiles, {held.error().text()}, "");
      told(kReplies, {held.error().text()}, "");
      return;
    }
    told(kFiles, held->files, fmt::format("{} files", held->compared_files));
    told(kReplies, held->replies, fmt::format("{} replies", held->replies_read));
  }

  void check_blinding() {
    std::vector<std::string> defects;
    std::size_t texts = 0;
    for (const auto& [file, answers] : originals_) {
      const Json& copy = blinded_.at(file);
      if (!answers.is_object() || !copy.is_object()) {
        defects.push_back(fmt::format("{} or its copy is no object of texts", file));
        continue;
      }
      if (answers.get_object().size() != copy.get_object().size())
        defects.push_back(fmt::format("{} and its copy hold different queries", file));
      for (const auto& [query, text] : answers.get_object()) {
        ++texts;
        const auto shown = find_text(copy, query);
        if (!shown || *shown != take_out_roles(as_text(text).value_or("")).text)
          defects.push_back(fmt::format("{}, {}: the copy is not the answer without its role marks", file,
                                        std::string(query)));
      }
    }
    told("blinded texts equal the answers but for role marks", defects,
         fmt::format("{} answers in {} files", texts, originals_.size()));
  }

  // Rows of the evaluators' files, by query, with codes turned back into conditions and runs.
  std::map<std::string, QueryRecord> records() {
    std::map<std::string, QueryRecord> all;
    for (const Evaluator& evaluator : evaluators_) {
      for (const Json& row : list_at(evaluator.rows, "judgements")) {
        QueryRecord& record = all[text_at(row, "query")];
        if (!take_row(row, evaluator, record))
          unreadable_.push_back(
              fmt::format("{} holds a judgement that cannot be read: {}", evaluator.file, excerpt(row)));
      }
    }
    return all;
  }

  bool take_row(const Json& row, const Evaluator& evaluator, QueryRecord& record) const {
    if (find_member(row, "lost") != nullptr) {
      const Json* failures = find_member(row, "format_failures");
      record.lost.push_back({evaluator.number,
                             failures == nullptr ? 0 : static_cast<int>(as_integer(*failures).value_or(0)),
                             ""});
      return true;
    }
    BlindedPlace place;
    const auto answer = [&](const std::string& code, std::size_t& condition, int& run) {
      const auto found = places_.find(code);
      if (found == places_.end()) return false;
      const auto own = design_.answer_at(found->second);
      condition = own.condition;
      run = own.run;
      return true;
    };
    const auto in_scale = [](const std::array<std::optional<int>, 2>& scores) {
      return std::ranges::all_of(scores, [](const auto& one) { return !one || (*one >= 1 && *one <= 5); });
    };
    if (find_member(row, "winner") != nullptr) {
      auto kept = pair_from_row(row, place);
      int run_b = 0;
      if (!kept || !answer(place.response_a, kept->judgement.condition_a, kept->judgement.run) ||
          !answer(place.response_b, kept->judgement.condition_b, run_b))
        return false;
      // Only answers of one run, and of two conditions, are ever compared.
      if (kept->judgement.run != run_b || kept->judgement.condition_a == kept->judgement.condition_b ||
          !in_scale(kept->judgement.tone_a) || !in_scale(kept->judgement.tone_b))
        return false;
      kept->judgement.evaluator = evaluator.number;
      record.pairs.push_back(std::move(*kept));
      return true;
    }
    if (find_member(row, "role_appropriate") != nullptr) {
      auto kept = role_from_row(row, place);
      if (!kept || !answer(place.response_a, kept->judgement.condition, kept->judgement.run)) return false;
      kept->judgement.evaluator = evaluator.number;
      record.roles.push_back(std::move(*kept));
      return true;
    }
    auto kept = rating_from_row(row, place);
    if (!kept || !in_scale(kept->judgement.tone) ||
        !answer(place.response_a, kept->judgement.condition, kept->judgement.run))
      return false;
    kept->judgement.evaluator = evaluator.number;
    record.ratings.push_back(std::move(*kept));
    return true;
  }

  // The queries in their order, each with its answers and judgements.
  void read_results(const std::string& results_text) {
    std::map<std::string, QueryRecord> by_query = records();
    for (const std::string_view line : split_lines(results_text)) {
      Json json = parsed(std::string(line));
      const Json* ambiguous = find_member(json, "ambiguous");
      Query query{text_at(json, "id"), text_at(json, "query"), text_at(json, "query_type"),
                  text_at(json, "role"), ambiguous != nullptr && as_boolean(*ambiguous).value_or(false)};
      QueryRecord record = std::move(by_query[query.id]);
      by_query.erase(query.id);
      record.responses = answers_to(query.id);
      JudgedQuery judged = judged_query(design_, std::move(query), std::move(record));
      // A verdict on an answer that is not there cannot be written out again.
      std::erase_if(judged.record.pairs, [&](const Kept<PairVerdict>& kept) {
        const PairVerdict& one = kept.judgement;
        if (judged.answers[design_.place(one.condition_a, one.run)] &&
            judged.answers[design_.place(one.condition_b, one.run)])
          return false;
        unreadable_.push_back(fmt::format("{} compares answers to {} that are not there",
                                          pairwise_file(one.evaluator), judged.query.id));
        return true;
      });
      queries_.push_back({std::move(json), std::move(judged)});
    }
    for (const auto& [query, record] : by_query)
      unreadable_.push_back(fmt::format("judgements on query {}, which results.jsonl does not have", query));
  }

  std::vector<std::optional<std::string>> answers_to(const std::string& query) const {
    std::vector<std::optional<std::string>> answers;
    answers.reserve(design_.answers());
    for (std::size_t place = 0; place < design_.answers(); ++place) {
      const auto file = originals_.find(design_.file_at(place));
      answers.push_back(file == originals_.end() ? std::nullopt : find_text(file->second, query));
    }
    return answers;
  }

  void check_roles() {
    std::vector<std::string> defects;
    std::size_t verdicts = 0;
    for (const auto& [line, judged] : queries_) {
      for (const auto& [verdict, failures] : judged.record.roles) {
        ++verdicts;
        const std::string& role = judged.roles[design_.place(verdict.condition, verdict.run)];
        const std::string where = fmt::format("{}, {}", role_file(verdict.evaluator), judged.query.id);
        if (verdict.role != role)
          defects.push_back(
              fmt::format("{}: the role is \"{}\", that of the answer \"{}\"", where, verdict.role, role));
        if (!judged.query.ambiguous && !verdict.other_roles.empty())
          defects.push_back(
              fmt::format("{}: other roles, which only ambiguous queries are asked for", where));
      }
    }
    told("the roles that were asked about are those of the answers", defects,
         fmt::format("{} verdicts", verdicts));
  }

  void check_comparisons(const std::string& text) {
    std::vector<std::string> again;
    for (const auto& [line, judged] : queries_)
      std::ranges::move(comparison_lines(design_, judged), std::back_inserter(again));
    const std::vector<std::string_view> lines = split_lines(text);
    std::vector<std::string> defects;
    for (std::size_t i = 0; i < std::min(lines.size(), again.size()); ++i) {
      if (lines[i] == again[i]) continue;
      defects.push_back(fmt::format("line {} differs at {}", i + 1,
                                    first_difference(parsed(std::string(lines[i])), parsed(again[i]), "")));
    }
    if (lines.size() != again.size())
      defects.push_back(fmt::format("line {}: the file has {} lines, {} follow",
                                    std::min(lines.size(), again.size()) + 1, lines.size(), again.size()));
    told("evaluations.jsonl follows from the evaluators' files and the key", defects,
         fmt::format("{} lines", lines.size()));
  }

  void check_results() {
    std::vector<std::string> defects;
    for (const auto& [line, judged] : queries_) {
      JsonObject scores;
      for (const Score& score : query_scores(design_, score_names_, judged.record))
        scores[score.figure] = score.value ? Json(*score.value) : Json(nullptr);
      const JsonObject again{
          {"answers", std::ranges::count_if(judged.answers, [](const auto& one) { return one.has_value(); })},
          {"pairs", judged.record.pairs.size()},
          {"ratings", judged.record.ratings.size()},
          {"role_verdicts", judged.record.roles.size()},
          {"lost", judged.record.lost.size()},
          {"scores", std::move(scores)}};
      JsonObject before;
      for (const auto& [name, value] : again) {
        if (const Json* found = find_member(line, name)) before[name] = *found;
      }
      if (canonical_text(before) != canonical_text(again))
        defects.push_back(
            fmt::format("{} differs at {}", judged.query.id, first_difference(before, again, "")));
    }
    told("scores and counts in results.jsonl follow from the evaluators' files", defects,
         fmt::format("{} queries", queries_.size()));
  }

  // Nothing if the judgements cannot be read.
  std::optional<Analysis> check_analysis(const std::string& analysis_text) {
    std::vector<std::string> defects = unreadable_;
    Gathering gathering(design_);
    for (const auto& [line, judged] : queries_) gathering.add(judged);
    const ExperimentData& data = gathering.data();
    std::optional<Analysis> analysis;
    if (defects.empty()) {
      analysis = analyse(data, {.seed = design_.seed});
      const Json again = to_json(*analysis);
      const Json before = parsed(analysis_text);
      if (canonical_text(again) != canonical_text(before))
        defects.push_back(fmt::format("analysis.json differs at {}", first_difference(before, again, "")));
    }
    told("the analysis follows from the evaluators' files and the key", defects,
         fmt::format("{} comparisons, {} ratings, {} verdicts on roles", data.pairs.size(),
                     data.ratings.size(), data.roles.size()));
    return analysis;
  }

  // What the files do not settle (usage, texts, scales, the table with the key) is taken over from `before`.
  Summary summary_again(const Analysis& analysis, const Summary& before) const {
    Summary again = before;
    again.metrics.clear();
    again.tables.clear();
    again.conclusions.clear();
    add_figures(analysis, again);
    for (Metric& metric : again.metrics) {
      const auto same = std::ranges::find(before.metrics, metric.name, &Metric::name);
      if (same != before.metrics.end()) metric.range = same->range;
    }
    for (const Table& table : before.tables) {
      if (table.name == "blinding") again.tables.push_back(table);
    }
    again.cases.evaluated = std::ranges::count_if(
        queries_, [](const ReadQuery& one) { return text_at(one.line, "outcome") == "scored"; });
    again.cases.errored = static_cast<std::int64_t>(queries_.size()) - again.cases.evaluated;
    const bool looked_at = take_over_figures_of_judge(before, again);
    std::vector<Gate> gates;
    for (const GateResult& gate : before.gates) {
      if (auto read = parse_gate(gate.gate)) gates.push_back(std::move(*read));
    }
    again.gates = evaluate_gates(gates, again);
    // As every run puts its own around an evaluation's.
    std::ranges::move(missing_conclusions(gates, again), std::back_inserter(again.conclusions));
    conclude(again);
    take_over_sentences_of_judge(before, again, looked_at);
    return again;
  }

  // What labels by people and anchors say of the judge is not made of the evaluators' files. Gates may be on
  // it. False: nothing was there.
  bool take_over_figures_of_judge(const Summary& before, Summary& again) const {
    std::set<std::string> names;
    for (const ScoreNames& scores : score_names_) {
      for (const std::string& figure : {scores.overall, scores.win_rate}) {
        for (std::string& name : HumanCheck(figure, {}).metric_names()) names.insert(std::move(name));
        for (const char* table : {"human_confusion", "human_disagreements"})
          names.insert(fmt::format("{}.{}", figure, table));
      }
    }
    for (std::string& name : Anchors::metric_names()) names.insert(std::move(name));
    const auto of_judge = [&](const auto& one) { return names.contains(one.name); };
    take_over(before.metrics, again.metrics, &Metric::name, of_judge);
    take_over(before.tables, again.tables, &Table::name, of_judge);
    return std::ranges::any_of(before.metrics, of_judge);
  }

  void take_over_sentences_of_judge(const Summary& before, Summary& again, bool looked_at) const {
    take_over(before.conclusions, again.conclusions, std::identity(), [&](const std::string& sentence) {
      const auto begins = [&](const char* words) { return sentence.starts_with(words); };
      return begins(kNotChecked) || (looked_at && std::ranges::any_of(kOfJudge, begins));
    });
  }

  // In the order of `before`; what it has and the analysis does not only if it is `wanted`.
  template <class T, class Name, class Wanted>
  static void take_over(const std::vector<T>& before, std::vector<T>& again, Name name,
                        const Wanted& wanted) {
    std::vector<T> merged;
    for (const T& one : before) {
      const auto made = std::ranges::find(again, std::invoke(name, one), name);
      if (made != again.end()) {
        merged.push_back(std::move(*made));
        again.erase(made);
      } else if (wanted(one)) {
        merged.push_back(one);
      }
    }
    std::ranges::move(again, std::back_inserter(merged));
    again = std::move(merged);
  }

  // What the report's script draws; nothing in a report of a program that was built without it.
  static std::optional<Json> drawn_summary(std::string_view report_text) {
    constexpr std::string_view kBegin = "id=\"report-data\">";
    const std::size_t begin = report_text.find(kBegin);
    if (begin == std::string_view::npos) return std::nullopt;
    const std::string_view rest = report_text.substr(begin + kBegin.size());
    const Json data = parsed(std::string(rest.substr(0, rest.find("</script>"))));
    const Json* summary = find_member(data, "summary");
    return summary == nullptr ? Json(nullptr) : *summary;
  }

  void check_summary(const std::optional<Analysis>& analysis, const Json& summary,
                     const std::string& report_text, const std::string& csv_text) {
    constexpr const char* kFigures =
        "conclusions, figures, tables and gates in summary.json follow from the analysis";
    constexpr const char* kShown = "report.html and aggregate.csv show these figures";
    const auto before = summary_from_json(summary);
    if (!analysis || !before) {
      const std::string why = before ? "the analysis cannot be made again" : before.error().text();
      told(kFigures, {why}, "");
      told(kShown, {why}, "");
      return;
    }
    const Summary again = summary_again(*analysis, *before);
    std::vector<std::string> defects;
    const Json expected = parsed(pretty_text(to_json(again)));
    if (canonical_text(summary) != canonical_text(expected))
      defects.push_back(fmt::format("summary.json differs at {}", first_difference(summary, expected, "")));
    told(kFigures, defects, fmt::format("{} figures, {} tables", again.metrics.size(), again.tables.size()));
    defects.clear();
    if (report_text.find(html::metrics_section(again)) == std::string::npos)
      defects.emplace_back("report.html has other figures under All metrics");
    for (const Table& table : again.tables) {
      if (report_text.find(html::table_section(table)) == std::string::npos)
        defects.push_back(fmt::format("report.html has another table {}", table.name));
    }
    if (const auto drawn = drawn_summary(report_text)) {
      ReportInput input;
      input.summary = again;
      const Json shown = parsed(to_text(report_json(input).at("summary")));
      if (canonical_text(*drawn) != canonical_text(shown))
        defects.push_back(
            fmt::format("what report.html draws differs at {}", first_difference(*drawn, shown, "")));
    }
    if (csv_text != summary_csv(again)) defects.emplace_back("aggregate.csv has other figures");
    told(kShown, defects, "");
  }

  std::string directory_;
  Design design_;
  std::vector<std::string> missing_;
  std::map<std::string, Json> originals_;  // by file of answers
  std::map<std::string, Json> blinded_;
  std::map<std::string, std::size_t> places_;  // of the design, by code
  std::vector<ScoreNames> score_names_;        // by condition
  std::vector<Evaluator> evaluators_;
  std::vector<ReadQuery> queries_;
  std::vector<std::string> unreadable_;  // judgements, a sentence each
  std::vector<RunCheck> checks_;
};

}  // namespace

Result<std::vector<RunCheck>> verify_experiment(const std::string& directory) {
  const auto config = read_file(directory + "/config.yaml");
  const auto document = config ? parse_yaml(*config) : Result<YamlDocument>(fail(config.error()));
  if (document && find_member(document->value, "answers") != nullptr) {
    return std::vector<RunCheck>{
        {"answers of a file are judged as they stand", true, "no conditions, no key, nothing to make again"}};
  }
  return Verifying(directory).run();
}

}  // namespace assay::experiment
