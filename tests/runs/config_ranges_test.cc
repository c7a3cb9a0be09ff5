// Every number of a config has its range, and whatever is inside is computed with, not wrapped.
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/config/config.h"
#include "evaluations/registry.h"
#include "gateway/gateway.h"

namespace assay {
namespace {

// Any whole number of 64 bits is a good seed.
constexpr std::string_view kBoundless = "seed";

void expect_ranges(const Keys& keys, const std::string& path) {
  for (const Key& key : keys) {
    const std::string here = path.empty() ? key.name : fmt::format("{}.{}", path, key.name);
    if ((key.type == KeyType::integer || key.type == KeyType::number) && key.name != kBoundless) {
      EXPECT_TRUE(key.minimum.has_value()) << here;
      EXPECT_TRUE(key.maximum.has_value()) << here;
    }
    expect_ranges(key.keys, here);
  }
}

TEST(ConfigRanges, AreDeclaredForEveryNumberOfEveryEvaluation) {
  for (const EvaluationKind& kind : evaluation_kinds()) expect_ranges(all_keys(kind), std::string(kind.name));
}

// The text of a config with this value at this key, resolved.
ResolvedConfig with(const std::string& path, const std::string& value) {
  const EvaluationKind& kind = *find_evaluation("rag_answers");
  ConfigSource source;
  source.flags = {{path, value}};
  return resolve_config(all_keys(kind), source);
}

RC_GTEST_PROP(ConfigRanges, OfLimitsAreKeptByTheGateway, (std::int64_t drawn)) {
  for (const char* path : {"limits.same_failures", "limits.attempts", "limits.concurrency"}) {
    const ResolvedConfig resolved = with(path, std::to_string(drawn));
    const bool told = std::ranges::any_of(resolved.problems,
                                          [&](const ConfigProblem& problem) { return problem.key == path; });
    if (told) continue;
    const GatewaySettings settings = gateway_settings(resolved.config);
    RC_ASSERT(settings.same_failures_to_stop >= 1);
    RC_ASSERT(settings.tries >= 1);
    RC_ASSERT(settings.limits.concurrency >= 1);
    RC_ASSERT(drawn >= 1);
    Circuit circuit(settings.same_failures_to_stop, Behind::system_under_test);
    RC_ASSERT(!circuit.failure({ErrorKind::target, "x", {}}, {}) || settings.same_failures_to_stop == 1);
  }
}

TEST(ConfigRanges, LargeValuesAreTakenAsTheyAreAndLargerOnesRefused) {
  EXPECT_EQ(picousd(*with("budget.usd", "1000000000").config.number("budget.usd")),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(gateway_settings(with("limits.same_failures", "500000000").config).same_failures_to_stop,
            500'000'000);
  for (const auto& [path, value] :
       {std::pair("budget.usd", "1e300"), std::pair("limits.timeout", "2000000000s"),
        std::pair("limits.same_failures", "9999999999"), std::pair("budget.usd", "-1"),
        std::pair("limits.timeout", "1e9h")}) {
    const ResolvedConfig resolved = with(path, value);
    ASSERT_FALSE(resolved.problems.empty()) << path;
    EXPECT_EQ(resolved.problems.front().where, fmt::format("--{}", path));
  }
  EXPECT_EQ(with("limits.timeout", "1000000000s").config.duration("limits.timeout"),
            std::chrono::seconds(1'000'000'000));
}

}  // namespace
}  // namespace assay
