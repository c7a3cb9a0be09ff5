#include "service/data/job_request.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

JsonObject good() {
  return parse_json(R"({"tag_source": "a", "tags_dest": ["b"], "model": "sim/judge",
    "persona": {"id": "p", "name": "P", "definition": {"age": 30}},
    "perspectives": [{"id": "c", "name": "C", "text": "Right?"}]})")
      .value()
      .get_object();
}

std::vector<FieldError> errors_of(const JsonObject& body) {
  std::vector<FieldError> errors;
  EXPECT_EQ(read_job_parameters(body, "mode2", JobSource::request, errors).has_value(), errors.empty());
  return errors;
}

TEST(JobRequest, ReadsBothSpellingsAndItsOwnStatus) {
  JsonObject body = good();
  body.erase("model");
  body["openai_model"] = "sim/judge";
  body["openai_params"] = JsonObject{{"temperature", 0.5}};
  body["is_most_recent"] = true;
  body["is_exclude_existing"] = false;
  body["last_n_hours"] = 2.5;
  body["items_to_process"] = 0;
  std::vector<FieldError> errors;
  const auto parameters = read_job_parameters(body, "mode3", JobSource::request, errors);
  ASSERT_TRUE(parameters) << errors.front().message;
  EXPECT_EQ(parameters->mode, persona::Mode::mode3);
  EXPECT_TRUE(parameters->most_recent);
  EXPECT_FALSE(parameters->exclude_existing);
  EXPECT_EQ(parameters->last_n_hours, 2.5);
  // What is stored of a job is enough to take it up again.
  persona::JobStatus status;
  const auto again =
      read_job_parameters(persona::to_json(status, *parameters), "mode3", JobSource::status, errors);
  ASSERT_TRUE(again) << errors.front().pointer << errors.front().message;
  EXPECT_EQ(persona::to_json(status, *again), persona::to_json(status, *parameters));
}

TEST(JobRequest, SaysOfWhichItems) {
  JsonObject body = good();
  body.erase("tag_source");
  EXPECT_THAT(errors_of(body), ElementsAre(Field(&FieldError::pointer, "/tag_source")));
  body["all_items"] = true;
  EXPECT_THAT(errors_of(body), IsEmpty());
  body["tag_source"] = "a";
  EXPECT_THAT(errors_of(body), ElementsAre(Field(&FieldError::pointer, "/all_items")));
  body["tag_source"] = nullptr;
  body["all_items"] = false;
  EXPECT_THAT(errors_of(body), ElementsAre(Field(&FieldError::pointer, "/tag_source")));
  body["subset_tag"] = "a";
  body["subset_percent"] = 10;
  EXPECT_THAT(errors_of(body), IsEmpty());
}

TEST(JobRequest, NamesEveryDefectByItsPointer) {
  JsonObject body = good();
  body["tags_dest"] = JsonArray{};
  body["subset_percent"] = 101;
  const auto shape = errors_of(body);
  EXPECT_THAT(shape, Contains(Field(&FieldError::pointer, "/tags_dest")));
  EXPECT_THAT(shape, Contains(Field(&FieldError::pointer, "/subset_percent")));

  body = good();
  body["subset_tag"] = "x";
  body["params"] = JsonObject{{"temperature", 9}, {"colour", "red"}};
  body["persona"] = JsonObject{{"id", ""}, {"name", "P"}};
  body["perspectives"] =
      JsonArray{JsonObject{{"id", "c"}}, JsonObject{{"id", "d"}, {"name", "D"}, {"text", "t"}}};
  const auto meaning = errors_of(body);
  for (const char* pointer :
       {"/subset_percent", "/params", "/persona/id", "/persona/definition", "/perspectives/0"}) {
    EXPECT_THAT(meaning, Contains(Field(&FieldError::pointer, pointer))) << pointer;
  }
  EXPECT_THAT(errors_of({}), testing::Not(IsEmpty()));
}

}  // namespace
}  // namespace assay
