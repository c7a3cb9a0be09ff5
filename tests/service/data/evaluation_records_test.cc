#include "service/data/evaluation_records.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

Json fixture(const char* name) {
  return parse_json(read_file(std::string(ASSAY_SOURCE_DIR) + "/tests/data/persona/" + name).value()).value();
}

// A record with so many verdicts of one classification, each from a perspective of its own.
Json wide_record(int verdicts) {
  Json record = fixture("success_mode2.json");
  JsonArray perspectives;
  JsonArray said;
  Json& response = record.at("items").at(0).at("evaluationResponses").at(0);
  const Json first = response.at("perspectives").at(0);
  for (int i = 0; i < verdicts; ++i) {
    const std::string id = fmt::format("p{}", i);
    perspectives.push_back(
        JsonObject{{"perspectiveId", id}, {"perspectiveName", "P"}, {"perspectiveText", "Right?"}});
    said.push_back(first);
    said.back().at("perspectiveId") = id;
  }
  record.at("evaluationPerspectives") = std::move(perspectives);
  response.at("perspectives") = std::move(said);
  record.at("items").as_array().resize(1);
  record.at("items").at(0).at("evaluationResponses").as_array().resize(1);
  return record;
}

TEST(EvaluationRecords, AWideRecordIsReadAndWhatIsJudgedTwiceInItIsFound) {
  std::vector<FieldError> errors;
  Json record = wide_record(5'000);
  const auto read = read_result(record, errors);
  ASSERT_TRUE(read) << errors.front().pointer << " " << errors.front().message;
  EXPECT_EQ(read->verdicts.size(), 5'000U);

  Json& said = record.at("items").at(0).at("evaluationResponses").at(0).at("perspectives");
  said.at(4'999).at("perspectiveId") = "p0";
  said.at(4'998).at("perspectiveId") = "nobody";
  EXPECT_FALSE(read_result(record, errors));
  EXPECT_THAT(
      errors,
      ElementsAre(
          AllOf(Field(&FieldError::pointer, "/items/0/evaluationResponses/0/perspectives/4998/perspectiveId"),
                Field(&FieldError::message, HasSubstr("none of evaluationPerspectives"))),
          AllOf(Field(&FieldError::pointer, "/items/0/evaluationResponses/0/perspectives/4999"),
                Field(&FieldError::message, "this is judged more than once"))));
}

TEST(EvaluationRecords, AFailureStandsForNoMoreVerdictsThanCanBeKept) {
  Json failure = fixture("failure_processor.json");
  JsonArray items;
  JsonArray perspectives;
  for (int i = 0; i < 1000; ++i) {
    items.emplace_back(fmt::format("i{}", i % 999));
    perspectives.push_back(JsonObject{
        {"perspectiveId", fmt::format("p{}", i)}, {"perspectiveName", "P"}, {"perspectiveText", "Right?"}});
  }
  failure.as_object()["items"] = items;
  std::vector<FieldError> errors;
  const auto read = read_failure(failure, errors);
  ASSERT_TRUE(read) << errors.front().pointer << " " << errors.front().message;
  EXPECT_GE(read->item_ids.size(), 999U) << "each once";
  EXPECT_LE(read->item_ids.size(), 1000U);

  failure.as_object()["evaluationPerspectives"] = perspectives;
  EXPECT_FALSE(read_failure(failure, errors));
  EXPECT_THAT(errors, ElementsAre(Field(&FieldError::pointer, "/items")));
}

}  // namespace
}  // namespace assay
