#include "evaluations/persona/persona.h"

#include <deque>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.h"
#include "evaluations/persona/schemas.h"
#include "tests/evaluations/fake_context.h"

namespace assay::persona {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Json fixture(const std::string& name) {
  const auto text = read_file(std::string(ASSAY_SOURCE_DIR) + "/tests/data/persona/" + name);
  if (!text) throw std::runtime_error(text.error().text());
  return parse_json(*text).value();
}

Json arguments(const Json& given) {
  return given.is_array() ? Json(JsonObject{{"resultItems", given}}) : given;
}

Persona kenton() {
  return read_persona(fixture("persona.json")).value();
}
Perspective classification() {
  return read_perspective(fixture("perspective.json")).value();
}

TEST(PersonaSchemas, TakeTheSourcesExamples) {
  EXPECT_THAT(schema_problems("persona.schema.json", fixture("persona.json")), IsEmpty());
  EXPECT_THAT(schema_problems("perspective.schema.json", fixture("perspective_recorded.json")), IsEmpty());
  EXPECT_THAT(
      schema_problems("classification-evaluation-request.schema.json", fixture("mode1_request_sent.json")),
      IsEmpty());
  for (const char* mode : {"mode2", "mode3"}) {
    EXPECT_THAT(schema_problems("classification-evaluation-request.alt.schema.json",
                                fixture(std::string(mode) + "_request_sent.json")),
                IsEmpty());
  }
  EXPECT_THAT(schema_problems(result_schema(Mode::mode1), arguments(fixture("mode1_response.json"))),
              IsEmpty());
  EXPECT_THAT(schema_problems(result_schema(Mode::mode2), arguments(fixture("mode2_response.json"))),
              IsEmpty());
  EXPECT_THAT(schema_problems(result_schema(Mode::mode3), arguments(fixture("mode3_response.json"))),
              IsEmpty());
}

TEST(PersonaSchemas, RefuseTheSourcesWrongAnswerOfMode2AndTakeItForMode3) {
  const Json wrong = arguments(fixture("mode2_response_wrong.json"));
  EXPECT_THAT(schema_problems(result_schema(Mode::mode2), wrong), Not(IsEmpty()));
  EXPECT_THAT(schema_problems(result_schema(Mode::mode3), wrong), IsEmpty());
}

TEST(PersonaSchemas, TellRecordsApart) {
  for (const char* name :
       {"success_documented.json", "success_mode1.json", "success_mode2.json", "success_mode3.json"}) {
    EXPECT_THAT(schema_problems("record-evaluation-data.schema.json", fixture(name)), IsEmpty()) << name;
    EXPECT_THAT(schema_problems("record-evaluation-failure.schema.json", fixture(name)), Not(IsEmpty()))
        << name;
  }
  for (const char* name :
       {"failure_documented.json", "failure_misspelt.json", "failure_processor.json", "failure_both.json"}) {
    EXPECT_THAT(schema_problems("record-evaluation-failure.schema.json", fixture(name)), IsEmpty()) << name;
    EXPECT_THAT(schema_problems("record-evaluation-data.schema.json", fixture(name)), Not(IsEmpty())) << name;
  }
}

TEST(PersonaRequest, IsTheSourcesInEveryMode) {
  for (const Mode mode : {Mode::mode1, Mode::mode2, Mode::mode3}) {
    const std::string name(to_string(mode));
    const Json item = fixture(name + "_item.json");
    ASSERT_THAT(item_problems(item), IsEmpty());
    const Json expected = fixture(name + "_request_sent.json");
    Perspective perspective = classification();
    if (mode != Mode::mode1) perspective.text = text_at(expected, "perspective");
    EXPECT_EQ(canonical_text(request_of(mode, kenton(), {perspective}, read_item(item))),
              canonical_text(expected))
        << name;
  }
}

TEST(PersonaRequest, ReadsSnakeCaseNumbersAsTimesAndNothingTwice) {
  const Json item = parse_json(R"({"content_item_summary": {"item_id": "a"}, "evaluate_time": 1710777356.111,
    "evaluate_title": "", "evaluate_text": null, "evaluate_source_type": null, "evaluate_source_originator": null,
    "evaluate_source_channel": null, "evaluate_classifications": [
      {"classification_name": "c", "classification_desc": "d", "classification_value": null,
       "classification_options": ["x"]}], "tags": ["t"]})")
                        .value();
  ASSERT_THAT(item_problems(item), IsEmpty());
  const Item read = read_item(item);
  EXPECT_EQ(read.id, "a");
  EXPECT_EQ(read.time, "2024-03-18T15:55:56.111Z");
  EXPECT_EQ(content_of(read), "2024-03-18T15:55:56.111Z");
  EXPECT_FALSE(read.classifications[0].value);
  Json twice = item;
  auto& list = twice.get_object()["evaluate_classifications"].get_array();
  list.push_back(list[0]);
  EXPECT_THAT(item_problems(twice), testing::ElementsAre(HasSubstr("\"c\" is there twice")));
  Json bad = item;
  bad.get_object()["evaluate_time"] = "yesterday";
  EXPECT_THAT(item_problems(bad), testing::ElementsAre(HasSubstr("/evaluateTime")));
}

