// One answer as the bytes that go out: a whole one, or a stream in chunks. Pure; the connection sends what
// is ready and asks again.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "net/http/http.h"

namespace assay {

// What the request says about its answer.
struct AnswerForm {
  bool head_only = false;    // HEAD
  bool old_version = false;  // HTTP/1.0
  bool keep_alive = true;
};

class ResponseWriter {
 public:
  // The next answer begins; what is ready of an earlier text stays.
  void begin(AnswerForm form);
  void say_continue() { text_ += "HTTP/1.1 100 Continue\r\n\r\n"; }
  // `announced`: says that so much follows, whatever does.
  void send(int status, const Headers& headers, std::string body, std::string_view date,
            std::optional<std::size_t> announced = {});
  void begin_stream(int status, const Headers& headers, std::string_view date);
  void write_chunk(std::string_view chunk);
  void end_stream();
  // Ends without what is missing; what is ready still goes out.
  void break_off();
  void close_afterwards() { form_.keep_alive = false; }

  bool complete() const { return complete_; }  // everything is ready
  bool keep_alive() const { return form_.keep_alive; }
  bool empty() const { return text_.empty(); }
  std::size_t waiting() const { return text_.size() + body_.size(); }
  // Exchanges what is ready, a text and the body that follows it if that is large, for empty texts.
  void give(std::string& text, std::string& body) {
    text_.swap(text);
    body_.swap(body);
  }

 private:
  AnswerForm form_;
  bool chunked_ = false;
  bool complete_ = false;
  std::string text_;
  std::string body_;
};

}  // namespace assay
