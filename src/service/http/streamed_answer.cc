#include "service/http/streamed_answer.h"

#include <utility>

#include "service/http/readers.h"

namespace assay {
namespace {

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  Stream(std::shared_ptr<Exchange> exchange, NextPiece next)
      : exchange_(std::move(exchange)), responder_(exchange_->responder()), next_(std::move(next)) {}

  void go_on(std::optional<std::string> piece) {
    if (!piece) return responder_->end_stream();
    responder_->write(std::move(*piece));
    responder_->when_sent([self = shared_from_this()] {
      Readers* const threads = self->exchange_->threads();
      if (threads == nullptr) return self->make_next();
      if (!threads->post([self] { self->make_next(); })) self->responder_->drop();
    });
  }

 private:
  void make_next() {
    auto next = exchange_->still_admitted() ? next_() : fail(ErrorKind::usage, "the token has gone");
    if (!next) return responder_->drop();
    go_on(std::move(*next));
  }

  std::shared_ptr<Exchange> exchange_;
  std::shared_ptr<Responder> responder_;
  NextPiece next_;
};

}  // namespace

void stream_answer(const std::shared_ptr<Exchange>& exchange, const std::string& media, NextPiece next) {
  auto first = next();
  if (!first) return exchange->send_failure(first.error());
  const std::shared_ptr<Responder>& responder = exchange->responder();
  responder->begin_stream(200, {{"Content-Type", media}, {"Cache-Control", "no-store"}});
  // To HEAD nothing of it is sent: nothing of it need be made.
  if (exchange->request().method == "HEAD") return responder->end_stream();
  std::make_shared<Stream>(exchange, std::move(next))->go_on(std::move(*first));
}

}  // namespace assay