// Each entry says which mode and request it answers, and whether it counts.
TEST(PersonaAnswer, EveryNegativeCaseIsRefusedAndEveryOddGoodOneTaken) {
  const Json cases = fixture("negative.json");
  std::size_t refused = 0;
  for (const Json& one : cases.get_array()) {
    const std::string name = text_at(one, "name");
    const Mode mode = mode_of(text_at(one, "mode")).value();
    const std::vector<Question> questions = questions_of(mode, camel_case(fixture(text_at(one, "request"))));
    ASSERT_FALSE(questions.empty()) << name;
    const Json& given = *find_member(one, "arguments");
    AnswerReading read{given, {}, {}};
    if (given.is_string()) read = read_answer({.message = {.text = std::string(given.get_string())}}, {});
    const CheckedAnswer checked = read.defects.empty()
                                      ? check_answer(mode, questions, as_result_items(std::move(read.value)))
                                      : CheckedAnswer{{}, std::move(read.defects), {}};
    const bool accepted = as_boolean(*find_member(one, "accepted")).value();
    EXPECT_EQ(checked.defects.empty(), accepted) << name << ": " << ::testing::PrintToString(checked.defects);
    EXPECT_EQ(checked.warnings.size(),
              static_cast<std::size_t>(as_integer(*find_member(one, "warnings")).value()))
        << name;
    EXPECT_EQ(checked.verdicts.size(), accepted ? questions.size() : 0) << name;
    refused += accepted ? 0 : 1;
    const std::string defect = text_at(one, "defect");
    const std::map<std::string, const char*> words = {{"unknown_item", "no such item"},
                                                      {"unknown_perspective", "no such perspective"},
                                                      {"duplicate", "more than once"},
                                                      {"missing", "has no result"},
                                                      {"not_json", "JSON"}};
    if (const auto word = words.find(defect); word != words.end()) {
      EXPECT_THAT(checked.defects, testing::Contains(HasSubstr(word->second))) << name;
    }
  }
  EXPECT_GE(refused, 40U);
}

// Gives one reply after the other and keeps the requests.
class ScriptedContext final : public QuietContext {
 public:
  std::deque<Result<ChatReply>> replies;
  std::vector<ChatRequest> requests;

  Task<Result<ChatReply>> complete(std::string, int, ChatRequest request) override {
    requests.push_back(std::move(request));
    Result<ChatReply> reply = std::move(replies.front());
    replies.pop_front();
    co_return reply;
  }
};

// As a model settles it, whichever way it was asked.
ChatReply answer_of(const Json& arguments_given, std::string finish_reason = "tool_calls") {
  ChatReply reply;
  reply.message = {.role = Role::assistant, .text = to_text(arguments_given)};
  reply.finish = finish_reason == "length" ? FinishReason::length : FinishReason::stop;
  reply.usage = {.prompt_tokens = 100, .completion_tokens = 10};
  reply.model = "judge-1";
  reply.origin = {.id = "chatcmpl-7",
                  .finish_reason = std::move(finish_reason),
                  .fingerprint = "fp_1",
                  .created = 1'700'000'000,
                  .status = 200,
                  .max_tokens = 900,
                  .way = StructuredWay::tools};
  return reply;
}

struct PersonaJudgeTest : testing::Test {
  std::vector<ConfigProblem> problems;
  PromptLibrary prompts;
  ScriptedContext context;
  Json request = fixture("mode2_request_sent.json");
  Judge judge{Mode::mode2, "sim/judge", {}, 3, false, prompts, problems};

  Judgement ask() { return finish_now(judge.ask(context, "evaluate", request)); }
};

