#include "engine/circuit.h"

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

std::optional<Error> Circuit::failure(const Error& error) {
  if (open_) return std::nullopt;
  const std::string signature = signature_of(error);
  in_a_row_ = signature == signature_ ? in_a_row_ + 1 : 1;
  signature_ = signature;
  if (hopeless(error.kind)) {
    open_ = true;
    return Error{ErrorKind::circuit_open, "stopped: " + error.message, error.context};
  }
  // A target that fails on case after case may be what the run is there to find out.
  const int threshold = error.kind == ErrorKind::target ? 5 * threshold_ : threshold_;
  if (in_a_row_ < threshold) return std::nullopt;
  open_ = true;
  return Error{
      ErrorKind::circuit_open,
      fmt::format("stopped early: the same failure came {} times in a row, with no success between: {}",
                  in_a_row_, error.message),
      {}};
}

}  // namespace assay
