// What a server says when it refuses a request, whatever the shape of its error body: OpenAI's and
// Anthropic's
// {"error": {…}}, FastAPI's {"detail": […]}, a text inside a text, or no JSON at all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"

namespace assay {

struct Complaint {
  std::string message;
  std::string type;       // "invalid_request_error", "overloaded_error", "extra_forbidden"
  std::string code;       // "insufficient_quota", "unsupported_parameter", "502"
  std::string parameter;  // what the server blames: "max_tokens", "messages[0].role", "body.seed"
  bool operator==(const Complaint&) const = default;
};

// Every complaint found in an error body; empty if it holds none. Never more than 16.
std::vector<Complaint> complaints_in(const Json& body);
// The same for a body that may not be JSON: then the text itself is the one complaint.
std::vector<Complaint> complaints_in_text(std::string_view body);

// The HTTP status that an error inside a 200 reply or an event stream stands for ("overloaded_error" → 529,
// code 502 → 502); 500 if nothing says better.
int status_of(const std::vector<Complaint>& complaints);

}  // namespace assay
