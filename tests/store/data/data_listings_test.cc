// What was recorded can be read back: each kind by its own filters, by the page, and whole.
#include <map>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/data/data_store.h"
#include "tests/store/data/data_store_fixture.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class DataListingsTest : public DataStoreTest {
 protected:
  // A verdict of that value, recorded by a job under a context of its own.
  std::int64_t judge(const std::string& item_id, int likert, const std::string& job = "",
                     const std::string& context = "") {
    ResultRecord given = result(item_id, "trial", "kenton", "mode2");
    given.context_id = context.empty() ? "c/" + item_id + std::to_string(likert) : context;
    given.verdicts.front().likert = likert;
    given.verdicts.front().value = likert > 3 ? "WORK" : "HOME";
    given.job_id = job;
    given.json = R"({"of": ")" + item_id + "\"}";
    return record(given).value().record_id;
  }
  void set_recorded(std::int64_t record, std::int64_t ms) {
    execute("UPDATE results SET recorded_ms = " + std::to_string(ms) + " WHERE record = " +
            std::to_string(record) + "; UPDATE record_rows SET recorded_ms = " + std::to_string(ms) +
            " WHERE record = " + std::to_string(record));
  }
  std::vector<std::string> judged(const ResultQuery& query) {
    std::vector<std::string> list;
    for (const ResultRow& row : store_->results(query).value().rows) list.push_back(row.verdict.item_id);
    return list;
  }
};

INSTANTIATE_TEST_SUITE_P(On, DataListingsTest, kEveryPlace, place_name);

TEST_P(DataListingsTest, ResultsAreFoundByJobContextValueAndTimes) {
  const std::int64_t first = judge("a", 5, "job-1", "asked");
  const std::int64_t second = judge("b", 2, "job-1");
  judge("c", 5, "job-2");
  set_recorded(first, 100);
  set_recorded(second, 200);
  EXPECT_THAT(judged({.job_id = "job-1"}), ElementsAre("a", "b"));
  EXPECT_THAT(judged({.job_id = "never"}), IsEmpty());
  EXPECT_THAT(judged({.context_id = "asked"}), ElementsAre("a"));
  EXPECT_THAT(judged({.likert = 5}), ElementsAre("a", "c"));
  EXPECT_THAT(judged({.value = "HOME"}), ElementsAre("b"));
  EXPECT_THAT(judged({.agreement = "AGREE"}), IsEmpty());
  EXPECT_THAT(judged({.recorded = {.since_ms = 100, .until_ms = 200}}), ElementsAre("a"));
  EXPECT_THAT(judged({.recorded = {.since_ms = 101}}), ElementsAre("b", "c"));
  EXPECT_THAT(judged({.tag = "trial", .job_id = "job-1", .likert = 2}), ElementsAre("b"));
  EXPECT_THAT(judged({.published_until_ms = 100}), IsEmpty()) << "published at 100: not before";
  EXPECT_THAT(judged({.published_since_ms = 100, .published_until_ms = 101}), SizeIs(3));
  EXPECT_EQ(store_->results({.job_id = "job-2"}).value().rows.at(0).job_id, "job-2");
}

TEST_P(DataListingsTest, ACursorMeetsEachResultOnceWhileOthersAreRecordedAndRemoved) {
  constexpr int kFirst = 60;
  for (int i = 0; i < kFirst; ++i) judge("item-" + std::to_string(i), 4);
  std::map<std::int64_t, int> seen;
  ResultQuery query{.tag = "trial", .count = 7};
  int more = 0;
  for (;;) {
    const ResultPage page = store_->results(query).value();
    for (const ResultRow& row : page.rows) ++seen[row.result_id];
    if (page.remaining == 0) break;
    query.after = page.rows.back().result_id;
    // The newest goes, and its number must not come again for what is recorded next.
    if (more < 20) {
      judge("more-" + std::to_string(more), 1);
      remove({.kind = Removal::Kind::record, .number = kFirst + 2 * more + 1});
      judge("kept-" + std::to_string(more++), 1);
    }
  }
  for (const auto& [id, times] : seen) EXPECT_EQ(times, 1) << id;
  EXPECT_EQ(static_cast<std::int64_t>(seen.size()), kFirst + more) << "all that are there";
  EXPECT_EQ(store_->results({}).value().total, kFirst + more);
}

TEST_P(DataListingsTest, UncountedPagesSayOnlyWhetherAnythingFollows) {
  for (int i = 0; i < 5; ++i) judge("item-" + std::to_string(i), 4);
  const auto page = store_->results({.count = 4, .totals = Totals::unknown}).value();
  EXPECT_THAT(page.rows, SizeIs(4));
  EXPECT_EQ(page.remaining, 1);
  EXPECT_EQ(store_->results({.count = 5, .totals = Totals::unknown}).value().remaining, 0);
}

