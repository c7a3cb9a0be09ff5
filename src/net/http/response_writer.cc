#include "net/http/response_writer.h"

#include <iterator>

#include <fmt/format.h>

#include "net/http/response_head.h"

namespace assay {
namespace {

// A body up to this size is copied behind its header; a larger one is sent from where it is.
constexpr std::size_t kCopiedBody = std::size_t{16} << 10;

}  // namespace

void ResponseWriter::begin(AnswerForm form) {
  form_ = form;
  chunked_ = complete_ = false;
}

void ResponseWriter::send(int status, const Headers& headers, std::string body, std::string_view date,
                          std::optional<std::size_t> announced) {
  if (announced) form_.keep_alive = false;
  append_response_head(text_, {status, headers, date, form_.old_version}, form_.keep_alive);
  if (may_have_body(status)) {
    fmt::format_to(std::back_inserter(text_), "Content-Length: {}\r\n", announced.value_or(body.size()));
  }
  text_ += "\r\n";
  if (may_have_body(status) && !form_.head_only) {
    if (body.size() <= kCopiedBody) {
      text_ += body;
    } else {
      body_ = std::move(body);
    }
  }
  complete_ = true;
}

void ResponseWriter::begin_stream(int status, const Headers& headers, std::string_view date) {
  chunked_ = may_have_body(status) && !form_.old_version;
  if (!chunked_ && may_have_body(status))
    form_.keep_alive = false;  // the end of the connection ends the body
  if (!may_have_body(status)) form_.head_only = true;
  append_response_head(text_, {status, headers, date, form_.old_version}, form_.keep_alive);
  text_ += chunked_ ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n";
}

void ResponseWriter::write_chunk(std::string_view chunk) {
  if (form_.head_only || chunk.empty()) return;
  if (chunked_) fmt::format_to(std::back_inserter(text_), "{:x}\r\n", chunk.size());
  text_ += chunk;
  if (chunked_) text_ += "\r\n";
}

void ResponseWriter::end_stream() {
  if (chunked_ && !form_.head_only) text_ += "0\r\n\r\n";
  complete_ = true;
}

void ResponseWriter::break_off() {
  form_.keep_alive = false;
  complete_ = true;
}

}  // namespace assay
