#include "service/data/jobs.h"

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include <boost/assert.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/summary.h"
#include "service/data/job_request.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// Waits on the test's thread for what comes on the jobs' thread.
class Arrivals {
 public:
  Jobs::Answer answer() {
    return [this](Result<Json> json) {
      const std::lock_guard guard(mutex_);
      list_.push_back(
          json ? *json
               : Json(JsonObject{{"error", json.error().message}, {"kind", to_string(json.error().kind)}}));
      came_.notify_all();
    };
  }
  Json wait(std::size_t number) {
    std::unique_lock guard(mutex_);
    came_.wait(guard, [&] { return list_.size() >= number; });
    return list_[number - 1];
  }
  std::size_t count() {
    const std::lock_guard guard(mutex_);
    return list_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<Json> list_;
};

struct JobsTest : testing::Test {
  std::string directory = testing::TempDir() + "assay-jobs";
  std::unique_ptr<DataStore> store;
  std::unique_ptr<Jobs> jobs;
  Environment environment = process_environment();
  Arrivals begun;
  Arrivals finished;

  void SetUp() override {
    fs::remove_all(directory);
    fs::create_directories(directory);
    open();
    std::vector<StoredItem> items;
    for (int i = 0; i < 30; ++i) {
      const std::string id = "item-" + std::to_string(i);
      items.push_back(
          {id,
           1000 + i,
           {"source"},
           R"({"contentItemSummary":{"itemId":")" + id +
               R"("},"evaluateTime":1,"evaluateText":"A parcel came.","evaluateClassifications":[)"
               R"({"classificationName":"c","classificationDesc":"d","classificationValue":"x",)"
               R"("classificationOptions":["x","y"]}]})"});
    }
    Arrivals stored;
    store->add_items(std::move(items),
                     [done = stored.answer()](Result<ItemsAdded> added) { done(Json(added->added)); });
    EXPECT_EQ(stored.wait(1), Json(30));
  }
  void TearDown() override {
    jobs.reset();
    store.reset();
    fs::remove_all(directory);
  }
  void open(JsonObject limits = {{"concurrency", 2}}) {
    jobs.reset();
    store.reset();
    store = std::move(DataStore::open(StoreAddress::read(directory).value()).value());
    JobsOptions options{.directory = directory + "/jobs",
                        .at_once = 1,
                        .config = {},
                        .environment = environment,
                        .store = StoreAddress::read(directory).value()};
    options.config = Config(JsonObject{{"attempts", 2}, {"limits", std::move(limits)}}, {"limits"});
    jobs = std::move(Jobs::start(std::move(options), *store).value());
  }
  // A job gets its first answer at once, and waits for the second one until somebody ends it.
  void open_slow() { open({{"concurrency", 2}, {"requests_per_minute", 0.001}}); }
  std::string stored_status(const std::string& id) { return text_at(**jobs->status(id, {}), "status"); }
  void wait_until_it_has(const std::string& id, const std::string& status) {
    for (std::string found = stored_status(id); found != status; found = stored_status(id)) {
      ASSERT_TRUE(found == "INITIATED" || found == "PROCESSING") << to_text(**jobs->status(id, {}));
      std::this_thread::yield();
    }
  }
  persona::JobParameters parameters(const char* tag = "judged") const {
    std::vector<FieldError> errors;
    auto read = read_job_parameters(
        JsonObject{{"tag_source", "source"},
                   {"tags_dest", JsonArray{tag}},
                   {"model", "sim/judge"},
                   {"persona", JsonObject{{"id", "p"}, {"name", "P"}, {"definition", JsonObject{}}}},
                   {"perspectives", JsonArray{JsonObject{{"id", "q"}, {"name", "Q"}, {"text", "Right?"}}}}},
        "mode3", JobSource::request, errors);
    EXPECT_TRUE(read) << errors.front().message;
    return *read;
  }
};

