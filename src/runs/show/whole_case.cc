#include "runs/show/whole_case.h"

#include <algorithm>
#include <set>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/file.h"
#include "core/json/jsonl.h"
#include "core/text.h"
#include "core/yaml.h"
#include "engine/case.h"
#include "evaluations/judges/anchors.h"
#include "runs/show/case_places.h"
#include "runs/show/listed_cases.h"
#include "runs/show/opened_run.h"

namespace assay {
namespace {

constexpr std::size_t kPage = 512;

// The ids that come nearest to one that is not there.
class NearIds {
 public:
  explicit NearIds(std::string wanted) : wanted_(std::move(wanted)) {}

  void add(std::string_view id) {
    const bool part = !wanted_.empty() && id.find(wanted_) != std::string_view::npos;
    const std::string_view candidates[] = {id};
    if (!part && !nearest(wanted_, candidates)) return;
    const std::pair entry(part ? std::size_t{0} : edit_distance(wanted_, id), std::string(id));
    const auto at = std::ranges::upper_bound(best_, entry);
    if (std::ranges::find(best_, entry) != best_.end()) return;
    best_.insert(at, entry);
    if (best_.size() > kMost) best_.pop_back();
  }

  std::string words() const {
    std::vector<std::string> ids;
    ids.reserve(best_.size());
    for (const auto& [distance, id] : best_) ids.push_back(fmt::format("\"{}\"", id));
    return ids.empty() ? "; `assay show DIR` lists them"
                       : fmt::format("; did you mean {}?", fmt::join(ids, ", "));
  }

 private:
  static constexpr std::size_t kMost = 3;
  std::string wanted_;
  std::vector<std::pair<std::size_t, std::string>> best_;
};

EffectView view_of(EffectRow row) {
  EffectView view;
  const auto tree = [](std::string& text) {
    auto parsed = parse_json(text);
    return parsed ? std::move(*parsed) : Json(text);
  };
  view.step = std::move(row.key.step);
  view.attempt = row.key.attempt;
  view.kind = std::move(row.kind);
  view.model = std::move(row.model);
  view.request = tree(row.request);
  view.reply = tree(row.reply);
  view.prompt_tokens = row.prompt_tokens;
  view.completion_tokens = row.completion_tokens;
  view.cached_tokens = row.cached_tokens;
  view.reasoning_tokens = row.reasoning_tokens;
  if (row.cost_picousd) view.cost_usd = static_cast<double>(*row.cost_picousd) / 1e12;
  view.latency_ms = static_cast<double>(row.latency_us) / 1000;
  view.tries = row.tries;
  view.reused = row.reused;
  view.finished = std::move(row.finished);
  return view;
}

// Where a case stands in the results, and on which line of the data.
struct InResults {
  std::int64_t row = 0;  // from 0
  LinePlace place;
  std::uint64_t line = 0;
};

// Told by the bytes that its line begins with, so that no other line is parsed. Nothing if there is none that
// begins so, which does not say that there is no such case.
std::optional<InResults> find_in_results(const std::string& directory, std::string_view id) {
  auto reader = LineReader::open(directory + "/results.jsonl");
  if (!reader) return std::nullopt;
  std::string begin = R"({"id":)";
  append_json_string(begin, id);
  begin += ',';
  LineParser parser({"id", "line"});
  for (std::int64_t row = 0;; ++row) {
    const auto line = reader->next();
    if (!line || !*line) return std::nullopt;
    if (!(*line)->text.starts_with(begin)) continue;
    if (!parser.parse(**line) || parser.field(0).text != id) return std::nullopt;
    const bool has_line = parser.field(1).kind == FieldValue::Kind::number && parser.field(1).number >= 1;
    return InResults{row, reader->place(), has_line ? static_cast<std::uint64_t>(parser.field(1).number) : 0};
  }
}

std::optional<LinePlace> place_of_line(const std::string& file, std::uint64_t number) {
  auto reader = LineReader::open(file);
  if (!reader) return std::nullopt;
  for (;;) {
    const auto line = reader->next();
    if (!line || !*line || (*line)->number > number) return std::nullopt;
    if ((*line)->number == number) return reader->place();
  }
}

class Looking {
 public:
  Looking(const std::string& directory, const std::string& id, OpenedRun& run, const CasePlaces* places)
      : directory_(directory), run_(run), places_(places), near_(id) {
    view_.id = id;
  }

