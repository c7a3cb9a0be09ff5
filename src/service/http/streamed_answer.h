// An answer that is made in pieces, each when the peer has taken the one before: however much there is, one
// piece is in memory.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/error.h"
#include "service/http/exchange.h"

namespace assay {

// The next piece; nothing at the end. Called on the exchange's threads, or the server's, never twice at once.
using NextPiece = std::function<Result<std::optional<std::string>>()>;

// The first piece decides whether there is an answer: a failure is told as usual. After one that comes later
// the connection is reset, so that nobody takes what has come for the whole.
void stream_answer(const std::shared_ptr<Exchange>& exchange, const std::string& media, NextPiece next);

}  // namespace assay