TEST_F(JobsTest, RunsOneAfterTheOtherAndAsksAboutEachItemOnce) {
  jobs->submit(parameters(), "test", begun.answer(), finished.answer());
  jobs->submit(parameters("other"), "test", begun.answer(), finished.answer());
  EXPECT_EQ(text_at(begun.wait(1), "status"), "INITIATED");
  for (std::size_t number : {1U, 2U}) {
    const Json status = finished.wait(number);
    EXPECT_EQ(text_at(status, "status"), "COMPLETE") << to_text(status);
    EXPECT_EQ(find_member(status, "processed_items")->to_number<int>(), 30);
    EXPECT_EQ(list_at(status, "eval_info").size(), 30U);
  }
  EXPECT_EQ(store->results({.count = 0}).value().total, 60);
  const std::string first = text_at(finished.wait(1), "job_id");
  const Json stored = **jobs->status(first, {0, 100});
  EXPECT_EQ(stored, finished.wait(1)) << "what was answered is what is stored";
  const Json page = **jobs->status(first, {25, 10});
  EXPECT_EQ(list_at(page, "eval_info").size(), 5U);
  EXPECT_EQ(list_at(page, "eval_info")[0], list_at(stored, "eval_info")[25]);
  EXPECT_EQ(find_member(page, "eval_info_total")->to_number<int>(), 30);
  EXPECT_TRUE(list_at(**jobs->status(first, {1000, 10}), "evaluations").empty());
}

TEST_F(JobsTest, AChangedPersonaOrPerspectiveHasJudgedNothingYet) {
  const auto processed = [&](const persona::JobParameters& wanted, std::size_t number) {
    jobs->submit(wanted, "test", begun.answer(), finished.answer());
    return find_member(finished.wait(number), "processed_items")->to_number<int>();
  };
  EXPECT_EQ(processed(parameters(), 1), 30);
  EXPECT_EQ(processed(parameters(), 2), 0) << "all of them exist";
  persona::JobParameters older = parameters();
  older.personas[0].json.at("definition").get_object()["age"] = 60;
  EXPECT_EQ(processed(older, 3), 30);
  EXPECT_EQ(processed(older, 4), 0);
  persona::JobParameters other = parameters();
  other.perspectives[0].text = "Wrong?";
  EXPECT_EQ(processed(other, 5), 30);
  EXPECT_EQ(processed(parameters(), 6), 0) << "the first version is still there";
}

TEST_F(JobsTest, WhatIsNotThereIsNotASourceOfItems) {
  persona::JobParameters unknown = parameters();
  unknown.tag_source = "sauce";
  jobs->submit(unknown, "test", begun.answer(), finished.answer());
  EXPECT_THAT(text_at(begun.wait(1), "error"), testing::HasSubstr("no item has the tag \"sauce\""));
  persona::JobParameters subset = parameters();
  subset.subset_tag = "source";
  subset.subset_percent = 10;
  jobs->submit(subset, "test", begun.answer(), finished.answer());
  EXPECT_THAT(text_at(begun.wait(2), "error"), testing::HasSubstr("no subset of 10 percent"));
  EXPECT_EQ(text_at(begun.wait(2), "kind"), "config");
}

TEST_F(JobsTest, WhatALimitLeavesOutRemains) {
  persona::JobParameters few = parameters();
  few.items_to_process = 12;
  jobs->submit(few, "test", begun.answer(), finished.answer());
  const Json status = finished.wait(1);
  EXPECT_EQ(text_at(status, "stop_reason"), "limit");
  EXPECT_EQ(find_member(status, "processed_items")->to_number<int>(), 12);
  EXPECT_EQ(find_member(status, "remaining")->to_number<int>(), 18);
  EXPECT_EQ(find_member(status, "init_remaining")->to_number<int>(), 30);
}

TEST_F(JobsTest, AModelThatCannotBeAskedIsToldAtOnce) {
  persona::JobParameters wrong = parameters();
  wrong.model = "nobody/nothing";
  jobs->submit(wrong, "test", begun.answer(), finished.answer());
  EXPECT_THAT(text_at(begun.wait(1), "error"), testing::HasSubstr("model"));
}

