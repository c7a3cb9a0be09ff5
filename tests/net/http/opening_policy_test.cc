#include "net/http/opening_policy.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using namespace std::chrono_literals;

// How many requests may go off before one has a connection; at most 100 are tried.
int room(OpeningPolicy& policy) {
  int count = 0;
  while (count < 100 && policy.may_open()) {
    policy.begin_opening();
    ++count;
  }
  return count;
}

const OpeningPolicy::Time kStart{1h};

TEST(OpeningPolicy, OneRequestGoesAheadToANewHost) {
  OpeningPolicy policy(false);
  policy.enter(kStart);
  EXPECT_EQ(room(policy), 1);
  policy.end_opening(true);
  EXPECT_EQ(room(policy), 100);  // without TLS a connection carries one request
}

TEST(OpeningPolicy, OverTlsFewOpenUntilItIsKnownWhetherConnectionsAreShared) {
  OpeningPolicy policy(true);
  policy.enter(kStart);
  EXPECT_EQ(room(policy), 1);
  policy.end_opening(true);
  EXPECT_EQ(room(policy), 8);
  policy.replied("1.1");
  EXPECT_EQ(room(policy), 100);
}

TEST(OpeningPolicy, OverHttp2FewOpenForEver) {
  OpeningPolicy policy(true);
  policy.enter(kStart);
  EXPECT_EQ(room(policy), 1);
  policy.end_opening(true);
  policy.replied("2");
  EXPECT_EQ(room(policy), 8);
}

TEST(OpeningPolicy, AFailureLetsAllTheOthersTry) {
  OpeningPolicy policy(true);
  policy.enter(kStart);
  EXPECT_EQ(room(policy), 1);
  policy.end_opening(false);
  EXPECT_EQ(room(policy), 100);
}

TEST(OpeningPolicy, AfterAFailureTheNextWaveIsLedByOneAgain) {
  OpeningPolicy policy(false);
  policy.enter(kStart);
  policy.begin_opening();
  policy.end_opening(false);
  policy.leave(kStart);
  policy.enter(kStart);
  EXPECT_EQ(room(policy), 1);
}

TEST(OpeningPolicy, AHostIsNewAgainAfterALongPause) {
  OpeningPolicy policy(false);
  policy.enter(kStart);
  policy.begin_opening();
  policy.end_opening(true);
  policy.leave(kStart);
  policy.enter(kStart + 29s);
  EXPECT_TRUE(policy.may_open());
  policy.begin_opening();
  EXPECT_TRUE(policy.may_open());
  policy.end_opening(true);
  policy.leave(kStart + 29s);
  policy.enter(kStart + 60s);
  EXPECT_EQ(room(policy), 1);
}

struct SharingHost : testing::Test {
  OpeningPolicy policy{true};
  SharingHost() {
    policy.enter(kStart);
    policy.begin_opening();
    policy.end_opening(true);
    policy.replied("2");
  }
  void breaks(OpeningPolicy::Time when) { policy.failed(ErrorKind::network, true, when - 1s, when); }
};

TEST_F(SharingHost, TwoBrokenConnectionsLeadToHttp1) {
  EXPECT_EQ(policy.version(), HttpVersion::at_most_2);
  breaks(kStart + 10s);
  EXPECT_EQ(policy.version(), HttpVersion::at_most_2);
  breaks(kStart + 20s);
  EXPECT_EQ(policy.version(), HttpVersion::at_most_1);
  policy.replied("2");  // one that was still under way
  EXPECT_EQ(room(policy), 100);
}

TEST_F(SharingHost, RequestsThatFailTogetherCountOnce) {
  for (int i = 0; i < 50; ++i) policy.failed(ErrorKind::network, true, kStart, kStart + 10s);
  EXPECT_EQ(policy.version(), HttpVersion::at_most_2);
}

TEST_F(SharingHost, OtherFailuresDoNotCount) {
  for (int i = 1; i < 9; ++i) {
    const auto now = kStart + i * 10s;
    policy.failed(ErrorKind::timeout, true, now - 1s, now);
    policy.failed(ErrorKind::rejected, true, now - 1s, now);
    policy.failed(ErrorKind::network, false, now - 1s, now);
  }
  EXPECT_EQ(policy.version(), HttpVersion::at_most_2);
}

TEST_F(SharingHost, AServerWithoutHttp1GetsHttp2Again) {
  breaks(kStart + 10s);
  breaks(kStart + 20s);
  policy.failed(ErrorKind::tls, false, kStart + 25s, kStart + 30s);
  EXPECT_EQ(policy.version(), HttpVersion::at_most_2);
}

TEST_F(SharingHost, AServerThatHasAnsweredByHttp1KeepsIt) {
  breaks(kStart + 10s);
  breaks(kStart + 20s);
  policy.replied("1.1");
  policy.failed(ErrorKind::network, true, kStart + 25s, kStart + 30s);
  EXPECT_EQ(policy.version(), HttpVersion::at_most_1);
}

}  // namespace
}  // namespace assay
