// A provider's batch API on the wire: many requests handed in together, answered within a day at a lower
// price. Written and read here, sent by batch_client.h. Pure; one file a provider.
//
// OpenAI takes a file of requests and gives files of answers, and repeats a mark of ours in its lists.
// Anthropic takes and gives all of it without files, and shows no more of ours than the names of the
// requests, once they are answered; so every name begins with the mark of its batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json/json.h"

namespace assay {

// One request as it goes into a batch.
struct BatchOrder {
  std::string name;  // custom_id: the batch's mark, "-", and what the request is known by
  std::string body;  // JSON, as a single request would have it
};

// How far a batch is.
struct BatchState {
  std::string id = {};
  bool ended = false;
  std::int64_t total = 0;
  std::int64_t done = 0;  // with whatever end, as far as the provider tells before all are
  std::string mark = {};  // where the provider repeats it
  // Below the base URL: where its answers are, once it has ended.
  std::vector<std::string> results = {};
  // Why the provider did not begin it at all.
  std::optional<Error> failure = {};
};

// What came of one request: what a single one would have been answered, or why it was not.
struct BatchResult {
  std::string name = {};
  struct Response {
    int status = 200;
    std::string body;
  };
  std::expected<Response, Error> answer = Response();
};

struct BatchWire {
  std::string_view path;          // "/batches", below the base URL
  std::string_view endpoint;      // that its requests are for, as the provider names it
  std::string_view files = {};    // where a file of requests is uploaded first; empty: there is none
  std::size_t most_requests = 0;  // of one batch
  std::size_t most_bytes = 0;
  // One request, in the file or the body.
  std::string (*written)(const BatchOrder& order, std::string_view endpoint);
  // The body that makes a batch: of an uploaded file, or of all requests as they were written.
  std::string (*creation)(std::string_view file_id, std::span<const std::string> written,
                          std::string_view mark, std::string_view endpoint);
  // Kind parse: it is none.
  Result<BatchState> (*state)(const Json& json);
  Result<BatchResult> (*result)(const Json& line);
  std::string_view after;  // the parameter that goes on in a list
  bool marks = false;      // the provider repeats the mark of a batch
};

extern const BatchWire kOpenAiBatches;
extern const BatchWire kOpenAiResponsesBatches;
extern const BatchWire kAnthropicBatches;

// One line of a file of results. Kind parse: it is none.
Result<BatchResult> read_batch_result(const BatchWire& wire, std::string_view line);

// The lines of a text that comes in pieces; what is longer than a reply can be is passed over.
class BatchLines {
 public:
  // Calls take(line) for each line that is complete.
  template <class Take>
  void feed(std::string_view piece, const Take& take) {
    for (std::size_t end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
      add(piece.substr(0, end));
      end_line(take);
      piece.remove_prefix(end + 1);
    }
    add(piece);
  }
  // A last line without an end.
  template <class Take>
  void finish(const Take& take) {
    end_line(take);
  }

 private:
  static constexpr std::size_t kLongest = std::size_t{64} << 20;
  void add(std::string_view piece) {
    if (line_.size() + piece.size() > kLongest) too_long_ = true;
    if (too_long_) {
      line_.clear();
    } else {
      line_ += piece;
    }
  }
  template <class Take>
  void end_line(const Take& take) {
    if (!too_long_ && line_.find_first_not_of(" \t\r") != std::string::npos) take(std::string_view(line_));
    line_.clear();
    too_long_ = false;
  }
  std::string line_;
  bool too_long_ = false;
};

}  // namespace assay
