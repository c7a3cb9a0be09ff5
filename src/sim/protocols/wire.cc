#include "sim/protocols/wire.h"

#include "core/json/json.h"
#include "core/text.h"
#include "sim/chance.h"

namespace assay::sim {

void append_quoted(std::string& out, std::string_view key, std::string_view text) {
  out += '"';
  out += key;
  out += "\":";
  append_json_string(out, text);
}

std::vector<std::string_view> stream_pieces(std::string_view text) {
  constexpr std::size_t kPiece = 16;
  std::vector<std::string_view> pieces;
  pieces.reserve(text.size() / kPiece + 1);
  while (!text.empty()) {
    std::string_view piece = cut(text, kPiece);
    if (piece.empty()) piece = text.substr(0, kPiece);  // malformed bytes must not stop the stream
    pieces.push_back(piece);
    text.remove_prefix(piece.size());
  }
  return pieces;
}

std::string id_text(std::uint64_t number) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::string out;
  Chance chance(number);
  std::uint64_t bits = 0;
  for (int i = 0; i < 24; ++i) {
    if (i % 8 == 0) bits = chance.below(std::uint64_t{1} << 62);
    out += kLetters[bits % kLetters.size()];
    bits /= kLetters.size();
  }
  return out;
}

}  // namespace assay::sim
