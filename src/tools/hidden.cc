#include "tools/hidden.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "core/text.h"

namespace assay {
namespace {

// Looking for pieces of secrets costs time for every byte, and a message shows few of them. A secret that is
// cut in two here stands far from what is shown.
constexpr std::size_t kLookedAt = 16'384;

}  // namespace

Json hidden_in(const Json& value, const Secrets& secrets) {
  if (secrets.empty()) return value;
  switch (value.kind()) {
    case boost::json::kind::string:
      return boost::json::string(secrets.hide(value.get_string()));
    case boost::json::kind::array: {
      JsonArray list;
      list.reserve(value.get_array().size());
      for (const Json& item : value.get_array()) list.push_back(hidden_in(item, secrets));
      return list;
    }
    case boost::json::kind::object: {
      JsonObject object;
      for (const auto& [name, member] : value.get_object())
        object.insert_or_assign(secrets.hide(name), hidden_in(member, secrets));
      return object;
    }
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
    case boost::json::kind::double_: {
      const std::string digits = to_text(value);
      std::string hidden = secrets.hide(digits);
      if (hidden == digits) return value;
      return boost::json::string(hidden);
    }
    case boost::json::kind::bool_:
    case boost::json::kind::null:
      return value;
  }
  return value;
}

std::string quoted_start(std::string_view text, std::size_t limit, const Secrets& secrets) {
  const std::string hidden = secrets.hide_pieces(trim(text).substr(0, kLookedAt));
  return shorten(repair_utf8(trim(hidden)), limit);
}

std::string quoted_end(std::string_view text, std::size_t limit, const Secrets& secrets) {
  text = trim(text);
  const bool cut = text.size() > kLookedAt;
  if (cut) text.remove_prefix(text.size() - kLookedAt);
  const std::string hidden = secrets.hide_pieces(text);
  std::string_view end = trim(hidden);
  if (end.size() <= limit) return (cut ? "…" : "") + repair_utf8(end);
  end.remove_prefix(end.size() - limit);
  while (!end.empty() && (static_cast<unsigned char>(end.front()) & 0xC0) == 0x80) end.remove_prefix(1);
  return "…" + repair_utf8(end);
}

}  // namespace assay
