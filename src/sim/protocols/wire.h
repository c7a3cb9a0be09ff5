// What both protocols of the simulated endpoint share: an error before it has a protocol's form, a reply's
// identity, and the pieces that streams are cut into.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::sim {

struct WireError {
  int status = 400;
  std::string message;
  std::string type;   // empty: what goes with the status
  std::string param;  // OpenAI: the parameter that is blamed
  std::string code;   // OpenAI
};

struct ReplyIdentity {
  std::uint64_t number = 0;  // of the answer: names its id
  std::string model;         // that answered: "sim/judge"
};

// Appends "key":"text", escaped as JSON.
void append_quoted(std::string& out, std::string_view key, std::string_view text);

// Text in the portions in which a stream brings it: whole characters, about four tokens each.
std::vector<std::string_view> stream_pieces(std::string_view text);

// 24 letters and digits that look like an id.
std::string id_text(std::uint64_t number);

}  // namespace assay::sim
