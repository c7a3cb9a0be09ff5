#include "evaluations/persona/records.h"

#include <charconv>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/sha256.h"
#include "core/text.h"
#include "evaluations/persona/judge.h"

namespace assay::persona {
namespace {

Json chat_messages(const ChatRequest& chat) {
  JsonArray messages;
  for (const Message& message : chat.messages)
    messages.push_back(JsonObject{{"role", to_string(message.role)}, {"content", message.text}});
  return messages;
}

Json query_info(const RecordedRequest& about) {
  JsonObject info{
      {"model", about.chat.model},
      {"tool_choice", JsonObject{{"type", "function"}, {"function", JsonObject{{"name", kToolName}}}}}};
  const Sampling& sampling = about.chat.sampling;
  if (sampling.temperature) info["temperature"] = *sampling.temperature;
  if (sampling.top_p) info["top_p"] = *sampling.top_p;
  if (sampling.max_tokens) info["max_tokens"] = *sampling.max_tokens;
  if (sampling.seed) info["seed"] = *sampling.seed;
  info["mode"] = to_string(about.mode);
  info["eval_request"] = about.request;
  info["engine"] = "assay";
  return info;
}

Json finish_json(const Judgement& judgement) {
  return judgement.finish_reason.empty() ? Json(nullptr) : Json(boost::json::string(judgement.finish_reason));
}

Json query_state(const Judgement& judgement) {
  JsonObject state;
  if (!judgement.model.empty()) state["model"] = judgement.model;
  state["finish_reason"] = finish_json(judgement);
  state["usage"] = usage_json(judgement.usage);
  state["attempts"] = judgement.attempts;
  return state;
}

Json additional_query_info(const RecordedRequest& about, const Judgement& judgement) {
  const Tool& tool = about.chat.tools.front();
  return JsonObject{
      {"tools", JsonArray{JsonObject{{"type", "function"},
                                     {"function", JsonObject{{"name", tool.name},
                                                             {"description", tool.description},
                                                             {"parameters", tool.parameters}}}}}},
      {"messages", chat_messages(about.chat)},
      {"finish_reason", finish_json(judgement)}};
}

Json recorded_perspectives(const RecordedRequest& about) {
  JsonArray perspectives;
  for (const Perspective& one : about.perspectives) perspectives.push_back(recorded_perspective(one));
  return perspectives;
}

Json recorded_verdict(const Verdict& verdict, Mode mode) {
  JsonObject json{{"perspectiveId", verdict.perspective_id},
                  {"mode", to_string(mode)},
                  {"evaluatedSelection", or_null(verdict.selection)},
                  {"evaluationText", verdict.text}};
  if (mode == Mode::mode3) {
    json["evaluationAgreement"] = verdict.agrees ? "AGREE" : "DISAGREE";
  } else {
    json["evaluationLikertVal"] = verdict.likert;
    json["evaluationLikertText"] = likert_label(verdict.likert);
  }
  return json;
}

// One entry per classification, with its perspectives.
Json evaluation_responses(const RecordedRequest& about, const Judgement& judgement) {
  JsonArray responses;
  for (const Classification& classification : about.item.classifications) {
    JsonArray perspectives;
    for (const Verdict& verdict : judgement.answer.verdicts) {
      if (verdict.classification_id == classification.id)
        perspectives.push_back(recorded_verdict(verdict, about.mode));
    }
    responses.push_back(
        JsonObject{{"classificationName", classification.id}, {"perspectives", std::move(perspectives)}});
  }
  return responses;
}

// That of the failure if its words name one, else that of the answer that came.
Json status_code(const Judgement& judgement, std::string_view error) {
  constexpr std::string_view kMark = "HTTP ";
  if (const std::size_t at = error.find(kMark); at != std::string_view::npos) {
    int status = 0;
    const std::string_view digits = error.substr(at + kMark.size(), 3);
    if (std::from_chars(digits.data(), digits.data() + digits.size(), status).ec == std::errc() &&
        status >= 100)
      return status;
  }
  return judgement.attempts > 0 ? Json(200) : Json(nullptr);
}

}  // namespace

Json success_record(const RecordedRequest& about, const Judgement& judgement) {
  const Json item = camel_case(about.item_json);
  JsonObject evaluated{{"itemId", about.item.id},
                       {"tags", texts_json(about.tags)},
                       {"contentItemSummary", *find_member(item, "contentItemSummary")},
                       {"classifications", *find_member(item, "evaluateClassifications")},
                       {"evaluateSourceType", or_null(about.item.source_type)},
                       {"evaluateSourceOriginator", or_null(about.item.originator)},
                       {"evaluateSourceChannel", or_null(about.item.channel)},
                       {"evaluateTimeText", about.item.time},
                       {"evaluateTimeMs", about.item.time_ms},
                       {"evaluateTitle", or_null(about.item.title)},
                       {"evaluateText", or_null(about.item.text)},
                       {"evaluationResponses", evaluation_responses(about, judgement)}};
  return JsonObject{{"agent", about.agent},
                    {"evaluationPersona", about.persona.json},
                    {"evaluationPerspectives", recorded_perspectives(about)},
                    {"context", JsonObject{{"contextId", about.context_id},
                                           {"evaluationItems", JsonArray{item}},
                                           {"openaiApiCompletionsQueryInfo", query_info(about)},
                                           {"additionalQueryInfo", additional_query_info(about, judgement)},
                                           {"queryState", query_state(judgement)}}},
                    {"evaluationRequest", about.request},
                    {"items", JsonArray{std::move(evaluated)}}};
}

Json failure_record(const RecordedRequest& about, const Judgement& judgement, const std::string& error) {
  const bool came = judgement.attempts > 0;
  const Sampling& sampling = about.chat.sampling;
  const Json text = came ? Json(boost::json::string(judgement.raw_text)) : Json(nullptr);
  return JsonObject{
      {"agent", about.agent},
      {"contextIdentifier", about.context_id},
      {"mode", to_string(about.mode)},
      {"model", about.chat.model},
      {"evaluationPersona", about.persona.json},
      {"evaluationPerspectives", recorded_perspectives(about)},
      {"evaluationItem", camel_case(about.item_json)},
      {"evaluationRequest", about.request},
      {"items", JsonArray{boost::json::string(about.item.id)}},
      {"itemCount", 1},
      {"queryInfo", query_info(about)},
      {"additionalQueryInfo", additional_query_info(about, judgement)},
      {"queryState", query_state(judgement)},
      {"finishReason", finish_json(judgement)},
      {"maxTokens", sampling.max_tokens ? Json(*sampling.max_tokens) : Json(nullptr)},
      {"promptQueryJson", JsonObject{{"model", about.chat.model}, {"messages", chat_messages(about.chat)}}},
      {"responseText", text},
      {"rawResponseText", text},
      {"statusCode", status_code(judgement, error)},
      {"usage", usage_json(judgement.usage)},
      {"error", error},
      {"defects", texts_json(judgement.answer.defects)}};
}

Json job_entry(const RecordedRequest& about, const Judgement& judgement) {
  JsonArray results;
  for (const Verdict& verdict : judgement.answer.verdicts) results.push_back(to_json(verdict, about.mode));
  return JsonObject{{"request_items", *find_member(about.request, "items")},
                    {"info", JsonObject{{"query_info", query_info(about)},
                                        {"query_state", query_state(judgement)},
                                        {"usage", usage_json(judgement.usage)}}},
                    {"results", std::move(results)}};
}

std::vector<Json> eval_info(const RecordedRequest& about, const Judgement& judgement) {
  std::vector<Json> entries;
  const std::string item =
      fmt::format("{} - {} - {}", about.item.id, to_string(about.mode), about.persona.id);
  const std::string content = content_of(about.item);
  for (const Verdict& verdict : judgement.answer.verdicts) {
    std::string value = "NULL";
    for (const Classification& one : about.item.classifications) {
      if (one.id == verdict.classification_id && one.value) value = upper_ascii(*one.value);
    }
    JsonObject entry{{"item", item},
                     {"content", content},
                     {"classification", fmt::format("{} - {}", value, verdict.classification_id)},
                     {"evaluationText", verdict.text}};
    if (about.mode == Mode::mode3) {
      entry["evaluationResult"] = verdict.agrees ? "AGREE" : "DISAGREE";
    } else {
      entry["evaluationResult"] = verdict.likert;
    }
    if (about.perspectives.size() > 1) entry["perspective"] = verdict.perspective_id;
    entries.emplace_back(std::move(entry));
  }
  return entries;
}

std::string context_id(std::string_view run_id, std::string_view case_id) {
  Digest digest = sha256(fmt::format("{}\n{}", run_id, case_id));
  digest[6] = static_cast<unsigned char>((digest[6] & 0x0F) | 0x80);  // version 8: custom (RFC 9562)
  digest[8] = static_cast<unsigned char>((digest[8] & 0x3F) | 0x80);
  const std::string digits = hex(digest);
  return fmt::format("{}-{}-{}-{}-{}", digits.substr(0, 8), digits.substr(8, 4), digits.substr(12, 4),
                     digits.substr(16, 4), digits.substr(20, 12));
}

}  // namespace assay::persona
