#include "gateway/circuit.h"

#include <fmt/format.h>

namespace assay {
namespace {

// The same failure on another case differs in numbers (ids, times, lengths) only.
std::string signature_of(const Error& error) {
  std::string signature(to_string(error.kind));
  signature += ' ';
  for (char c : error.message.substr(0, 200)) {
    if (c < '0' || c > '9') signature += c;
  }
  return signature;
}

bool hopeless(ErrorKind kind) {
  return kind == ErrorKind::auth || kind == ErrorKind::tls;
}

}  // namespace

void Circuit::success() {
  in_a_row_ = 0;
  reason_.reset();
}

std::optional<Error> Circuit::failure(const Error& error, Time now) {
  // A prompt that is too long, or declined, says something of its case, not of who was asked.
  if (error.kind == ErrorKind::context_overflow || error.kind == ErrorKind::refused) return reason_;
  const std::string signature = signature_of(error);
  in_a_row_ = signature == signature_ ? in_a_row_ + 1 : 1;
  signature_ = signature;
  if (reason_) {
    opened_ = now;
    return reason_;
  }
  if (hopeless(error.kind)) {
    reason_ = Error{ErrorKind::circuit_open, "stopped: " + error.message, error.context};
  } else {
    const bool patient = behind_ == Behind::system_under_test && error.kind == ErrorKind::target;
    if (in_a_row_ < (patient ? 5 * threshold_ : threshold_)) return std::nullopt;
    reason_ = Error{
        ErrorKind::circuit_open,
        fmt::format("stopped early: the same failure came {} times in a row, with no success between: {}",
                    in_a_row_, error.message),
        {}};
  }
  opened_ = now;
  return reason_;
}

std::optional<Error> Circuit::refusal(Time now) {
  if (reason_ && now - opened_ >= kPause) success();  // it gets another chance
  return reason_;
}

}  // namespace assay