TEST_P(DataListingsTest, RecordsAreListedAtAGlanceAndGivenWhole) {
  judge("a", 5, "job-1", "asked");
  judge("b", 2);
  const RecordPage all = store_->records({}).value();
  ASSERT_THAT(all.rows, SizeIs(2));
  EXPECT_EQ(all.rows[0].context_id, "asked");
  EXPECT_EQ(all.rows[0].job_id, "job-1");
  EXPECT_EQ(all.rows[0].persona_id, "kenton");
  EXPECT_EQ(all.rows[0].verdicts, 1);
  EXPECT_THAT(all.rows[0].item_ids, ElementsAre("a"));
  for (const RecordQuery& query :
       {RecordQuery{.item_id = "b"}, RecordQuery{.after = 1}, RecordQuery{.offset = 1}}) {
    const RecordPage page = store_->records(query).value();
    ASSERT_THAT(page.rows, SizeIs(1));
    EXPECT_EQ(page.rows[0].record_id, 2);
  }
  EXPECT_EQ(store_->records({.tag = "trial", .agent = "judge/1", .persona_id = "kenton", .mode = "mode2"})
                .value()
                .total,
            2);
  EXPECT_EQ(store_->records({.mode = "mode3"}).value().total, 0);
  EXPECT_EQ(store_->record(2).value().value().json, R"({"of": "b"})");
  EXPECT_FALSE(store_->record(3).value().has_value());
}

TEST_P(DataListingsTest, ContextsAreCountedUpAndPaged) {
  judge("a", 5, "", "x");
  judge("b", 4, "", "x");
  judge("c", 4, "", "y");
  const ContextPage first = store_->contexts({.count = 1}).value();
  ASSERT_THAT(first.rows, SizeIs(1));
  EXPECT_EQ(first.rows[0].context_id, "x");
  EXPECT_EQ(first.rows[0].records, 2);
  EXPECT_EQ(first.rows[0].verdicts, 2);
  ASSERT_TRUE(first.next);
  const ContextPage second = store_->contexts({.after = first.next, .count = 1}).value();
  ASSERT_THAT(second.rows, SizeIs(1));
  EXPECT_EQ(second.rows[0].context_id, "y");
  EXPECT_FALSE(second.next);
}

TEST_P(DataListingsTest, PersonasAndPerspectivesHaveTheirVersionsWithContent) {
  ResultRecord given = result("a", "trial", "kenton", "mode2");
  ASSERT_TRUE(record(given));
  given.persona.json = R"({"name":"Kenton, older"})";
  ASSERT_TRUE(record(given));
  given.items.front().item_id = given.verdicts.front().item_id = "b";
  ASSERT_TRUE(record(given));
  ASSERT_TRUE(record(result("a", "trial", "ines", "mode2")));
  const auto personas = store_->versioned(VersionedKind::persona, {}).value();
  ASSERT_THAT(personas.rows, SizeIs(2));
  EXPECT_EQ(personas.rows[0].id, "kenton");
  EXPECT_EQ(personas.rows[0].versions, 2);
  EXPECT_EQ(personas.rows[0].verdicts, 3);
  const auto page = store_->versioned(VersionedKind::persona, {.count = 1}).value();
  ASSERT_TRUE(page.next);
  EXPECT_EQ(store_->versioned(VersionedKind::persona, {.after = *page.next}).value().rows.at(0).id, "ines");
  const auto versions = store_->versions(VersionedKind::persona, "kenton").value();
  ASSERT_THAT(versions, SizeIs(2));
  EXPECT_EQ(versions[0].json, R"({"name":"Kenton"})");
  EXPECT_EQ(versions[0].verdicts, 1);
  EXPECT_EQ(versions[1].json, R"({"name":"Kenton, older"})");
  EXPECT_EQ(versions[1].verdicts, 2);
  EXPECT_THAT(store_->versions(VersionedKind::perspective, "classification").value(), SizeIs(1));
  EXPECT_THAT(store_->versions(VersionedKind::perspective, "kenton").value(), IsEmpty());
}

