// Where a provider's chat requests go, from whatever base URL a user has: with or without a trailing slash,
// with or without the version, with a query as gateways have it.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"
#include "models/capabilities.h"

namespace assay {

struct Address {
  std::string url;         // to POST to; may hold secrets (user information, query)
  std::string base;        // to show and to compare: without user information and query
  std::string host;        // "api.openai.com", "127.0.0.1:8080": for messages
  bool is_public = false;  // the provider's own service, which takes nobody without a key
  bool is_azure = false;
};

// Kind config if it is no http or https URL; the message does not repeat it, since it may hold a password.
Result<Address> chat_address(Wire wire, std::string_view base_url);

std::string_view default_base_url(Wire wire);

}  // namespace assay
