#include "service/http/counted.h"

#include <utility>

namespace assay {
namespace {

class Counted final : public Responder {
 public:
  Counted(std::shared_ptr<Responder> to, Headers headers, std::function<void(int)> begun)
      : to_(std::move(to)), headers_(std::move(headers)), begun_(std::move(begun)) {}

  void send(int status, Headers headers, std::string body) override {
    begun_(status);
    to_->send(status, with_ours(std::move(headers)), std::move(body));
  }
  void begin_stream(int status, Headers headers) override {
    begun_(status);
    to_->begin_stream(status, with_ours(std::move(headers)));
  }
  void write(std::string chunk) override { to_->write(std::move(chunk)); }
  void end_stream() override { to_->end_stream(); }
  void when_sent(std::function<void()> work) override { to_->when_sent(std::move(work)); }
  bool open() const override { return to_->open(); }
  void drop() override { to_->drop(); }
  void send_truncated(int status, Headers headers, std::string body, std::size_t announced) override {
    begun_(status);
    to_->send_truncated(status, with_ours(std::move(headers)), std::move(body), announced);
  }
  void after(std::chrono::nanoseconds delay, std::function<void()> work) override {
    to_->after(delay, std::move(work));
  }

 private:
  Headers with_ours(Headers headers) const {
    for (const auto& [name, value] : headers_) headers.add(name, value);
    return headers;
  }

  std::shared_ptr<Responder> to_;
  Headers headers_;
  std::function<void(int)> begun_;
};

}  // namespace

void RouteCounts::add(const std::string& route, int status) {
  const std::lock_guard guard(mutex_);
  ++counts_[{route, status}];
}

std::map<std::pair<std::string, int>, std::uint64_t> RouteCounts::all() const {
  const std::lock_guard guard(mutex_);
  return counts_;
}

std::shared_ptr<Responder> counted(std::shared_ptr<Responder> to, Headers headers,
                                   std::function<void(int status)> begun) {
  return std::make_shared<Counted>(std::move(to), std::move(headers), std::move(begun));
}

}  // namespace assay
