#include "net/http/status.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Status, SaysWhetherTryingAgainCanHelp) {
  for (const int status : {408, 409, 425, 500, 502, 503, 504, 529}) {
    EXPECT_EQ(kind_of_status(status), ErrorKind::overloaded) << status;
    EXPECT_TRUE(retryable(kind_of_status(status))) << status;
  }
  EXPECT_EQ(kind_of_status(429), ErrorKind::rate_limited);
  EXPECT_EQ(kind_of_status(401), ErrorKind::auth);
  EXPECT_EQ(kind_of_status(403), ErrorKind::auth);
}

TEST(Status, ThatIsNoneOfTheseMeansWhatTheCallerSays) {
  for (const int status : {302, 400, 402, 404, 413, 422, 451}) {
    EXPECT_EQ(kind_of_status(status), ErrorKind::rejected) << status;
    EXPECT_EQ(kind_of_status(status, ErrorKind::target), ErrorKind::target) << status;
  }
}

}  // namespace
}  // namespace assay
