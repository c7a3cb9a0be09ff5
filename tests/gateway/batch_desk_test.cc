// The desk at a provider of the test's own, which keeps Anthropic's batches in memory.
#include "gateway/batch_desk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class FakeProvider final : public BatchedModel {
 public:
  struct Made {
    std::string id;
    std::vector<std::string> names;
  };

  const BatchWire& batches() const override { return kAnthropicBatches; }
  Task<std::expected<ChatReply, ModelFailure>> complete_by(const ChatRequest&, const Carry&) override {
    co_return ChatReply();
  }
  Task<std::expected<HttpResponse, ModelFailure>> run(Errand errand) override {
    const std::string_view path = errand.path;
    if (errand.method == "POST") {
      Made batch{fmt::format("msgbatch_{}", made.size() + 1), {}};
      const Json body = *parse_json(errand.body);
      for (const Json& one : list_at(body, "requests")) batch.names.push_back(text_at(one, "custom_id"));
      if (!lose_request) made.push_back(std::move(batch));
      if (std::exchange(lose_request, false) || std::exchange(lose_answer, false))
        co_return std::unexpected(ModelFailure{Error{ErrorKind::network, "the connection broke", {}}});
      co_return HttpResponse{.status = 200, .body = to_text(state(made.back()))};
    }
    if (path.contains('?')) {
      JsonArray list;
      for (auto batch = made.rbegin(); batch != made.rend(); ++batch) list.push_back(state(*batch));
      co_return HttpResponse{.status = 200, .body = to_text(JsonObject{{"data", list}, {"has_more", false}})};
    }
    for (const Made& batch : made) {
      if (!path.contains(batch.id)) continue;
      if (!path.ends_with("/results")) co_return HttpResponse{.status = 200, .body = to_text(state(batch))};
      std::string lines;
      for (const std::string& name : batch.names)
        lines += fmt::format(R"({{"custom_id":"{}","result":{}}}{})", name,
                             name.ends_with(failing)
                                 ? R"({"type":"expired"})"
                                 : fmt::format(R"({{"type":"succeeded","message":"{}"}})", batch.id),
                             "\n");
      errand.on_data(lines);
      co_return HttpResponse{.status = 200};
    }
    co_return std::unexpected(ModelFailure{Error{ErrorKind::rejected, "no such batch", {}}});
  }

  std::vector<Made> made;
  bool lose_answer = false;   // the next batch is made, and nobody hears of it
  bool lose_request = false;  // the next batch is not made
  bool ended = true;
  std::string failing = "never";

 private:
  JsonObject state(const Made& batch) const {
    return {{"id", batch.id},
            {"processing_status", ended ? "ended" : "in_progress"},
            {"request_counts", JsonObject{{"processing", batch.names.size()}}}};
  }
};

struct FakeBook final : BatchBook {
  Task<Status> intend(BatchIntent intent) override {
    kept.push_back({std::move(intent)});
    co_return Status();
  }
  Task<Status> made(std::string mark, std::string id) override {
    for (KeptBatch& batch : kept) {
      if (batch.intent.mark == mark) batch.id = id;
    }
    co_return Status();
  }
  std::vector<KeptBatch> kept;
};

class BatchDeskTest : public testing::Test {
 protected:
  std::unique_ptr<BatchDesk> desk(std::vector<KeptBatch> kept = {}) {
    return std::make_unique<BatchDesk>(loop_, options_, book_, std::move(kept),
                                       [](const Error& error) { ADD_FAILURE() << error.text(); });
  }
  // Hands all in at once. What each was answered: the body, or the words of its failure.
  std::vector<std::string> answers(BatchDesk& desk, const std::vector<std::string>& items) {
    std::vector<Task<Result<HttpResponse>>> tasks;
    for (const std::string& item : items) tasks.push_back(desk.hand_in(provider_, item, "{}"));
    std::vector<std::string> told;
    for (auto& result : loop_.run_until_done(all(std::move(tasks))))
      told.push_back(result ? result->body : result.error().message);
    return told;
  }

  EventLoop loop_;
  BatchOptions options_{.most_requests = 10, .wait = 40ms, .poll = 16ms, .tries = 3};
  FakeProvider provider_;
  FakeBook book_;
};

