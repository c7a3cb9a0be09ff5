// What happens when an assertion in Boost's headers does not hold (BOOST_ENABLE_ASSERT_HANDLER, see
// cmake/compiler.cmake): an exception instead of the end of the process, so that a request that a library did
// not foresee costs one answer, and a case one outcome. In a function that promises not to throw it ends the
// process all the same: nothing can be gone on with there.
#include <stdexcept>
#include <string>

#include <boost/assert.hpp>
#include <fmt/format.h>

namespace boost {

void assertion_failed(const char* expression, const char* function, const char* file, long line) {
  throw std::logic_error(fmt::format("{}:{}: {} does not hold in {}", file, line, expression, function));
}

void assertion_failed_msg(const char* expression, const char* message, const char* function, const char* file,
                          long line) {
  throw std::logic_error(
      fmt::format("{}:{}: {} does not hold in {}: {}", file, line, expression, function, message));
}

}  // namespace boost
