#include "service/http/streamed_answer.h"

#include <utility>

namespace assay {
namespace {

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  Stream(std::shared_ptr<Responder> responder, NextPiece next)
      : responder_(std::move(responder)), next_(std::move(next)) {}

  void go_on(std::optional<std::string> piece) {
    if (!piece) return responder_->end_stream();
    responder_->write(std::move(*piece));
    responder_->when_sent([self = shared_from_this()] {
      auto next = self->next_();
      if (!next) return self->responder_->drop();
      self->go_on(std::move(*next));
    });
  }

 private:
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
  std::make_shared<Stream>(responder, std::move(next))->go_on(std::move(*first));
}

}  // namespace assay
