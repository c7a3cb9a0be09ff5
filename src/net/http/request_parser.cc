#include "net/http/request_parser.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

namespace assay {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::uint32_t kMaxHeader = 64U << 10;
// A client may announce any length: more than this is reserved only when it has come.
constexpr std::size_t kMostReserved = std::size_t{1} << 20;

// Puts the parts of a request where the handler wants them, without a copy in between.
class FieldParser final : public http::basic_parser<true> {
 public:
  ServerRequest request;
  std::string target;
  int version = 0;  // 10 or 11
  bool has_host = false;
  bool expects_continue = false;

 private:
  void on_request_impl(http::verb /*verb*/, beast::string_view method, beast::string_view target_given,
                       int version_given, error_code& /*error*/) override {
    version = version_given;
    request.method.assign(method.data(), method.size());
    target.assign(target_given.data(), target_given.size());
  }
  void on_response_impl(int /*code*/, beast::string_view /*reason*/, int /*version*/,
                        error_code& /*error*/) override {}
  void on_field_impl(http::field name, beast::string_view name_text, beast::string_view value,
                     error_code& /*error*/) override {
    if (name == http::field::host) has_host = true;
    if (name == http::field::expect) {
      expects_continue = same_without_case({value.data(), value.size()}, "100-continue");
    }
    request.headers.add(std::string(name_text.data(), name_text.size()),
                        std::string(value.data(), value.size()));
  }
  void on_header_impl(error_code& /*error*/) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code& /*error*/) override {
    if (length) request.body.reserve(std::min<std::uint64_t>(*length, kMostReserved));
  }
  std::size_t on_body_impl(beast::string_view part, error_code& /*error*/) override {
    request.body.append(part.data(), part.size());
    return part.size();
  }
  void on_chunk_header_impl(std::uint64_t /*size*/, beast::string_view /*extensions*/,
                            error_code& /*error*/) override {}
  std::size_t on_chunk_body_impl(std::uint64_t /*left*/, beast::string_view part,
                                 error_code& /*error*/) override {
    request.body.append(part.data(), part.size());
    return part.size();
  }
  void on_finish_impl(error_code& /*error*/) override {}
};

}  // namespace

// Beast's parsers serve one message: a new one is made in the same place for each.
class RequestParser::Parser {
 public:
  explicit Parser(std::size_t max_body) { renew(max_body); }
  void renew(std::size_t max_body) {
    fields.emplace();
    fields->header_limit(kMaxHeader);
    fields->body_limit(max_body);
    fields->eager(true);
  }
  std::optional<FieldParser> fields;
};

RequestParser::RequestParser(std::size_t max_body)
    : max_body_(max_body), parser_(std::make_unique<Parser>(max_body)) {}
RequestParser::~RequestParser() = default;

RequestParser::State RequestParser::refuse(int status, std::string reason) {
  status_ = status;
  reason_ = std::move(reason);
  return State::refused;
}

RequestParser::State RequestParser::feed(std::string_view bytes, std::size_t& used) {
  FieldParser& fields = *parser_->fields;
  used = 0;
  while (used < bytes.size() && !fields.is_done()) {
    error_code error;
    used += fields.put(boost::asio::const_buffer(bytes.data() + used, bytes.size() - used), error);
    if (error == http::error::need_more) return State::needs_more;
    if (error == http::error::body_limit) return refuse(413, "the body is too large");
    if (error == http::error::header_limit) return refuse(431, "the header is too large");
    if (error) return refuse(400, error.message());
  }
  if (!fields.is_done()) return State::needs_more;
  if (fields.version >= 11 && !fields.has_host) return refuse(400, "the Host header is missing");
  auto target = split_target(fields.target);
  if (!target) return refuse(400, "the path is not valid");
  fields.request.path = std::move(target->path);
  fields.request.query = std::move(target->query);
  return State::done;
}

ParsedRequest RequestParser::take() {
  FieldParser& fields = *parser_->fields;
  ParsedRequest parsed{
      .request = std::move(fields.request), .http10 = fields.version < 11, .keep_alive = fields.keep_alive()};
  parser_->renew(max_body_);
  return parsed;
}

bool RequestParser::wants_continue() {
  FieldParser& fields = *parser_->fields;
  return fields.is_header_done() && !fields.is_done() && std::exchange(fields.expects_continue, false);
}

}  // namespace assay