TEST_F(JobsTest, AnExceptionCostsTheJobThatMeetsItAndNoOther) {
  // Whoever looks for the key of this model finds a bug.
  environment = [](std::string_view name) -> std::optional<std::string> {
    BOOST_ASSERT(name != "OPENAI_API_KEY");
    return std::nullopt;
  };
  open();
  persona::JobParameters bad = parameters();
  bad.model = "openai/gpt";
  jobs->submit(bad, "test", begun.answer(), finished.answer());
  EXPECT_EQ(text_at(begun.wait(1), "kind"), "internal");
  EXPECT_THAT(text_at(begun.wait(1), "error"), testing::HasSubstr("does not hold"));
  jobs->submit(parameters(), "test", begun.answer(), finished.answer());
  EXPECT_EQ(text_at(finished.wait(1), "status"), "COMPLETE");
}

TEST_F(JobsTest, StoppedInTheMiddleItIsFinishedByTheNextOne) {
  open_slow();
  jobs->submit(parameters(), "test", begun.answer(), finished.answer());
  const std::string id = text_at(begun.wait(1), "job_id");
  wait_until_it_has(id, "PROCESSING");
  jobs->stop();
  jobs->submit(parameters(), "test", begun.answer(), nullptr);
  EXPECT_THAT(text_at(begun.wait(2), "error"), testing::HasSubstr("stopping"));
  EXPECT_EQ(text_at(finished.wait(1), "kind"), "cancelled");
  EXPECT_EQ(stored_status(id), "PROCESSING");
  open();
  wait_until_it_has(id, "COMPLETE");
  EXPECT_EQ(store->results({.count = 0}).value().total, 30);
}

TEST_F(JobsTest, WhoWaitsForAQueuedJobIsAnsweredWhenTheServiceStops) {
  open_slow();
  jobs->submit(parameters(), "test", begun.answer(), nullptr);
  jobs->submit(parameters("other"), "test", begun.answer(), finished.answer());
  const std::string queued = text_at(begun.wait(2), "job_id");
  jobs->stop();
  ASSERT_EQ(finished.count(), 1U) << "before stop() returns";
  EXPECT_EQ(text_at(finished.wait(1), "kind"), "cancelled");
  EXPECT_THAT(text_at(finished.wait(1), "error"), testing::HasSubstr("goes on when it starts again"));
  EXPECT_EQ(stored_status(queued), "INITIATED");
  open();
  wait_until_it_has(queued, "COMPLETE");
}

TEST_F(JobsTest, WhoWaitsForAJobThatIsJustBeingMadeIsAnsweredToo) {
  for (int i = 0; i < 5; ++i) {
    Arrivals made;
    Arrivals ended;
    jobs->submit(parameters(), "test", made.answer(), ended.answer());
    jobs->stop();
    ASSERT_EQ(made.count(), 1U);
    const bool there = text_at(made.wait(1), "kind").empty();
    ASSERT_EQ(ended.count(), there ? 1U : 0U);
    if (there) EXPECT_EQ(text_at(ended.wait(1), "kind"), "cancelled");
    open_slow();
  }
}

TEST_F(JobsTest, WhatALostDryRunLeftGoesAndForeignFilesStay) {
  const std::string lost = directory + "/jobs/0f1e2d3c-0000-8000-8000-000000000001";
  const std::string foreign = directory + "/jobs/notes";
  for (const std::string& path : {lost, foreign}) {
    fs::create_directories(path);
    std::ofstream(path + "/items.jsonl") << "{}\n";
  }
  open();
  EXPECT_FALSE(fs::exists(lost));
  EXPECT_TRUE(fs::exists(foreign));
}

