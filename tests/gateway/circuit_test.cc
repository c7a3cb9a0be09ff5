#include "gateway/circuit.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const Circuit::Time kNow = Circuit::Time(1h);
const Error kBusy{ErrorKind::overloaded, "HTTP 500 after 12 ms", {}};
const Error kWrongKey{ErrorKind::auth, "HTTP 401: wrong key", {}};
const Error kRubbish{ErrorKind::target, "exit code 1", {}};

// How many failures of this kind it takes.
int failures_to_open(Circuit circuit, const Error& error) {
  for (int count = 1; count <= 1000; ++count) {
    if (circuit.failure(error, kNow)) return count;
  }
  return 0;
}

TEST(Circuit, OpensAfterTheSameFailureSeveralTimesInARow) {
  Circuit circuit(3, Behind::model);
  EXPECT_FALSE(circuit.failure(kBusy, kNow));
  EXPECT_FALSE(circuit.failure({ErrorKind::overloaded, "HTTP 500 after 99 ms", {}}, kNow));
  EXPECT_FALSE(circuit.open());
  EXPECT_FALSE(circuit.refusal(kNow));
  const auto opened = circuit.failure(kBusy, kNow);
  ASSERT_TRUE(opened.has_value()) << "numbers are no difference";
  EXPECT_EQ(opened->kind, ErrorKind::circuit_open);
  EXPECT_THAT(opened->message, HasSubstr("3 times in a row, with no success between: HTTP 500"));
  EXPECT_TRUE(circuit.open());
  EXPECT_EQ(circuit.refusal(kNow)->message, opened->message);
}

TEST(Circuit, ASuccessOrAnotherFailureBeginsTheCountAnew) {
  Circuit circuit(3, Behind::model);
  for (int round = 0; round < 5; ++round) {
    EXPECT_FALSE(circuit.failure(kBusy, kNow));
    EXPECT_FALSE(circuit.failure(kBusy, kNow));
    circuit.success();
    EXPECT_FALSE(circuit.failure(kBusy, kNow));
    EXPECT_FALSE(circuit.failure(kBusy, kNow));
    EXPECT_FALSE(circuit.failure({ErrorKind::timeout, "no answer", {}}, kNow));
  }
}

TEST(Circuit, AWrongKeyOrCertificateOfAModelOpensItAtOnce) {
  EXPECT_EQ(failures_to_open({10, Behind::model}, kWrongKey), 1);
  EXPECT_EQ(failures_to_open({10, Behind::model}, {ErrorKind::tls, "certificate not trusted", {}}), 1);
  Circuit circuit(10, Behind::model);
  EXPECT_THAT(circuit.failure(kWrongKey, kNow)->message, HasSubstr("stopped: HTTP 401: wrong key"));
}

// A system under test that forbids (HTTP 403) has failed as a target (tools/http_call.cc).
TEST(Circuit, FailuresOfTheSystemUnderTestNeedFiveTimesAsMany) {
  EXPECT_EQ(failures_to_open({3, Behind::system_under_test}, kRubbish), 15);
  EXPECT_EQ(failures_to_open({3, Behind::system_under_test}, kBusy), 3) << "nobody is there";
  EXPECT_EQ(failures_to_open({3, Behind::model}, kRubbish), 3);
}

TEST(Circuit, PromptsThatDoNotFitOrAreDeclinedSayNothingOfWhoIsAsked) {
  EXPECT_EQ(failures_to_open({3, Behind::model}, {ErrorKind::context_overflow, "too long", {}}), 0);
  EXPECT_EQ(failures_to_open({3, Behind::model}, {ErrorKind::refused, "filtered", {}}), 0);
}

TEST(Circuit, AThresholdThatNobodyReachesIsNotPassedByOverflow) {
  EXPECT_EQ(failures_to_open({std::numeric_limits<int>::max(), Behind::system_under_test}, kRubbish), 0);
}

TEST(Circuit, AfterAPauseItBeginsAnewSinceTheCauseMayBeMended) {
  Circuit circuit(2, Behind::model);
  ASSERT_FALSE(circuit.failure(kBusy, kNow));
  ASSERT_TRUE(circuit.failure(kBusy, kNow));
  EXPECT_TRUE(circuit.refusal(kNow + Circuit::kPause - 1s));
  const auto later = kNow + Circuit::kPause;
  EXPECT_FALSE(circuit.refusal(later));
  EXPECT_FALSE(circuit.refusal(later)) << "a run that begins now is not stopped by its second call";
  EXPECT_FALSE(circuit.open());
}

TEST(Circuit, IfTheCauseIsNotMendedItOpensAsBefore) {
  Circuit circuit(3, Behind::model);
  for (int i = 0; i < 3; ++i) (void)circuit.failure(kBusy, kNow);
  const auto later = kNow + 2 * Circuit::kPause;
  ASSERT_FALSE(circuit.refusal(later));
  EXPECT_FALSE(circuit.failure(kBusy, later));
  EXPECT_FALSE(circuit.failure(kBusy, later));
  EXPECT_TRUE(circuit.failure(kBusy, later));
  EXPECT_TRUE(circuit.refusal(later + Circuit::kPause - 1s));
}

}  // namespace
}  // namespace assay
