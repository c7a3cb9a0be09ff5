#include <stdexcept>
#include <string>

#include <boost/assert.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/exceptions/caught.h"
#include "tests/core/mailbox.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(FailedAssertion, IsAnExceptionThatNamesItsPlaceAndWhatDoesNotHold) {
  const int two = 2;
  try {
    BOOST_ASSERT(two == 3);
    FAIL() << "it does not hold";
  } catch (const std::logic_error& thrown) {
    EXPECT_THAT(thrown.what(),
                AllOf(HasSubstr("failed_assertion_test.cc:"), HasSubstr("two == 3 does not hold")));
  }
  try {
    BOOST_ASSERT_MSG(two == 3, "arithmetic is off");
    FAIL() << "it does not hold";
  } catch (const std::logic_error& thrown) {
    EXPECT_THAT(thrown.what(), HasSubstr("arithmetic is off"));
  }
}

TEST(Caught, GivesWhatTheTaskGivesAndAFailureForAnException) {
  Mailbox loop;
  const auto task = [](int number) -> Task<Result<int>> {
    BOOST_ASSERT(number != 2);
    if (number == 1) co_return fail(ErrorKind::io, "no");
    co_return number;
  };
  EXPECT_EQ(loop.await(caught(task(7))).value(), 7);
  EXPECT_EQ(loop.await(caught(task(1))).error().message, "no");
  const auto thrown = loop.await(caught(task(2)));
  EXPECT_EQ(thrown.error().kind, ErrorKind::internal);
  EXPECT_THAT(thrown.error().message, HasSubstr("number != 2 does not hold"));
}

}  // namespace
}  // namespace assay