  Result<CaseView> look() {
    if (run_.evaluation != nullptr) {
      if (auto read = look_in_data(); !read) return fail(std::move(read.error()));
    } else {
      view_.notes.push_back(fmt::format("its input cannot be shown: {}", run_.no_evaluation->text()));
    }
    const bool ids_by_journal = !input_ || run_.evaluation->goes_on();
    if (run_.store != nullptr && ids_by_journal) {
      if (auto read = look_in_outcomes(); !read) return fail(std::move(read.error()));
    }
    if (auto read = look_at_result(); !read) return fail(std::move(read.error()));
    if (!input_ && indices_.empty() && view_.result.empty()) {
      return fail(Error{ErrorKind::usage,
                        fmt::format("the run has no case \"{}\"{}", view_.id, near_.words()),
                        {{"directory", directory_}}});
    }
    if (auto read = look_at_effects(); !read) return fail(std::move(read.error()));
    if (view_.outcome.empty()) view_.outcome = view_.effects.empty() ? "not begun" : std::string(kUnderWay);
    return std::move(view_);
  }

 private:
  Status look_in_data() {
    auto source = run_.evaluation->chosen_cases();
    if (!source) return fail(std::move(source.error()));
    if (places_ != nullptr) {
      for (const CasePlace& place : places_->in_data(view_.id)) {
        if (auto there = (*source)->go_to(place); !there) return there;
        if ((*source)->current().id != view_.id) continue;
        take_input((*source)->current());
        return {};
      }
      source = run_.evaluation->chosen_cases();  // it is not there: those with the nearest ids are looked for
      if (!source) return fail(std::move(source.error()));
    } else if (is_found_by_its_line(**source)) {
      take_input((*source)->current());
      return {};
    } else {
      source = run_.evaluation->chosen_cases();
      if (!source) return fail(std::move(source.error()));
    }
    for (;;) {
      auto more = (*source)->next();
      (*source)->take_problems();
      if (!more) return fail(std::move(more.error()));
      if (!*more) return {};
      const Case& current = (*source)->current();
      if (current.id != view_.id) {
        near_.add(current.id);
        continue;
      }
      take_input(current);
      return {};
    }
  }

  // Of a finished run over lines of JSON the results say which line the case is, and it is looked at: its id
  // and, where something was asked for it, that the journal has it at this index.
  bool is_found_by_its_line(CaseSource& source) {
    const std::string data = run_.evaluation->data_path();
    if (run_.evaluation->goes_on() || !has_results(directory_)) return false;
    in_results_ = find_in_results(directory_, view_.id);
    if (!in_results_ || in_results_->line == 0 || !data.ends_with(".jsonl")) return false;
    const auto place = place_of_line(data, in_results_->line);
    if (!place || !source.go_to({.index = in_results_->row, .line = *place})) return false;
    source.take_problems();
    if (source.current().id != view_.id || source.current().index != in_results_->row) return false;
    if (run_.store == nullptr) return true;
    const auto kept = run_.loop.run_until_done(run_.store->outcomes(in_results_->row, 1));
    return kept && !kept->empty() && kept->front().case_index == in_results_->row &&
           kept->front().case_id == view_.id;
  }

  void take_input(const Case& current) {
    input_ = current.travelling();
    view_.line = current.line;
    indices_.insert(current.index);
    const auto tree = parse_json(current.payload);
    if (tree && tree->is_object()) view_.input = tree->get_object();
  }

  // A case may have several indices, one of each sitting; and the journal knows it where the data do not.
  Status look_in_outcomes() {
    for (std::int64_t first = 0;;) {
      auto page = run_.loop.run_until_done(run_.store->outcomes(first, kPage));
      if (!page) return fail(std::move(page.error()));
      for (const OutcomeRow& row : *page) {
        if (row.case_id == view_.id) {
          indices_.insert(row.case_index);
        } else {
          near_.add(row.case_id);
        }
      }
      if (page->size() < kPage) return {};
      first = page->back().case_index + 1;
    }
  }

