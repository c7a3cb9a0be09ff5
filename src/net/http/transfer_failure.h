// What a failed transfer means to the person who reads it, and whether trying again can help.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/error.h"

namespace assay {

struct TransferFailure {
  int code = 0;             // CURLcode
  int system_error = 0;     // errno of the last connection attempt, or 0
  std::string_view detail;  // libcurl's own words; used only where they cannot hold anything secret
  std::string_view origin;  // "https://api.example.com:443"
  std::string_view host;
  std::chrono::nanoseconds connect_timeout{};
  bool replying = false;     // the head of the reply had come
  std::size_t received = 0;  // bytes of its body
};

Error explain(const TransferFailure& failure);

// "20 s", "250 ms"
std::string in_words(std::chrono::nanoseconds duration);

}  // namespace assay
