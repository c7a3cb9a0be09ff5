#include "sim/faults.h"

#include <map>

#include <gtest/gtest.h>

#include "core/schema/schema.h"

namespace assay::sim {
namespace {

using std::chrono::milliseconds;

TEST(Faults, AreDecidedBySeedAndNumberAlone) {
  SimFaultOptions options;
  options.rate_429 = 0.2;
  options.rate_drop = 0.1;
  options.latency = milliseconds(50);
  options.latency_spread = milliseconds(20);
  bool seeds_differ = false;
  for (std::uint64_t number = 0; number < 200; ++number) {
    const auto first = plan_faults(options, 5, number);
    const auto again = plan_faults(options, 5, number);
    EXPECT_EQ(first.fault, again.fault);
    EXPECT_EQ(first.latency, again.latency);
    EXPECT_GE(first.latency, milliseconds(30));
    EXPECT_LE(first.latency, milliseconds(70));
    seeds_differ = seeds_differ || plan_faults(options, 6, number).fault != first.fault;
  }
  EXPECT_TRUE(seeds_differ);
}

TEST(Faults, ComeAsOftenAsTheirRates) {
  SimFaultOptions options;
  options.rate_429 = 0.10;
  options.rate_500 = 0.05;
  options.rate_length = 0.20;
  std::map<Fault, int> counts;
  constexpr int kRequests = 20'000;
  for (std::uint64_t number = 0; number < kRequests; ++number)
    ++counts[plan_faults(options, 1, number).fault];
  // Five standard deviations of a binomial: 5·sqrt(n·p·(1-p)) = 212, 154, 283, 340.
  EXPECT_NEAR(counts[Fault::rate_limited], 2000, 212);
  EXPECT_NEAR(counts[Fault::server_error], 1000, 154);
  EXPECT_NEAR(counts[Fault::length], 4000, 283);
  EXPECT_NEAR(counts[Fault::none], 13'000, 340);
  EXPECT_EQ(counts.size(), 4U);
}

TEST(Faults, LatencyIsNeverNegative) {
  SimFaultOptions options;
  options.latency = milliseconds(1);
  options.latency_spread = milliseconds(100);
  for (std::uint64_t number = 0; number < 100; ++number)
    EXPECT_GE(plan_faults(options, 1, number).latency.count(), 0);
}

TEST(Faults, RatesOutOfRangeAreRefused) {
  SimFaultOptions options;
  EXPECT_TRUE(check_faults(options));
  options.rate_stall = 1.5;
  ASSERT_FALSE(check_faults(options));
  EXPECT_NE(check_faults(options).error().message.find("stall"), std::string::npos);
  options.rate_stall = 0.6;
  options.rate_drop = 0.6;
  ASSERT_FALSE(check_faults(options));
  EXPECT_NE(check_faults(options).error().message.find("1.2"), std::string::npos);
}

TEST(Faults, HaveNamesThatReadBack) {
  EXPECT_EQ(fault_names().size(), kFaultKinds - 1);
  for (const auto name : fault_names()) EXPECT_EQ(to_string(*fault_named(name)), name);
  EXPECT_FALSE(fault_named("none"));
}

TEST(Faults, SpoiledAnswersNeverFitTheSchema) {
  InstanceMakers makers;
  const char* schemas[] = {
      R"({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}})",
      R"({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false})",
      R"({"type": "object", "required": ["v"], "properties": {"v": {"type": "array", "items": {"enum": ["x", "y"]}}}})",
      R"({"type": "object"})",
      R"({"type": "array", "items": {"type": "integer"}})",
  };
  for (const char* text : schemas) {
    ChatRequest request;
    request.output = OutputSchema{"o", "", *parse_json(text)};
    const auto schema = Schema::compile(request.output->schema);
    const auto maker = makers.get(request.output->schema);
    ASSERT_TRUE(maker);
    for (std::uint64_t key = 0; key < 30; ++key) {
      ChatReply reply;
      reply.message.text = to_text(*(*maker)->make(Chance(key)));
      ASSERT_TRUE(spoil_answer(reply, request, makers, Chance(key))) << text;
      const auto value = parse_json(reply.message.text);
      ASSERT_TRUE(value) << "still JSON";
      EXPECT_FALSE(schema->valid(*value)) << text << "\n" << reply.message.text;
    }
  }
  ChatRequest plain;
  ChatReply reply;
  reply.message.text = "words";
  EXPECT_FALSE(spoil_answer(reply, plain, makers, Chance(1)));
  plain.output = OutputSchema{"o", "", Json(true)};
  reply.message.text = "1";
  EXPECT_FALSE(spoil_answer(reply, plain, makers, Chance(1))) << "everything fits";
}

TEST(MinuteWindow, AdmitsSoManyInEachMinute) {
  MinuteWindow window(3);
  const MinuteWindow::Time start{};
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(window.admit(start + milliseconds(i)).admitted);
  const auto refused = window.admit(start + std::chrono::seconds(20));
  EXPECT_FALSE(refused.admitted);
  EXPECT_EQ(refused.until_reset, std::chrono::seconds(40));
  const auto later = window.admit(start + std::chrono::seconds(60));
  EXPECT_TRUE(later.admitted);
  EXPECT_EQ(later.remaining, 2U);
}

}  // namespace
}  // namespace assay::sim