TEST_F(PersonaJudgeTest, PrefersTheToolAndSendsTheRequestLastAsJson) {
  ASSERT_THAT(problems, IsEmpty());
  const ChatRequest chat = judge.chat(request);
  ASSERT_EQ(chat.messages.size(), 4U);
  EXPECT_EQ(chat.messages[0].role, Role::system);
  EXPECT_EQ(chat.messages[2].role, Role::user);
  EXPECT_EQ(parse_json(chat.messages.back().text).value(), request);
  ASSERT_TRUE(chat.output);
  EXPECT_EQ(chat.output->name, "get_evaluations");
  EXPECT_EQ(chat.output->preferred, StructuredWay::tools);
  const Judge nested(Mode::mode1, "m", {}, 3, true, prompts, problems);
  const ChatRequest with_schema = nested.chat(fixture("mode1_request_sent.json"));
  EXPECT_EQ(with_schema.messages[1].role, Role::system);
  EXPECT_THAT(with_schema.messages[1].text, HasSubstr("classification-evaluation-request.schema.json"));
  EXPECT_EQ(with_schema.messages.size(), 4U) << "mode 1 has no examples";
}

TEST_F(PersonaJudgeTest, AsksAgainWithTheDefectsNamedAndCountsAllUsage) {
  Json wrong = arguments(fixture("mode2_response.json"));
  wrong.get_object()["resultItems"].get_array()[0].get_object()["evaluationLikert"] = 6;
  context.replies.emplace_back(answer_of(wrong));
  context.replies.emplace_back(answer_of(fixture("mode2_response.json"), "stop"));
  const Judgement judgement = ask();
  EXPECT_FALSE(judgement.error);
  EXPECT_EQ(judgement.attempts, 2);
  EXPECT_EQ(judgement.usage.prompt_tokens, 200);
  EXPECT_EQ(judgement.answer.verdicts.size(), 2U);
  ASSERT_EQ(context.requests.size(), 2U);
  const auto& messages = context.requests[1].messages;
  EXPECT_EQ(messages[messages.size() - 2].role, Role::assistant);
  EXPECT_EQ(messages.back().role, Role::user);
  EXPECT_THAT(messages.back().text,
              AllOf(HasSubstr("/resultItems/0/evaluationLikert"), HasSubstr("found 6")));
}

TEST_F(PersonaJudgeTest, GivesUpAfterItsAttemptsAndKeepsWhatWasWritten) {
  ChatReply cut = answer_of(Json(), "length");
  cut.message.text = "{\"resultItems\": [";
  ChatReply prose = answer_of(Json(), "stop");
  prose.message.text = "I agree with all of it.";
  prose.usage = {.prompt_tokens = 5, .completion_tokens = 5};
  context.replies.emplace_back(cut);
  context.replies.emplace_back(answer_of(JsonArray{}));
  context.replies.emplace_back(prose);
  const Judgement judgement = ask();
  ASSERT_TRUE(judgement.error);
  EXPECT_EQ(judgement.error->kind, ErrorKind::judge);
  EXPECT_THAT(judgement.error->message, HasSubstr("was not JSON"));
  EXPECT_EQ(judgement.raw_text, "I agree with all of it.");
  EXPECT_EQ(judgement.usage.prompt_tokens, 205);
  EXPECT_THAT(context.requests[1].messages.back().text, HasSubstr("cut off"));
  EXPECT_THAT(judgement.answer.verdicts, IsEmpty());
}

TEST_F(PersonaJudgeTest, OnlyTheFinishReasonsOfTheContractAreGood) {
  for (const char* good : {"stop", "tool_calls", "function_call", "end_turn", "tool_use"}) {
    context.replies.emplace_back(answer_of(fixture("mode2_response.json"), good));
    EXPECT_EQ(ask().attempts, 1) << good;
  }
  for (const char* bad : {"", "length", "model_context_window_exceeded", "error", "Stop"}) {
    for (int i = 0; i < 3; ++i) context.replies.emplace_back(answer_of(fixture("mode2_response.json"), bad));
    const Judgement judgement = ask();
    ASSERT_TRUE(judgement.error) << bad;
    EXPECT_THAT(judgement.answer.verdicts, IsEmpty());
    EXPECT_EQ(judgement.origin.finish_reason, bad) << "the provider's own word is kept";
  }
}

TEST_F(PersonaJudgeTest, AFailureOfTheNetworkIsNotTheJudges) {
  context.replies.emplace_back(fail(ErrorKind::network, "connection refused"));
  const Judgement judgement = ask();
  ASSERT_TRUE(judgement.error);
  EXPECT_EQ(judgement.error->kind, ErrorKind::network);
  EXPECT_EQ(judgement.attempts, 0);
}

