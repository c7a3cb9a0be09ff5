// Secrets that stand literally in a config: the password of a proxy, a token in an address, the value of an
// Authorization header. They may be sent, but the config that a run writes down, its identity and its report
// have a mark in their place, and whoever goes on with the run takes them from where they were written.
//
// A secret is known by its place: user information, parameters with a telling name and long random words of a
// URL; values with a telling name below `headers`, `environment`, `env`, `body` and `ddn`. What is written as
// ${NAME} is no literal, and stays.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "core/secrets/secrets.h"

namespace assay {

// Whether what has this name is a secret: Authorization, X-Api-Key, DB_PASSWORD, access_token.
bool names_secret(std::string_view name);

std::string url_without_secrets(std::string_view url);
// The secrets of a URL in every form in which a server may repeat them: as written, decoded, and as the
// header that they become.
void add_url_secrets(std::string_view url, Secrets& secrets);

// The config with marks in the place of its secrets.
Json without_secrets(const Json& config);
void add_secrets_of(const Json& config, Secrets& secrets);
bool has_secrets(const Json& config);

// `config` with the secrets of `original` wherever it has marks and is else the same.
Json with_secrets_of(const Json& config, const Json& original);
// JSON pointers of the values in which a mark still stands for a secret.
std::vector<std::string> still_hidden(const Json& config);

}  // namespace assay
