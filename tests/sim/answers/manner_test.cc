#include "sim/answers/manner.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/answers/answer.h"

namespace assay::sim {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kQuestion = "Which records show when our street got its first lights?";
constexpr const char* kRoles =
    "Answer in one of these roles.\n- Archivist: knows which records show what.\n- Cook: knows what tastes "
    "good.\n";

std::string written(const std::string& system, double noise = 0, std::uint64_t seed = 1) {
  ChatRequest request;
  request.model = "sim/writer";
  if (!system.empty()) request.messages.push_back({.role = Role::system, .text = system});
  request.messages.push_back({.role = Role::user, .text = kQuestion});
  return answer(request, {.seed = seed, .noise = noise}).message.text;
}

TEST(Manner, ARoleIsNamedWhereThePromptAsksForOne) {
  EXPECT_THAT(written(""), Not(HasSubstr("[Role")));
  EXPECT_THAT(written(kRoles), Not(HasSubstr("[Role")));
  EXPECT_THAT(written(std::string(kRoles) + "Begin with a line in this form:\n[Role: X]\n"),
              StartsWith("[Role: Archivist]\n"));
  const std::string made_up = written("Begin with a line in this form:\n[Role: X]\n");
  EXPECT_THAT(made_up, testing::ContainsRegex("^\\[Role: [A-Z][a-z]+ [A-Z][a-z]+\\]"));
  int others = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    others += written(std::string(kRoles) + "[Role: X]", 1, seed).starts_with("[Role: Cook]") ? 1 : 0;
  EXPECT_GT(others, 8) << "with noise 1 any role may come";
}

TEST(Manner, DescribedRolesAndOneToneAreWorthTwoSentencesEach) {
  const auto words = [](const std::string& text) { return std::ranges::count(text, ' '); };
  double plain = 0;
  double described = 0;
  double toned = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    plain += static_cast<double>(words(written("Answer well.", 0, seed)));
    described += static_cast<double>(words(written(kRoles, 0, seed)));
    toned += static_cast<double>(words(written("Keep one tone.", 0, seed)));
  }
  EXPECT_GT(described, plain + 40 * 8);
  EXPECT_GT(toned, plain + 40 * 8);
}

}  // namespace
}  // namespace assay::sim
