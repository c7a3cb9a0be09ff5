// What went wrong with one call, for the retry layer and for people: the kind decides whether trying again
// helps, the text says who refused and in which words, and no secret is in either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/secrets/secrets.h"
#include "core/time.h"
#include "models/complaint.h"
#include "models/model.h"
#include "net/http/http.h"

namespace assay {

// Who was asked, and what of the asking may not be shown.
struct Asked {
  std::string_view host;
  std::string_view key_variable;  // where the key came from or should have come from ("OPENAI_API_KEY")
  bool with_key = false;          // one was sent
  const Secrets& secrets;
  // For a prompt that does not fit, where the server gives no sizes.
  std::optional<std::int64_t> prompt_tokens = {};  // as estimated
  std::optional<std::int64_t> window = {};         // as known by the model's name
};

// Foreign text for a message: one line, printable, at most `limit` bytes.
std::string shown(std::string_view text, std::size_t limit = 300);

// A reply with a status that is not 2xx.
ModelFailure failure_of_status(int status, const Headers& headers, std::string_view body, const Asked& asked,
                               WallTime now);

// An error that came inside a reply that began well.
ModelFailure failure_of_complaints(const std::vector<Complaint>& complaints, const Asked& asked);

// A 2xx reply that cannot be used: not JSON, cut off, without an answer. Worth another try, hence kind
// network.
ModelFailure failure_of_broken(std::string_view reason, std::string_view body, const Asked& asked);

}  // namespace assay