TEST_F(BatchDeskTest, MakesOneBatchOfWhatComesTogetherAndNoneTooLarge) {
  options_.most_requests = 3;
  auto desk = this->desk();
  EXPECT_THAT(answers(*desk, {"a", "b", "c", "d"}),
              ElementsAre("\"msgbatch_1\"", "\"msgbatch_1\"", "\"msgbatch_1\"", "\"msgbatch_2\""));
  ASSERT_THAT(book_.kept, SizeIs(2));
  EXPECT_THAT(book_.kept[0].intent.items, ElementsAre("a", "b", "c"));
  EXPECT_EQ(book_.kept[0].id, "msgbatch_1");
  EXPECT_EQ(provider_.made[0].names[0], book_.kept[0].intent.mark + "-a");
  EXPECT_THAT(desk->open().ids, IsEmpty());
}

TEST_F(BatchDeskTest, FindsABatchWhoseMakingWasNotHeardOf) {
  auto desk = this->desk();
  provider_.lose_answer = true;
  EXPECT_THAT(answers(*desk, {"a", "b"}), ElementsAre("\"msgbatch_1\"", "\"msgbatch_1\""));
  EXPECT_THAT(provider_.made, SizeIs(1));
  provider_.lose_request = true;
  EXPECT_THAT(answers(*desk, {"c"}), ElementsAre("\"msgbatch_2\""));
  EXPECT_THAT(provider_.made, SizeIs(2));
}

TEST_F(BatchDeskTest, TakesUpTheBatchesOfAnEarlierSitting) {
  answers(*desk(), {"a", "b"});
  book_.kept[0].id = "";  // killed before it was kept
  // One more that was meant and never made.
  book_.kept.push_back({{"0000", "msgbatch_1", {"x", "y"}}});
  auto again = desk(book_.kept);
  EXPECT_THAT(
      answers(*again, {"a", "b", "x", "c"}),
      ElementsAre("\"msgbatch_1\"", "\"msgbatch_1\"", HasSubstr("msgbatch_"), HasSubstr("msgbatch_")));
  EXPECT_EQ(book_.kept[0].id, "msgbatch_1");
  std::vector<std::string> asked;
  for (const auto& batch : provider_.made) {
    for (const std::string& name : batch.names) asked.push_back(name.substr(name.find('-') + 1));
  }
  EXPECT_THAT(asked, testing::UnorderedElementsAre("a", "b", "x", "c"));
}

// A case that begins after the file was read.
TEST_F(BatchDeskTest, ReadsAnEarlierBatchAgainForWhoComesLater) {
  answers(*desk(), {"a", "b"});
  auto again = desk(book_.kept);
  EXPECT_THAT(answers(*again, {"a"}), ElementsAre("\"msgbatch_1\""));
  EXPECT_THAT(answers(*again, {"b"}), ElementsAre("\"msgbatch_1\""));
  EXPECT_THAT(provider_.made, SizeIs(1));
}

TEST_F(BatchDeskTest, TellsWhatFailedAndAsksAnewForWhatFailedInAnEarlierSitting) {
  provider_.failing = "-b";
  EXPECT_THAT(answers(*desk(), {"a", "b"}), ElementsAre("\"msgbatch_1\"", HasSubstr("expired")));
  auto again = desk(book_.kept);
  provider_.failing = "-a";
  EXPECT_THAT(answers(*again, {"b"}), ElementsAre("\"msgbatch_1\""));
  // Taken from the file this time, and from a new batch when that has none.
  provider_.failing = fmt::format("{}-b", book_.kept[0].intent.mark);
  EXPECT_THAT(answers(*desk(book_.kept), {"b"}), ElementsAre("\"msgbatch_2\""));
}

TEST_F(BatchDeskTest, StoppedItTellsEveryoneAndWhatGoesOn) {
  provider_.ended = false;
  auto desk = this->desk();
  loop_.call_after(60ms, [&] {
    EXPECT_EQ(desk->progress(), "batch of 2: 0 done");
    desk->stop();
  });
  EXPECT_THAT(answers(*desk, {"a", "b"}), ElementsAre("interrupted", "interrupted"));
  EXPECT_THAT(desk->open().ids, ElementsAre("msgbatch_1"));
  EXPECT_EQ(desk->open().requests, 2U);
  EXPECT_THAT(answers(*desk, {"c"}), ElementsAre("interrupted"));
  loop_.run_until_done(desk->close());
}

TEST(BatchItem, IsTheSameInEverySitting) {
  const std::string item = batch_item(3, "run1/judge", 1, "{}");
  EXPECT_EQ(item, batch_item(3, "run1/judge", 1, "{}"));
  EXPECT_THAT(item, SizeIs(40));
  EXPECT_NE(item, batch_item(3, "run1/judge", 2, "{}"));
  EXPECT_NE(item, batch_item(4, "run1/judge", 1, "{}"));
  // Anthropic takes names of 64 characters.
  EXPECT_LE(new_batch_mark().size() + 1 + item.size(), 64U);
}

}  // namespace
}  // namespace assay
