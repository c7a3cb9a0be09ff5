// The head of an HTTP/1.1 response as text. What a handler gives is not trusted: names and values that would
// break the head are left out or mended, and the fields that frame the body are the server's own.
#pragma once

#include <string>
#include <string_view>

#include "net/http/http.h"

namespace assay {

struct ResponseHead {
  int status = 200;
  const Headers& headers;
  std::string_view date;
  bool old_version = false;  // the request was HTTP/1.0
};

// Appends status line and fields, without Content-Length, Transfer-Encoding and the empty line at the end.
// `keep_alive` becomes false if the headers say "Connection: close".
void append_response_head(std::string& out, const ResponseHead& head, bool& keep_alive);

// Whether a response with this status has a body at all.
bool may_have_body(int status);

// The time now as the Date field has it.
std::string http_date();

}  // namespace assay
