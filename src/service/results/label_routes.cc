#include "service/results/label_routes.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "runs/finished.h"
#include "runs/labels/agreement.h"
#include "runs/labels/draw.h"
#include "runs/labels/judged_run.h"
#include "runs/labels/labels_file.h"
#include "runs/labels/offers.h"
#include "runs/show/listed_cases.h"
#include "service/http/route_parts.h"
#include "service/results/schemas.h"

namespace assay {
namespace {

using labels::Standing;

constexpr const char* kSheetRequest =
    R"({"type": "object", "required": ["kind", "count"],
  "additionalProperties": false, "properties": {
    "kind": {"enum": ["pair", "rating", "label", "rubric"]},
    "figure": {"type": ["string", "null"]},
    "variants": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
    "question": {"type": "string", "maxLength": 2000},
    "scale": {"type": ["array", "null"], "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
    "labels": {"type": "array", "items": {"type": "string", "maxLength": 200}, "maxItems": 100},
    "count": {"type": "integer", "minimum": 1, "maximum": 10000},
    "seed": {"type": "integer", "minimum": 0}}})";
constexpr const char* kAnswer =
    R"({"type": "object", "required": ["person", "key", "value"],
  "additionalProperties": false, "properties": {
    "person": {"type": "string"}, "key": {"type": "string"},
    "value": {"type": ["string", "number", "boolean"],
      "description": "pair: A, B or tie; rating: a whole number; label: one of the labels; rubric: yes or no"},
    "comment": {"type": "string", "maxLength": 4000}}})";
constexpr const char* kUndo =
    R"({"type": "object", "required": ["person"], "additionalProperties": false,
  "properties": {"person": {"type": "string"}}})";

// What went wrong, at the field of the request that it is about; a sheet that
// is not there is 404.
void send_problem(Exchange& exchange, const Error& error) {
  const auto field = std::ranges::find(error.context, "field", [](const auto& entry) { return entry.first; });
  if (field != error.context.end()) {
    exchange.add_error(field->second, error.message);
    (void)exchange.refused();
    return;
  }
  if (error.kind == ErrorKind::usage) return exchange.send_error(404, error.text());
  exchange.send_failure(error);
}

labels::SheetRequest sheet_request(const Json& body) {
  labels::SheetRequest request;
  request.kind = *labels::sheet_kind(text_at(body, "kind"));
  request.figure = text_at(body, "figure");
  for (const Json& name : list_at(body, "variants")) request.variants.push_back(text_or_json(name));
  request.question = text_at(body, "question");
  if (const JsonArray& ends = list_at(body, "scale"); ends.size() == 2)
    request.scale = Interval{as_number(ends[0]).value_or(0), as_number(ends[1]).value_or(0)};
  for (const Json& label : list_at(body, "labels")) request.labels.push_back(text_or_json(label));
  request.count = static_cast<std::size_t>(as_integer(*find_member(body, "count")).value_or(0));
  if (const Json* seed = find_member(body, "seed"))
    request.seed = static_cast<std::uint64_t>(as_integer(*seed).value_or(0));
  return request;
}

Json standing_json(const Standing& standing) {
  return JsonObject{{"task", standing.task ? Json(*standing.task) : Json(nullptr)},
                    {"done", standing.done},
                    {"of", standing.of}};
}

void list_sheets(Results& results, Labelling& labelling, const ExchangePointer& exchange) {
  read_for(results, exchange, [&results, &labelling, exchange] {
    const auto run = named_run(results, *exchange);
    if (run == nullptr) return;
    JsonArray made;
    for (Json& sheet : labelling.sheets->of_run(run->id)) made.push_back(std::move(sheet));
    KnownOffers::Known known = labelling.offers.of(*run);
    JsonObject answer{{"sheets", std::move(made)}, {"offers", std::move(known.offers)}};
    if (!known.none.empty()) answer["no_offers"] = known.none;
    exchange->send(200, answer);
  });
}

