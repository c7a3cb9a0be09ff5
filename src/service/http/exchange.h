// One request to the service on its way to its answer: what the routes see instead of raw HTTP. A body is
// JSON and checked, a query is read with names and types, and every error has the same form:
// {"message": …, "errors": [{"pointer", "message"}]}.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"
#include "net/http/http_server.h"
#include "service/http/roles.h"

namespace assay {

class Readers;

struct FieldError {
  std::string pointer;  // into the body, or the name of a query parameter
  std::string message;
};

// {"message": …, "errors": […]}
std::string error_text(std::string message, const std::vector<FieldError>& errors = {});

class Exchange {
 public:
  Exchange(ServerRequest request, std::shared_ptr<Responder> responder);

  const ServerRequest& request() const { return request_; }
  // The parts of the path that the route's pattern leaves open, by name.
  std::string parameter(std::string_view name) const;
  void set_parameters(std::vector<std::pair<std::string, std::string>> parameters) {
    parameters_ = std::move(parameters);
  }
  // Who asks: the name that belongs to the token; empty where no token is needed.
  const std::string& client() const { return request_.client; }
  // What the token allows; everything where no token is needed.
  TokenRoles roles() const { return TokenRoles::of_bits(request_.rights); }
  // Whether the token is as good as when the request came in: for an answer that goes on for long.
  bool still_admitted() const { return !admission_ || admission_(request_.headers); }
  void set_admission(std::function<bool(const Headers&)> admission) { admission_ = std::move(admission); }
  // The body has been read: its bytes are not needed any more.
  void drop_body() {
    body_bytes_ = request_.body.size();
    request_.body = std::string();
  }
  std::size_t body_bytes() const { return body_bytes_; }  // as it came

  // Query values; what is wrong with them is kept for errors(). Absent or empty: nothing.
  std::optional<std::string> text(std::string_view name);
  std::vector<std::string> texts(std::string_view name);  // of a parameter that may be repeated
  std::optional<std::int64_t> whole(std::string_view name, std::int64_t least, std::int64_t most);
  std::optional<double> number(std::string_view name, double least, double most);
  bool flag(std::string_view name);  // true, 1; false, 0 or absent
  // Parameters that are none of these are errors, with the nearest known name.
  void expect_only(const std::vector<std::string>& names);

  void add_error(std::string pointer, std::string message);
  bool has_errors() const { return !errors_.empty(); }

  void send(int status, const Json& body) const;
  // Anything that is not JSON; the headers name its Content-Type.
  void send_bytes(int status, Headers headers, std::string body) const;
  // For an answer that comes in pieces; then nothing else here may be sent.
  const std::shared_ptr<Responder>& responder() const { return responder_; }
  // Threads on which an answer in pieces is made; null: where the one before was sent.
  void go_on_with(Readers& threads) { threads_ = &threads; }
  Readers* threads() const { return threads_; }
  void send_error(int status, std::string message) const;  // with what add_error() has gathered
  // 400 and true if anything was wrong so far.
  bool refused() const;
  // An error of ours, of the store, or of what was asked: its kind decides the status.
  void send_failure(const Error& error) const;

 private:
  void send_text(int status, std::string text) const;

  ServerRequest request_;
  std::shared_ptr<Responder> responder_;
  std::vector<std::pair<std::string, std::string>> parameters_;
  std::vector<std::pair<std::string, std::string>> query_;
  std::vector<FieldError> errors_;
  Readers* threads_ = nullptr;
  std::function<bool(const Headers&)> admission_;
  std::size_t body_bytes_ = 0;
};

}  // namespace assay
