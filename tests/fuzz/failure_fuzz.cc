// What a server sends with an error: a header's text and a body, separated by a NUL byte. However they look,
// the failure is told in words, holds no key, and no wait is longer than a day.
#include <cstddef>
#include <cstdint>
#include <string>

#include "models/failure.h"
#include "net/http/retry_after.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  using fuzz::require;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto end = std::min(text.find('\0'), text.size());
  const std::string header(text.substr(0, end));
  const std::string_view body = text.substr(std::min(end + 1, text.size()));
  const WallTime now{std::chrono::seconds(1'790'000'000)};
  Secrets secrets;
  secrets.add("sk-fuzzed-secret-key");
  const Asked asked{"api.example.com", "OPENAI_API_KEY", true, secrets};
  (void)parse_http_date(header);
  for (const char* name : {"retry-after", "retry-after-ms", "x-ratelimit-reset-requests",
                           "anthropic-ratelimit-tokens-reset", "date"}) {
    Headers headers;
    headers.add(name, header);
    for (const int status : {400, 401, 404, 429, 503}) {
      const auto wait = retry_after(status, headers, now);
      require(!wait || (wait->count() >= 0 && *wait <= std::chrono::hours(24)));
      const ModelFailure failure = failure_of_status(status, headers, body, asked, now);
      fuzz::require_words(failure.error.text());
      require(failure.error.text().find("sk-fuzzed-secret-key") == std::string::npos);
    }
  }
  fuzz::require_words(failure_of_broken("it is not complete JSON", body, asked).error.text());
  return 0;
}
