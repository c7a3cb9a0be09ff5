#include "evaluations/persona/records.h"

#include <charconv>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "core/sha256.h"
#include "core/text.h"

namespace assay::persona {
namespace {

Json chat_messages(const ChatRequest& chat) {
  JsonArray messages;
  for (const Message& message : chat.messages)
    messages.push_back(JsonObject{{"role", to_string(message.role)}, {"content", message.text}});
  return messages;
}

std::string prompt_text(const ChatRequest& chat) {
  std::string text;
  for (const Message& message : chat.messages) text += (text.empty() ? "" : "\n\n") + message.text;
  return text;
}

// As a call of the tool: that way comes first, so it is what was tried if nothing came.
bool asked_by_tool(const Judgement& judgement) {
  return judgement.origin.way.value_or(StructuredWay::tools) == StructuredWay::tools;
}

Json tools_of(const ChatRequest& chat) {
  const OutputSchema& output = *chat.output;
  return JsonArray{JsonObject{{"type", "function"},
                              {"function", JsonObject{{"name", output.name},
                                                      {"description", output.description},
                                                      {"parameters", output.schema.value()}}}}};
}

Json max_tokens_of(const RecordedRequest& about, const Judgement& judgement) {
  const auto& sent =
      judgement.origin.max_tokens ? judgement.origin.max_tokens : about.chat.sampling.max_tokens;
  return sent ? Json(*sent) : Json(nullptr);
}

// What is sent beside the prompt.
JsonObject parameters_of(const RecordedRequest& about, const Judgement& judgement) {
  JsonObject parameters{{"model", about.chat.model}};
  if (asked_by_tool(judgement)) {
    parameters["tool_choice"] =
        JsonObject{{"type", "function"}, {"function", JsonObject{{"name", about.chat.output->name}}}};
  }
  const Sampling& sampling = about.chat.sampling;
  if (sampling.temperature) parameters["temperature"] = *sampling.temperature;
  if (sampling.top_p) parameters["top_p"] = *sampling.top_p;
  if (sampling.max_tokens) parameters["max_tokens"] = *sampling.max_tokens;
  if (sampling.seed) parameters["seed"] = *sampling.seed;
  return parameters;
}

// The request to the provider, in OpenAI's terms whoever it was.
Json prompt_query(const RecordedRequest& about, const Judgement& judgement) {
  JsonObject query = parameters_of(about, judgement);
  query["messages"] = chat_messages(about.chat);
  if (asked_by_tool(judgement)) {
    query["tools"] = tools_of(about.chat);
  } else if (judgement.origin.way == StructuredWay::json_schema) {
    query["response_format"] = JsonObject{
        {"type", "json_schema"},
        {"json_schema",
         JsonObject{{"name", about.chat.output->name}, {"schema", about.chat.output->schema.value()}}}};
  }
  return query;
}

JsonObject query_info(const RecordedRequest& about, const Judgement& judgement) {
  JsonObject info = parameters_of(about, judgement);
  info["maxTokens"] = max_tokens_of(about, judgement);
  info["mode"] = to_string(about.mode);
  info["eval_request"] = about.request;
  info["engine"] = "assay";
  return info;
}

JsonObject query_info_with_prompt(const RecordedRequest& about, const Judgement& judgement) {
  JsonObject info = query_info(about, judgement);
  info["promptText"] = prompt_text(about.chat);
  info["promptQueryJson"] = prompt_query(about, judgement);
  return info;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(boost::json::string(text));
}

Json query_state(const Judgement& judgement) {
  const ReplyOrigin& origin = judgement.origin;
  return JsonObject{{"id", text_or_null(origin.id)},
                    {"created", origin.created != 0 ? Json(origin.created) : Json(nullptr)},
                    {"model", text_or_null(judgement.model)},
                    {"system_fingerprint", text_or_null(origin.fingerprint)},
                    {"finish_reason", text_or_null(origin.finish_reason)},
                    {"statusCode", origin.status != 0 ? Json(origin.status) : Json(nullptr)},
                    {"usage", usage_json(judgement.usage)},
                    {"attempts", judgement.attempts}};
}

Json additional_query_info(const RecordedRequest& about, const Judgement& judgement) {
  JsonObject info{{"tools", asked_by_tool(judgement) ? tools_of(about.chat) : Json(JsonArray{})},
                  {"messages", chat_messages(about.chat)},
                  {"finish_reason", text_or_null(judgement.origin.finish_reason)}};
  if (judgement.origin.way) info["structured"] = assay::to_string(*judgement.origin.way);
  return info;
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
  return judgement.origin.status != 0 ? Json(judgement.origin.status) : Json(nullptr);
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
  return JsonObject{
      {"agent", about.agent},
      {"evaluationPersona", about.persona.json},
      {"evaluationPerspectives", recorded_perspectives(about)},
      {"context", JsonObject{{"contextId", about.context_id},
                             {"evaluationItems", JsonArray{item}},
                             {"openaiApiCompletionsQueryInfo", query_info_with_prompt(about, judgement)},
                             {"additionalQueryInfo", additional_query_info(about, judgement)},
                             {"queryState", query_state(judgement)}}},
      {"evaluationRequest", about.request},
      {"items", JsonArray{std::move(evaluated)}}};
}

Json failure_record(const RecordedRequest& about, const Judgement& judgement, const std::string& error) {
  const bool came = judgement.attempts > 0;
  const Json text = came ? Json(boost::json::string(judgement.raw_text)) : Json(nullptr);
  return JsonObject{{"agent", about.agent},
                    {"contextIdentifier", about.context_id},
                    {"mode", to_string(about.mode)},
                    {"model", about.chat.model},
                    {"evaluationPersona", about.persona.json},
                    {"evaluationPerspectives", recorded_perspectives(about)},
                    {"evaluationItem", camel_case(about.item_json)},
                    {"evaluationRequest", about.request},
                    {"items", JsonArray{boost::json::string(about.item.id)}},
                    {"itemCount", 1},
                    {"queryInfo", query_info(about, judgement)},
                    {"additionalQueryInfo", additional_query_info(about, judgement)},
                    {"queryState", query_state(judgement)},
                    {"finishReason", text_or_null(judgement.origin.finish_reason)},
                    {"maxTokens", max_tokens_of(about, judgement)},
                    {"promptText", prompt_text(about.chat)},
                    {"promptQueryJson", prompt_query(about, judgement)},
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
                    {"info", JsonObject{{"query_info", query_info(about, judgement)},
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