  Status look_at_result() {
    const bool beside = !indices_.empty() && is_beside(*indices_.begin());
    if (beside && file_exists(directory_ + "/" + kAnchorsFile))
      return look_through(kAnchorsFile, view_.id.substr(kAnchorIdBefore.size()));
    if (has_results(directory_)) return look_in_results();
    if (run_.store == nullptr || !input_) return {};
    OutcomeCursor outcomes(*run_.store);
    auto finished = run_.loop.run_until_done(finished_case(run_, outcomes, *input_));
    if (!finished) return fail(std::move(finished.error()));
    if (!*finished) return {};
    return take_result(result_of(*run_.evaluation, *input_, **finished).line);
  }

  Status look_in_results() {
    if (places_ != nullptr) {
      auto reader = LineReader::open(directory_ + "/results.jsonl");
      if (!reader) return fail(std::move(reader.error()));
      LineParser parser({"id"});
      for (const LinePlace& place : places_->in_results(view_.id)) {
        if (auto there = reader->go_to(place); !there) return there;
        auto line = reader->next();
        if (!line) return fail(std::move(line.error()));
        if (*line && parser.parse(**line) && parser.field(0).text == view_.id)
          return take_result((*line)->text);
      }
      return {};
    }
    if (in_results_) {
      auto reader = LineReader::open(directory_ + "/results.jsonl");
      if (!reader) return fail(std::move(reader.error()));
      if (auto there = reader->go_to(in_results_->place); !there) return there;
      auto line = reader->next();
      if (!line) return fail(std::move(line.error()));
      if (*line) return take_result((*line)->text);
    }
    return look_through("results.jsonl", view_.id);
  }

  Status look_through(const std::string& file, std::string_view id) {
    auto reader = LineReader::open(directory_ + "/" + file);
    if (!reader) return fail(std::move(reader.error()));
    LineParser parser({"id"});
    for (;;) {
      auto line = reader->next();
      if (!line) return fail(std::move(line.error()));
      if (!*line) return {};
      if (!parser.parse(**line)) continue;
      if (parser.field(0).text == id) return take_result((*line)->text);
      near_.add(parser.field(0).text);
    }
  }

  Status take_result(std::string_view text) {
    auto tree = parse_json(text);
    if (!tree) return fail(std::move(tree.error()));
    if (!tree->is_object()) return {};
    view_.result = std::move(tree->get_object());
    view_.outcome = text_at(view_.result, "outcome");
    if (const Json* line = view_.result.if_contains("line"))
      view_.line = static_cast<std::uint64_t>(as_integer(*line).value_or(0));
    return {};
  }

  Status look_at_effects() {
    if (run_.store == nullptr) return {};
    std::vector<std::vector<EffectView>> sittings;
    for (const std::int64_t index : indices_) {
      auto rows = run_.loop.run_until_done(run_.store->effects_of(index, Requests::whole));
      if (!rows) return fail(std::move(rows.error()));
      if (rows->empty()) continue;
      auto& views = sittings.emplace_back();
      for (EffectRow& row : *rows) views.push_back(view_of(std::move(row)));
    }
    std::ranges::sort(sittings, {}, [](const auto& views) { return views.front().finished; });
    for (auto& views : sittings) std::ranges::move(views, std::back_inserter(view_.effects));
    return {};
  }

  const std::string& directory_;
  OpenedRun& run_;
  const CasePlaces* places_;
  std::optional<InResults> in_results_;
  NearIds near_;
  CaseView view_;
  std::optional<Case> input_;
  std::set<std::int64_t> indices_;
};

std::string evaluation_of(const std::string& directory, const OpenedRun& run) {
  if (run.plan) return std::string(run.plan->kind->name);
  if (run.store != nullptr) return run.store->identity().evaluation;
  const auto text = read_file(directory + "/config.yaml");
  const auto config = text ? parse_yaml(*text) : Result<YamlDocument>(fail(text.error()));
  return config ? text_at(config->value, "evaluation") : std::string();
}

}  // namespace

Result<CaseView> show_case(const std::string& directory, const std::string& id, const CasePlaces* places,
                           HashedFiles* hashes) {
  if (auto there = check_run_directory(directory); !there) return fail(std::move(there.error()));
  auto run = OpenedRun::open(
      directory, places == nullptr ? OpenedRun::Data::unknown : OpenedRun::Data::those_of_the_run, hashes);
  if (!run) return fail(std::move(run.error()));
  auto view = Looking(directory, id, **run, places).look();
  if (view) view->evaluation = evaluation_of(directory, **run);
  return view;
}

}  // namespace assay