void make_sheet(Results& results, Labelling& labelling, const ExchangePointer& exchange, const Json& body) {
  read_for(results, exchange, [&results, &labelling, exchange, request = sheet_request(body)] {
    const auto run = named_run(results, *exchange);
    if (run == nullptr) return;
    const auto judged = labels::read_judged_run(run->run.directory);
    if (!judged) return exchange->send_failure(judged.error());
    auto sheet = labels::draw_sheet(*judged, request);
    if (!sheet) return send_problem(*exchange, sheet.error());
    const auto kept = labelling.sheets->add(std::move(*sheet), run->id);
    if (!kept) return exchange->send_failure(kept.error());
    exchange->send(201, *kept);
  });
}

void show_sheet(Results& results, Labelling& labelling, const ExchangePointer& exchange) {
  read_for(results, exchange, [&labelling, exchange] {
    const auto sheet = labelling.sheets->glance(exchange->parameter("sheet"));
    if (!sheet) return send_problem(*exchange, sheet.error());
    exchange->send(200, *sheet);
  });
}

void next_task(Results& results, Labelling& labelling, const ExchangePointer& exchange) {
  const std::string person = exchange->text("person").value_or("");
  if (exchange->refused()) return;
  read_for(results, exchange, [&labelling, exchange, person] {
    const auto standing = labelling.sheets->next(exchange->parameter("sheet"), person);
    if (!standing) return send_problem(*exchange, standing.error());
    exchange->send(200, standing_json(*standing));
  });
}

void take_answer(Results& results, Labelling& labelling, const ExchangePointer& exchange, const Json& body) {
  read_for(results, exchange, [&labelling, exchange, body] {
    const auto standing =
        labelling.sheets->answer(exchange->parameter("sheet"), text_at(body, "person"), text_at(body, "key"),
                                 *find_member(body, "value"), text_at(body, "comment"));
    if (!standing) return send_problem(*exchange, standing.error());
    exchange->send(200, JsonObject{{"done", standing->done}, {"of", standing->of}});
  });
}

void take_back(Results& results, Labelling& labelling, const ExchangePointer& exchange, const Json& body) {
  read_for(results, exchange, [&labelling, exchange, person = text_at(body, "person")] {
    const auto standing = labelling.sheets->undo(exchange->parameter("sheet"), person);
    if (!standing) return send_problem(*exchange, standing.error());
    exchange->send(200, standing_json(*standing));
  });
}

void show_agreement(Results& results, Labelling& labelling, const ExchangePointer& exchange) {
  read_for(results, exchange, [&results, &labelling, exchange] {
    const auto contents = labelling.sheets->contents(exchange->parameter("sheet"));
    if (!contents) return send_problem(*exchange, contents.error());
    // Another run may stand there by now, or none.
    std::optional<RunScores> scores;
    if (const auto run = results.catalogue.look()->find(contents->sheet->run);
        run != nullptr && !run->run.directory.empty()) {
      auto read = read_run_scores(run->run.directory);
      if (read && read->summary.run_id == contents->sheet->run_id) scores = std::move(*read);
    }
    exchange->send(
        200, to_json(labels::agreement_of(*contents->sheet, contents->answers, scores ? &*scores : nullptr)));
  });
}

void give_labels(Results& results, Labelling& labelling, const ExchangePointer& exchange) {
  read_for(results, exchange, [&labelling, exchange] {
    const auto contents = labelling.sheets->contents(exchange->parameter("sheet"));
    if (!contents) return send_problem(*exchange, contents.error());
    exchange->send_bytes(200,
                         {{"Content-Type", "text/csv; charset=utf-8"},
                          {"Content-Disposition", "attachment; filename=\"labels.csv\""}},
                         labels::labels_csv(*contents->sheet, contents->answers));
  });
}

// Handlers about both, with and without a body; a body is checked against its
// schema first.
using Asking = void (*)(Results&, Labelling&, const ExchangePointer&);
using Taking = void (*)(Results&, Labelling&, const ExchangePointer&, const Json&);

auto about(Results& results, Labelling& labelling, Asking handler) {
  return [&results, &labelling, handler](const ExchangePointer& exchange, const Json&) {
    handler(results, labelling, exchange);
  };
}

auto about(Results& results, Labelling& labelling, const BodySchema& schema, Taking handler) {
  return [&results, &labelling, &schema, handler](const ExchangePointer& exchange, const Json& body) {
    if (schema.fits(*exchange, body)) handler(results, labelling, exchange, body);
  };
}