TEST_P(DataListingsTest, FeedbackIsFoundByResultPersonItemAndJob) {
  judge("a", 5, "job-1");
  judge("b", 2);
  rate({1, "kim", 4, {}, R"({"text":"fine"})"});
  rate({2, "kim", {}, "AGREE", "{}"});
  rate({1, "lee", 1, {}, "{}"});
  const auto said = [&](const FeedbackQuery& query) {
    std::vector<std::int64_t> list;
    for (const FeedbackRow& row : store_->feedback(query).value().rows) list.push_back(row.feedback_id);
    return list;
  };
  EXPECT_THAT(said({}), ElementsAre(1, 2, 3));
  EXPECT_THAT(said({.result_id = 1}), ElementsAre(1, 3));
  EXPECT_THAT(said({.person = "kim"}), ElementsAre(1, 2));
  EXPECT_THAT(said({.item_id = "b"}), ElementsAre(2));
  EXPECT_THAT(said({.job_id = "job-1"}), ElementsAre(1, 3));
  EXPECT_THAT(said({.after = 1}), ElementsAre(2, 3));
  EXPECT_THAT(said({.recorded = {.until_ms = 5}}), IsEmpty());
  const FeedbackRow first = store_->feedback({}).value().rows.at(0);
  EXPECT_EQ(first.feedback.likert, 4);
  EXPECT_EQ(first.result.verdict.item_id, "a");
  EXPECT_EQ(first.result.verdict.likert, 5);
}

TEST_P(DataListingsTest, TagsAndSubsetsHaveTheirSizes) {
  add({item("a", 1, {"source", "other"}), item("b", 2, {"source"}), item("c", 3, {"source"})});
  judge("a", 5);
  subset({"source", 50, false, 1}).value();
  subset({"source", 100, false, 1}).value();
  const auto tags = store_->tags({}).value();
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> sizes;
  for (const TagSize& one : tags.rows) sizes[one.tag] = {one.items, one.results};
  EXPECT_EQ(sizes, (std::map<std::string, std::pair<std::int64_t, std::int64_t>>{
                       {"source", {3, 0}}, {"other", {1, 0}}, {"trial", {0, 1}}}))
      << "names of personas, modes and agents are none";
  const auto subsets = store_->subsets().value();
  ASSERT_THAT(subsets, SizeIs(2));
  EXPECT_EQ(subsets[0].percent, 50);
  EXPECT_EQ(subsets[0].members, 1);
  EXPECT_EQ(subsets[0].of, 3);
  EXPECT_EQ(subsets[1].members, 3);
}

TEST_P(DataListingsTest, AnItemIsFoundByItsIdAndByWhatItSays) {
  StoredItem one = item("mail/1%", 10, {"source"});
  one.json = R"({"evaluateTitle":"Delivery","evaluateText":"Comes at 100 % on Thursday"})";
  StoredItem other = item("mail/2", 20, {"source", "late"});
  other.json = R"({"evaluateTitle":"delivered_late","evaluateText":null})";
  add({one, other});
  EXPECT_THAT(ids({.search = "DELIVER"}), ElementsAre("mail/1%", "mail/2"));
  EXPECT_THAT(ids({.search = "100 %"}), ElementsAre("mail/1%"));
  EXPECT_THAT(ids({.search = "1%"}), ElementsAre("mail/1%")) << "a percent sign is one";
  EXPECT_THAT(ids({.search = "d_l"}), ElementsAre("mail/2"));
  EXPECT_THAT(ids({.tag = "source", .search = "late", .order = ItemQuery::Order::newest}),
              ElementsAre("mail/2"));
  EXPECT_THAT(ids({.search = "evaluateTitle"}), IsEmpty());
  EXPECT_THAT(ids({.published_since_ms = 10, .published_until_ms = 20}), ElementsAre("mail/1%"));
  subset({"late", 100, false, 1}).value();
  const ItemView view = store_->item("mail/2").value().value();
  EXPECT_EQ(view.item.json, other.json);
  EXPECT_THAT(view.item.tags, ElementsAre("late", "source"));
  ASSERT_THAT(view.subsets, SizeIs(1));
  EXPECT_EQ(view.subsets[0].tag, "late");
  EXPECT_FALSE(store_->item("mail/3").value().has_value());
  judge("mail/3", 4);
  EXPECT_EQ(store_->item("mail/3").value().value().item.json, "") << "only a result speaks of it";
  EXPECT_EQ(store_->item("mail/3").value().value().item.published_ms, 100);
}

TEST_P(DataListingsTest, JobsGoOnBehindAPlaceWhileOthersBegin) {
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE(put({"job-" + std::to_string(i), "mode2", "COMPLETE", "kenton", "{}", 100 + i / 2}));
  std::vector<std::string> seen;
  JobQuery query{.count = 2};
  for (int round = 0;; ++round) {
    const JobPage page = store_->jobs(query).value();
    for (const StoredJob& job : page.jobs) seen.push_back(job.job_id);
    if (page.remaining == 0) break;
    query.after = page.last;
    ASSERT_TRUE(put({"new-" + std::to_string(round), "mode2", "COMPLETE", "kenton", "{}", 200 + round}));
  }
  EXPECT_THAT(seen, ElementsAre("job-4", "job-3", "job-2", "job-1", "job-0"));
  EXPECT_EQ(store_->jobs({.created = {.since_ms = 101, .until_ms = 200}}).value().total, 3);
}

}  // namespace
}  // namespace assay
