// Errors are values. An Error says what went wrong in one sentence, of which kind it is (which decides the
// exit code and whether trying again can help), and where: each caller on the way up may add context that it
// knows (file, line, field, case, step). Nothing secret may enter a message.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

enum class ErrorKind {
  usage,             // wrong command line
  config,            // a key, value or combination in the configuration is wrong
  data,              // the input data are wrong
  io,                // a file or directory cannot be read or written
  parse,             // foreign text (JSON, YAML, a reply) is not well formed
  schema,            // well formed, but not what was asked for
  network,           // no connection, or it broke; trying again can help
  tls,               // certificate or handshake failure; trying again cannot help
  timeout,           // total or idle deadline passed; trying again can help
  rate_limited,      // HTTP 429; trying again later can help
  overloaded,        // HTTP 408, 409, 425, 5xx; trying again can help
  auth,              // HTTP 401, 403: wrong or missing key
  rejected,          // any other HTTP 4xx: the request itself is refused
  context_overflow,  // the prompt does not fit into the model's context; trying again cannot help
  refused,           // the model declined to answer
  target,            // the system under test failed (exit code, rubbish output)
  judge,             // the judge gave no usable answer after all attempts
  budget,            // the money limit is reached
  circuit_open,      // stopped early: the same failure came again and again
  cancelled,         // interrupted by the user
  journal,           // the journal cannot be written or does not fit
  changed,           // a replay differs from what was journaled: config, data or prompts have changed
  internal,          // a bug
};

std::string_view to_string(ErrorKind kind);

// Whether the one retry layer may try again.
bool retryable(ErrorKind kind);

struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string message;
  // Outermost first, e.g. {"file", "data.jsonl"}, {"line", "12"}, {"field", "question"}.
  std::vector<std::pair<std::string, std::string>> context;

  // Adds what an outer caller knows.
  Error with(std::string_view key, std::string value) &&;
  // "data.jsonl, line 12, field question: found 3, expected text"
  std::string text() const;
};

template <class T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

inline std::unexpected<Error> fail(ErrorKind kind, std::string message) {
  return std::unexpected(Error{kind, std::move(message), {}});
}
inline std::unexpected<Error> fail(Error error) {
  return std::unexpected(std::move(error));
}

}  // namespace assay