Json schema_of(const std::string& text) {
  return *parse_json(text);
}

}  // namespace

KnownOffers::Known KnownOffers::of(const CataloguedRun& run) {
  {
    const std::lock_guard guard(mutex_);
    const auto found = std::ranges::find(kept_, run.run.directory, &Kept::directory);
    if (found != kept_.end() && found->version == run.version) {
      std::rotate(kept_.begin(), found, std::next(found));
      return kept_.front().known;
    }
  }
  Known known;
  if (!has_results(run.run.directory)) {
    known.none = "The run is not finished yet: its cases can be judged when it is.";
  } else if (const auto judged = labels::read_judged_run(run.run.directory); !judged) {
    known.none = judged.error().text();
  } else {
    for (const labels::Offer& offer : labels::offers_of(*judged)) known.offers.push_back(to_json(offer));
    if (known.offers.empty()) known.none = "This run holds nothing that a person could judge.";
  }
  const std::lock_guard guard(mutex_);
  std::erase_if(kept_, [&](const Kept& one) { return one.directory == run.run.directory; });
  kept_.insert(kept_.begin(), {run.run.directory, run.version, known});
  if (kept_.size() > kMost) kept_.pop_back();
  return known;
}

std::vector<Route> label_routes(Results& results, Labelling& labelling) {
  static const BodySchema request(kSheetRequest);
  static const BodySchema answer(kAnswer);
  static const BodySchema undo(kUndo);
  const char* const whole = R"({"type": "integer"})";
  const std::string of_run = "/api/runs/{run}/sheets";
  const std::string sheet = "/api/sheets/{sheet}";
  return {
      {.method = "GET",
       .path = of_run,
       .role = TokenRole::read,
       .summary = "Sheets of the run that people judge, and those that could be made.",
       .answer = schema_of(schemas::sheet_list()),
       .statuses = {200, 400, 404},
       .handle = about(results, labelling, list_sheets)},
      {.method = "POST",
       .path = of_run,
       .role = TokenRole::label,
       .summary = "Draws cases of a finished run at random for people to judge.",
       .body = request.json(),
       .answer = schema_of(schemas::sheet()),
       .statuses = {201, 400, 404},
       .handle = about(results, labelling, request, make_sheet)},
      {.method = "GET",
       .path = sheet,
       .role = TokenRole::read,
       .summary = "A sheet, and who has answered how much of it.",
       .answer = schema_of(schemas::sheet()),
       .statuses = {200, 400, 404},
       .handle = about(results, labelling, show_sheet)},
      {.method = "GET",
       .path = sheet + "/next",
       .role = TokenRole::label,
       .summary = "The next task of a person, in an order of their own; null "
                  "when all are done.",
       .query = {needed({"person", "string", "Who judges."})},
       .answer = schema_of(schemas::standing()),
       .statuses = {200, 400, 404},
       .handle = about(results, labelling, next_task)},
      {.method = "POST",
       .path = sheet + "/answers",
       .role = TokenRole::label,
       .summary = "Keeps a person's answer; it is on the disk before this is "
                  "answered.",
       .body = answer.json(),
       .answer = object_schema({{"done", whole}, {"of", whole}}),
       .statuses = {200, 400, 404},
       .handle = about(results, labelling, answer, take_answer)},
      {.method = "POST",
       .path = sheet + "/undo",
       .role = TokenRole::label,
       .summary = "Takes back a person's last answer and gives its task again.",
       .body = undo.json(),
       .answer = schema_of(schemas::standing()),
       .statuses = {200, 400, 404},
       .handle = about(results, labelling, undo, take_back)},
      {.method = "GET",
       .path = sheet + "/agreement",
       .role = TokenRole::read,
       .summary = "How far people agree with each other and with the judge, "
                  "and the corrected figure.",
       .answer = schema_of(schemas::agreement()),
       .statuses = {200, 400, 404},
       .handle = about(results, labelling, show_agreement)},
      {.method = "GET",
       .path = sheet + "/labels",
       .role = TokenRole::read,
       .summary = "The labels file that `human` in a config reads.",
       .answer = JsonObject{{"type", "string"}},
       .media = "text/csv",
       .statuses = {200, 400, 404},
       .handle = about(results, labelling, give_labels)},
  };
}

}  // namespace assay
