#include "core/error.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"

namespace assay {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return "usage";
    case ErrorKind::config:
      return "config";
    case ErrorKind::data:
      return "data";
    case ErrorKind::io:
      return "io";
    case ErrorKind::parse:
      return "parse";
    case ErrorKind::schema:
      return "schema";
    case ErrorKind::network:
      return "network";
    case ErrorKind::tls:
      return "tls";
    case ErrorKind::timeout:
      return "timeout";
    case ErrorKind::rate_limited:
      return "rate_limited";
    case ErrorKind::overloaded:
      return "overloaded";
    case ErrorKind::auth:
      return "auth";
    case ErrorKind::rejected:
      return "rejected";
    case ErrorKind::context_overflow:
      return "context_overflow";
    case ErrorKind::refused:
      return "refused";
    case ErrorKind::target:
      return "target";
    case ErrorKind::judge:
      return "judge";
    case ErrorKind::budget:
      return "budget";
    case ErrorKind::circuit_open:
      return "circuit_open";
    case ErrorKind::cancelled:
      return "cancelled";
    case ErrorKind::journal:
      return "journal";
    case ErrorKind::changed:
      return "changed";
    case ErrorKind::internal:
      return "internal";
  }
  return "internal";
}

bool retryable(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::network:
    case ErrorKind::timeout:
    case ErrorKind::rate_limited:
    case ErrorKind::overloaded:
      return true;
    default:
      return false;
  }
}

Error Error::with(std::string_view key, std::string value) && {
  // Who opens a file and who reads it know the same.
  std::pair<std::string, std::string> known(key, std::move(value));
  if (std::ranges::find(context, known) == context.end()) context.insert(context.begin(), std::move(known));
  return std::move(*this);
}

std::string Error::text() const {
  std::string out;
  std::string step;
  for (const auto& [key, value] : context) {
    // Our own name for what was asked helps who reads the journal, and comes last.
    if (key == "step") {
      step = fmt::format(" (step {})", value);
      continue;
    }
    if (!out.empty()) out += ", ";
    // A file speaks for itself; a line, field or case needs its word.
    if (key != "file") out.append(key).push_back(' ');
    out += value;
  }
  if (!out.empty()) out += ": ";
  out += message + step;
  // What a file, a server or a command said may be in any bytes; whoever shows this takes it for UTF-8.
  return repair_utf8(out);
}

}  // namespace assay
