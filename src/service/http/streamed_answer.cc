#include "service/http/streamed_answer.h"

#include <utility>

#include "service/http/readers.h"

namespace assay {
namespace {

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  Stream(std::shared_ptr<Responder> responder, NextPiece next, Readers* threads)
      : responder_(std::move(responder)), next_(std::move(next)), threads_(threads) {}

  void go_on(std::optional<std::string> piece) {
    if (!piece) return responder_->end_stream();
    responder_->write(std::move(*piece));
    responder_->when_sent([self = shared_from_this()] {
      if (self->threads_ == nullptr) return self->make_next();
      if (!self->threads_->post([self] { self->make_next(); })) self->responder_->drop();
    });
  }

 private:
  void make_next() {
    auto next = next_();
    if (!next) return responder_->drop();
    go_on(std::move(*next));
  }

  std::shared_ptr<Responder> responder_;
  NextPiece next_;
  Readers* threads_;
};

}  // namespace

void stream_answer(const std::shared_ptr<Exchange>& exchange, const std::string& media, NextPiece next) {
  auto first = next();
  if (!first) return exchange->send_failure(first.error());
  const std::shared_ptr<Responder>& responder = exchange->responder();
  responder->begin_stream(200, {{"Content-Type", media}, {"Cache-Control", "no-store"}});
  // To HEAD nothing of it is sent: nothing of it need be made.
  if (exchange->request().method == "HEAD") return responder->end_stream();
  std::make_shared<Stream>(responder, std::move(next), exchange->threads())->go_on(std::move(*first));
}

}  // namespace assay
