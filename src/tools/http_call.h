// A request to a service of the user's that answers with JSON.
#pragma once

#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/environment.h"
#include "core/error.h"
#include "core/json/json.h"
#include "core/task.h"
#include "net/http/http_client.h"
#include "tools/text_reply.h"

namespace assay {

// `${NAME}` in a header's value is filled from the environment when it is sent, so that no secret is in a
// config, journal or message.
struct HttpCall {
  std::string method = "POST";
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::chrono::nanoseconds timeout = std::chrono::seconds(120);
  int most_at_once = std::numeric_limits<int>::max();  // if the limits allow more
  int tries = 1;
  bool stubborn = false;  // also try again after failures that are the target's own, not the connection's
  TextReply text_reply = TextReply::refused;  // a body that is not JSON
};

Json to_json(const HttpCall& call);

// A failure of one try, with the pause that the server asked for.
struct HttpCallFailure {
  Error error;
  std::optional<std::chrono::milliseconds> retry_after;
};

// Any status but 2xx is a failure: 429 rate_limited, 408/409/425/5xx overloaded, 401 auth, others target
// (403 too: to forbid is an answer of the system).
// A body that is not JSON is a failure of kind target.
Task<std::expected<Json, HttpCallFailure>> call_http(HttpClient& client, HttpCall call,
                                                     Environment environment);

}  // namespace assay
