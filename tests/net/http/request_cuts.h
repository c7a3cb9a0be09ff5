// What a parser of requests understands of the bytes of a connection, however they are cut: as one text, for
// the unit tests and the fuzzer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "net/http/request_parser.h"

namespace assay {

inline void describe(const ParsedRequest& parsed, std::string& text) {
  const ServerRequest& request = parsed.request;
  text += request.method + " " + request.path + " ?" + request.query + " @" + request.host;
  text += parsed.http10 ? " 1.0" : " 1.1";
  text += parsed.keep_alive ? " stays" : " goes";
  for (const auto& [name, value] : request.headers)
    text.append(" [").append(name).append("=").append(value).append("]");
  text += " {" + request.body + "}\n";
}

// `next` says how many of the bytes come next, at least 1; `at` is how many have come.
inline std::string understood(std::string_view bytes, std::size_t max_body,
                              const std::function<std::size_t(std::size_t at)>& next) {
  RequestParser parser(max_body);
  std::string waiting;  // what a connection keeps for the next request
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t count = std::min(next(at), bytes.size() - at);
    waiting += bytes.substr(at, count);
    at += count;
    while (true) {
      std::size_t used = 0;
      const auto state = parser.feed(waiting, used);
      waiting.erase(0, used);
      if (state == RequestParser::State::refused)
        return text + std::to_string(parser.status()) + " " + parser.reason() + "\n";
      if (state == RequestParser::State::head) {
        text += parser.has_body() ? "head with body\n" : "head\n";
      } else if (state == RequestParser::State::done) {
        describe(parser.take(), text);
      }
      if (state == RequestParser::State::needs_more) break;
      if (state == RequestParser::State::done && waiting.empty()) break;
    }
  }
  return text;
}

inline std::string understood_at_once(std::string_view bytes, std::size_t max_body) {
  return understood(bytes, max_body, [&](std::size_t) { return bytes.size(); });
}
inline std::string understood_in_steps(std::string_view bytes, std::size_t max_body, std::size_t step) {
  return understood(bytes, max_body, [&](std::size_t) { return step; });
}
inline std::string understood_with_cut(std::string_view bytes, std::size_t max_body, std::size_t cut) {
  return understood(bytes, max_body, [&](std::size_t at) { return at < cut ? cut - at : bytes.size(); });
}

}  // namespace assay
