// What can be wrong with a config's words on PromptQL, told before anything is sent.
#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.h"
#include "models/providers/promptql.h"
#include "net/http/http.h"
#include "net/http/url.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 2> kVersions{"v1", "v2"};
constexpr std::array<std::string_view, 2> kFirstDdn{"url", "headers"};
constexpr std::array<std::string_view, 3> kSecondDdn{"build_id", "build_version", "headers"};
constexpr std::array<std::string_view, 4> kArtifactTypes{"text", "table", "visualization", "automation"};

bool is_url(std::string_view text) {
  return parse_url(text).has_value();
}

bool holds_user(std::string_view url) {
  const auto parsed = parse_url(url);
  return parsed && !parsed->user.empty();
}

bool is_variable(std::string_view name) {
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool is_timezone(std::string_view name) {
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '/' || c == '+' || c == '-';
  });
}

class Inspection {
 public:
  explicit Inspection(const PromptqlSettings& settings) : settings_(settings) {}

  std::vector<std::string> problems() && {
    check_address();
    check_ddn();
    check_headers();
    check_artifacts();
    return std::move(problems_);
  }

 private:
  template <class... Parts>
  void wrong(fmt::format_string<Parts...> text, Parts&&... parts) {
    problems_.push_back(fmt::format(text, std::forward<Parts>(parts)...));
  }

  bool first() const { return settings_.version == "v1"; }

  void check_address() {
    // The URL is not repeated: it may hold a password.
    if (settings_.url != "sim" && !is_url(settings_.url)) {
      wrong("url: expected sim, or a URL that starts with http:// or https:// and names a host");
    } else if (holds_user(settings_.url)) {
      wrong("url: it holds a user name or password; name the key's variable under api_key_env instead");
    }
    if (std::ranges::find(kVersions, settings_.version) == kVersions.end()) {
      wrong("version: found \"{}\", expected one of {}", shorten(settings_.version, 40),
            fmt::join(kVersions, ", "));
    }
    if (!is_variable(settings_.api_key_env)) {
      wrong("api_key_env: expected the name of an environment variable (letters, digits, _)");
    }
    if (settings_.timezone.empty()) {
      wrong("timezone: it is empty, expected a name such as UTC or Europe/London");
    } else if (!is_timezone(settings_.timezone)) {
      wrong("timezone: found \"{}\", expected a name such as UTC or Europe/London",
            shorten(settings_.timezone, 40));
    }
    if (settings_.timeout.count() <= 0) wrong("timeout: expected more than 0");
    if (settings_.version == "v2" && !settings_.system_instructions.empty()) {
      wrong("system_instructions: v2 takes none; they belong to the project's configuration");
    }
    if (settings_.version == "v2" && settings_.ai_primitives) {
      wrong("ai_primitives_llm: v2 takes none; it belongs to the project's configuration");
    }
  }

  void check_ddn() {
    const JsonObject& ddn = settings_.ddn;
    const Json* url = ddn.if_contains("url");
    if (first()) {
      if (url == nullptr && settings_.url != "sim") {
        wrong("ddn.url: missing; v1 needs the URL that ends in /v1/sql");
      } else if (url != nullptr) {
        const auto text = as_text(*url);
        const bool later = text && text->find("${") != std::string_view::npos;  // known when it is sent
        if (!text || !(later || is_url(*text))) wrong("ddn.url: expected a URL");
      }
    } else if (settings_.version == "v2") {
      if (ddn.contains("build_id") && ddn.contains("build_version")) {
        wrong("ddn: build_id and build_version exclude each other; without both the applied build answers");
      }
      for (const std::string_view key : {"build_id", "build_version"}) {
        const Json* value = ddn.if_contains(key);
        if (value != nullptr && as_text(*value).value_or("").empty()) wrong("ddn.{}: expected text", key);
      }
    } else {
      return;
    }
    const std::span<const std::string_view> known = first() ? std::span<const std::string_view>(kFirstDdn)
                                                            : std::span<const std::string_view>(kSecondDdn);
    for (const auto& member : ddn) {
      const std::string_view key = member.key();
      if (std::ranges::find(known, key) != known.end()) continue;
      wrong("ddn.{}: {} takes {}", shorten(key, 40), settings_.version, fmt::join(known, ", "));
    }
  }

  void check_headers() {
    const Json* headers = settings_.ddn.if_contains("headers");
    if (headers == nullptr) return;
    if (!headers->is_object()) return wrong("ddn.headers: expected an object of texts");
    for (const auto& member : headers->get_object()) {
      if (!is_http_token(member.key())) {
        wrong("ddn.headers: \"{}\" is not the name of a header", shorten(member.key(), 40));
      }
      // The value is not repeated: a user may have put a secret there.
      if (!member.value().is_string()) wrong("ddn.headers.{}: expected text", shorten(member.key(), 40));
    }
  }

  void check_artifacts() {
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < settings_.artifacts.size(); ++i) {
      const Json& artifact = settings_.artifacts[i];
      const auto text = [&](std::string_view key) {
        const Json* member = find_member(artifact, key);
        return member == nullptr ? std::string_view() : as_text(*member).value_or("");
      };
      if (!artifact.is_object()) {
        wrong("artifacts[{}]: expected identifier, title, artifact_type, data", i);
        continue;
      }
      const std::string_view identifier = text("identifier");
      if (identifier.empty()) {
        wrong("artifacts[{}].identifier: expected text", i);
      } else if (!seen.insert(identifier).second) {
        wrong("artifacts[{}].identifier: \"{}\" is there twice", i, shorten(identifier, 60));
      }
      if (text("title").empty()) wrong("artifacts[{}].title: expected text", i);
      check_data(artifact, text("artifact_type"), i);
    }
  }

  void check_data(const Json& artifact, std::string_view type, std::size_t i) {
    if (std::ranges::find(kArtifactTypes, type) == kArtifactTypes.end()) {
      return wrong("artifacts[{}].artifact_type: expected one of {}", i, fmt::join(kArtifactTypes, ", "));
    }
    const Json* data = find_member(artifact, "data");
    if (data == nullptr) return wrong("artifacts[{}].data: missing", i);
    const JsonArray* rows = data->if_array();
    if (type == "table" && (rows == nullptr || !std::ranges::all_of(*rows, &Json::is_object))) {
      wrong("artifacts[{}].data: expected a list of objects, since it is a table", i);
    }
    if (type == "text" && !data->is_string()) wrong("artifacts[{}].data: expected text", i);
  }

  const PromptqlSettings& settings_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> problems_of(const PromptqlSettings& settings) {
  return Inspection(settings).problems();
}

}  // namespace assay
