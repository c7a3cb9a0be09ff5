// Where a provider's chat requests go, from whatever base URL a user has: with or without a trailing slash,
// with or without the version, with a query as gateways have it.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"

namespace assay {

struct Provider;
struct Wire;

// Ollama's own form of embeddings, below a base URL that ends in /api.
inline constexpr std::string_view kOllamaEmbeddings = "/api/embed";

struct Address {
  std::string url;             // to POST to; may hold secrets (user information, query)
  std::string stream_url;      // the same for an answer that is streamed
  std::string embeddings_url;  // for vectors; empty: the wire has none
  std::string base;            // to show and to compare: without user information and query
  std::string host;            // "api.openai.com", "127.0.0.1:8080": for messages
  std::string domain;          // the host in lower case, without its port
  bool is_public = false;      // the provider's own service
};

// Kind config if it is no http or https URL; the message does not repeat it, since it may hold a password.
// `wire` is one of the provider's.
Result<Address> chat_address(const Provider& provider, const Wire& wire, std::string_view base_url,
                             std::string_view model);
// With its usual wire, which it must have.
Result<Address> chat_address(const Provider& provider, std::string_view base_url, std::string_view model);

}  // namespace assay
