// `assay --version`: what this program is and what it was made of, for people who report what they met.
#include <string>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/version.hpp>
#include <curl/curl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <seccomp.h>
#include <sqlite3.h>
#include <utf8proc.h>
#include <zlib.h>
#ifdef ASSAY_POSTGRES
#include <libpq-fe.h>
#endif
#ifdef ASSAY_NATS
#include <nats/nats.h>
#endif

#include "cli/arguments.h"
#include "cli/command.h"
#include "core/build_commit.h"
#include "core/json/json.h"
#include "core/text.h"
#include "core/version.h"

namespace assay {
namespace {

#ifdef ASSAY_POSTGRES
constexpr bool kPostgres = true;
#else
constexpr bool kPostgres = false;
#endif

#ifdef ASSAY_NATS
constexpr bool kNats = true;
#else
constexpr bool kNats = false;
#endif

#ifdef __clang__
const std::string kCompiler =
    fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
const std::string kCompiler = fmt::format("gcc {}", __VERSION__);
#endif

std::string libseccomp_version() {
  const scmp_version* version = seccomp_version();
  return version == nullptr ? "unknown"
                            : fmt::format("{}.{}.{}", version->major, version->minor, version->micro);
}

// Where a library can say what it is, that is what runs; of the others, what it was compiled with.
JsonObject libraries() {
  JsonObject list{
      {"Boost",
       fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100)},
      {"curl", curl_version_info(CURLVERSION_NOW)->version},
      {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"mimalloc", ASSAY_MIMALLOC},
      {"OpenSSL", OpenSSL_version(OPENSSL_VERSION_STRING)},
      {"RE2", ASSAY_RE2},
      {"seccomp", libseccomp_version()},
      {"simdjson", ASSAY_SIMDJSON},
      {"SQLite", sqlite3_libversion()},
      {"utf8proc", utf8proc_version()},
      {"yaml-cpp", ASSAY_YAML_CPP},
      {"zlib", zlibVersion()},
  };
#ifdef ASSAY_POSTGRES
  list["libpq"] = fmt::format("{}.{}", PQlibVersion() / 10000, PQlibVersion() % 10000);
#endif
#ifdef ASSAY_NATS
  list["libnats"] = nats_GetVersion();
#endif
  return list;
}

JsonObject build() {
  return {
      {"assay", kVersion},
      {"commit", *kCommit == '\0' ? Json(nullptr) : Json(kCommit)},
      {"compiler", kCompiler},
      {"build_type", ASSAY_BUILD_TYPE},
      {"sanitizers", ASSAY_SANITIZERS},
      {"parts", JsonObject{{"postgresql", kPostgres}, {"nats", kNats}, {"page_and_plots", ASSAY_PAGE != 0}}},
      {"libraries", libraries()}};
}

std::string in_words(const JsonObject& build) {
  const auto text = [&](const char* key) { return std::string(build.at(key).as_string()); };
  std::string out =
      fmt::format("assay {}\nbuilt with {}, {}", build_name(), text("compiler"), text("build_type"));
  if (!text("sanitizers").empty()) out += fmt::format(", sanitizers {}", text("sanitizers"));
  std::string list;
  for (const auto& [name, version] : build.at("libraries").as_object()) {
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", std::string_view(name),
                        std::string(version.as_string()));
  }
  const JsonObject& parts = build.at("parts").as_object();
  const auto on = [&](const char* part) { return parts.at(part).as_bool() ? "on" : "off"; };
  return fmt::format("{}\nPostgreSQL {}, NATS {}, page and plots {}\n{}\n", out, on("postgresql"), on("nats"),
                     on("page_and_plots"), list);
}

}  // namespace

Keys version_keys() {
  return {format_key()};
}

int version_command(const std::vector<std::string>& words, const Surroundings& surroundings) {
  const auto arguments = parse_arguments(words, version_keys());
  if (!arguments) return bad_input(arguments.error(), surroundings);
  if (!arguments->words.empty()) {
    return bad_input(
        Error{ErrorKind::usage, fmt::format("--version takes no {}", arguments->words.front()), {}},
        surroundings);
  }
  const ResolvedConfig resolved = resolve_config(version_keys(), {"", {}, arguments->flags});
  if (!resolved.problems.empty()) {
    show_problems(resolved.problems, surroundings);
    return kBadInput;
  }
  print(wants_json(resolved.config) ? pretty_text(build()) : in_words(build()));
  return kDone;
}

}  // namespace assay