TEST_F(JobsTest, CancelledWhileItWaitsItNeverBegins) {
  open_slow();
  jobs->submit(parameters(), "test", begun.answer(), nullptr);
  jobs->submit(parameters("other"), "test", begun.answer(), finished.answer());
  const std::string second = text_at(begun.wait(2), "job_id");
  Arrivals cancelled;
  jobs->cancel(second, [done = cancelled.answer()](Result<std::optional<Json>> status) {
    done(status ? Result<Json>(status->value_or(Json())) : Result<Json>(fail(status.error())));
  });
  EXPECT_EQ(text_at(cancelled.wait(1), "status"), "CANCELLED");
  EXPECT_EQ(text_at(finished.wait(1), "status"), "CANCELLED") << "who waits for it hears of it";
  EXPECT_EQ(stored_status(second), "CANCELLED");
  EXPECT_FALSE(fs::exists(directory + "/jobs/" + second + "/run.db")) << "nothing was asked";
  open();
  wait_until_it_has(text_at(begun.wait(1), "job_id"), "COMPLETE");
  EXPECT_EQ(stored_status(second), "CANCELLED") << "nor by the next one";
}

TEST_F(JobsTest, AnEndedJobIsRemovedWithItsDirectoryAndOneThatRunsIsNot) {
  const auto removed = [&](const std::string& id) {
    Arrivals done;
    jobs->remove(id, [answer = done.answer()](Result<bool> was) {
      answer(was ? Result<Json>(Json(*was)) : fail(was.error()));
    });
    return done.wait(1);
  };
  jobs->submit(parameters(), "test", begun.answer(), finished.answer());
  const std::string ended = text_at(finished.wait(1), "job_id");
  ASSERT_TRUE(fs::exists(directory + "/jobs/" + ended));
  EXPECT_EQ(removed("no such job"), Json(false));
  EXPECT_EQ(removed(ended), Json(true));
  EXPECT_FALSE(fs::exists(directory + "/jobs/" + ended));
  EXPECT_FALSE(jobs->status(ended, {})->has_value());
  EXPECT_EQ(store->results({.job_id = ended}).value().total, 30) << "its results stay";
  open_slow();
  jobs->submit(parameters("slow"), "test", begun.answer(), finished.answer());
  const std::string running = text_at(begun.wait(2), "job_id");
  wait_until_it_has(running, "PROCESSING");
  EXPECT_EQ(text_at(removed(running), "kind"), "changed");
  EXPECT_TRUE(fs::exists(directory + "/jobs/" + running));
}

TEST_F(JobsTest, ItsFiguresHaveFeedbackOnItsResultsAsHumanRatings) {
  const auto figures = [&](const std::string& id, const std::string& person) {
    Arrivals done;
    jobs->report(id, person, [answer = done.answer()](Result<std::optional<ReportInput>> report) {
      if (!report) return answer(fail(report.error()));
      answer(*report ? to_json((*report)->summary) : Json(nullptr));
    });
    return done.wait(1);
  };
  jobs->submit(parameters(), "test", begun.answer(), finished.answer());
  const std::string id = text_at(finished.wait(1), "job_id");
  EXPECT_EQ(figures("no such job", ""), Json(nullptr));
  const Json alone = figures(id, "");
  EXPECT_EQ(find_pointer(alone, "/cases/evaluated")->to_number<int>(), 30) << to_text(alone);
  EXPECT_EQ(find_pointer(alone, "/metrics/human.ratings"), nullptr);
  Arrivals said;
  for (const ResultRow& row : store->results({.count = 10, .job_id = id}).value().rows)
    store->add_feedback({row.result_id, "kim", {}, "AGREE", "{}"},
                        [answer = said.answer()](const auto& done) { answer(Json(done.has_value())); });
  said.wait(10);
  const Json judged = figures(id, "");
  EXPECT_EQ(find_pointer(judged, "/metrics/human.ratings/value")->to_number<double>(), 10);
  EXPECT_EQ(find_pointer(judged, "/metrics/agreement_rate.human_only/value")->to_number<double>(), 1);
  EXPECT_NE(find_pointer(judged, "/metrics/agreement_rate.corrected"), nullptr);
  EXPECT_EQ(find_pointer(figures(id, "lee"), "/metrics/human.ratings"), nullptr) << "lee said nothing";
}

}  // namespace
}  // namespace assay