struct PersonaRecordsTest : PersonaJudgeTest {
  Persona persona = kenton();
  std::vector<Perspective> perspectives{classification()};
  std::vector<std::string> tags{"trial"};
  Json item_json = fixture("mode2_item.json");
  Item item = read_item(item_json);
  ChatRequest chat = judge.chat(request);
  RecordedRequest about{
      "assay", context_id("run", "case"), Mode::mode2, persona, perspectives, tags, item_json, item, request,
      chat};
};

TEST_F(PersonaRecordsTest, FitTheirSchemasAndSurviveTheJournal) {
  context.replies.emplace_back(answer_of(fixture("mode2_response.json")));
  const Judgement judgement = ask();
  const Outcome outcome{OutcomeKind::scored, outcome_json(judgement, Mode::mode2), ""};
  const Judgement again = judgement_from(outcome);
  const Json record = success_record(about, again);
  EXPECT_THAT(schema_problems("record-evaluation-data.schema.json", record), IsEmpty());
  EXPECT_EQ(record, success_record(about, judgement));
  const Json& query = *find_pointer(record, "/context/openaiApiCompletionsQueryInfo");
  EXPECT_EQ(query.at("maxTokens"), 900);
  EXPECT_THAT(text_at(query, "promptText"), HasSubstr(chat.messages.back().text));
  EXPECT_EQ(find_pointer(query, "/promptQueryJson/messages")->as_array().size(), chat.messages.size());
  EXPECT_EQ(*find_pointer(query, "/promptQueryJson/tools/0/function/name"), "get_evaluations");
  const Json& state = *find_pointer(record, "/context/queryState");
  EXPECT_EQ(state.at("id"), "chatcmpl-7");
  EXPECT_EQ(state.at("system_fingerprint"), "fp_1");
  EXPECT_EQ(state.at("finish_reason"), "tool_calls");
  EXPECT_EQ(state.at("statusCode"), 200);
  const Json& verdict = *find_pointer(record, "/items/0/evaluationResponses/0/perspectives/0");
  EXPECT_EQ(text_at(verdict, "evaluationLikertText"),
            likert_label(static_cast<int>(as_integer(*find_member(verdict, "evaluationLikertVal")).value())));
  const auto info = eval_info(about, again);
  ASSERT_EQ(info.size(), 2U);
  EXPECT_EQ(text_at(info[0], "classification"), "WORK - work-pers");
  EXPECT_THAT(text_at(info[0], "item"), HasSubstr(" - mode2 - kenton"));
}

TEST_F(PersonaRecordsTest, OfAFailureKeepTheRawTextAndFitBothShapes) {
  for (int i = 0; i < 3; ++i) context.replies.emplace_back(answer_of(JsonArray{}));
  const Judgement judgement = ask();
  const Json record = failure_record(about, judgement, judgement.error->text());
  EXPECT_THAT(schema_problems("record-evaluation-failure.schema.json", record), IsEmpty());
  EXPECT_EQ(text_at(record, "rawResponseText"), "[]");
  EXPECT_EQ(find_pointer(record, "/usage/prompt_tokens")->get_int64(), 300);
  EXPECT_THAT(text_at(record, "error"), HasSubstr("no complete answer after 3 attempts"));
}

TEST_F(PersonaRecordsTest, SayInWhichWayTheAnswerWasAskedFor) {
  ChatReply reply = answer_of(fixture("mode2_response.json"), "stop");
  reply.origin.way = StructuredWay::json_schema;
  context.replies.emplace_back(reply);
  const Json record = success_record(about, ask());
  EXPECT_THAT(schema_problems("record-evaluation-data.schema.json", record), IsEmpty());
  EXPECT_EQ(*find_pointer(record, "/context/additionalQueryInfo/structured"), "json_schema");
  EXPECT_EQ(*find_pointer(record, "/context/additionalQueryInfo/tools"), JsonArray{});
  const Json& query = *find_pointer(record, "/context/openaiApiCompletionsQueryInfo");
  EXPECT_EQ(find_member(query, "tool_choice"), nullptr);
  EXPECT_NE(find_pointer(query, "/promptQueryJson/response_format"), nullptr);
}

TEST(PersonaContextId, IsAUuidOfRunAndCase) {
  const std::string id = context_id("run-1", "case-1");
  EXPECT_EQ(id.size(), 36U);
  EXPECT_EQ(id[14], '8');
  EXPECT_EQ(id, context_id("run-1", "case-1"));
  EXPECT_NE(id, context_id("run-2", "case-1"));
}

}  // namespace
}  // namespace assay::persona
