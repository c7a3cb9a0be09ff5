#include "net/http/transfer.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>

#include <fmt/format.h>

#include "core/text.h"
#include "net/http/transfer_failure.h"

namespace assay {
namespace {

// A buffer that has grown larger than this is given back instead of kept for the next request.
constexpr std::size_t kKeptCapacity = std::size_t{64} << 10;
// A server may announce any length: more than this is reserved only when it has come.
constexpr std::size_t kMostReserved = std::size_t{1} << 20;

template <class Value>
void set(CURL* easy, CURLoption option, Value value) {
  // Fails only for options that this libcurl was built without, none of which is used here, or out of memory,
  // which shows when the transfer starts.
  curl_easy_setopt(easy, option, value);
}

}  // namespace

Transfer::Transfer(const TransferSetup& setup) : easy_(curl_easy_init()) {
  if (!easy_) throw std::bad_alloc();
  set(easy_, CURLOPT_PRIVATE, static_cast<void*>(this));
  set(easy_, CURLOPT_ERRORBUFFER, error_text_);
  set(easy_, CURLOPT_NOSIGNAL, 1L);
  set(easy_, CURLOPT_SHARE, setup.share);
  set(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy_, CURLOPT_ACCEPT_ENCODING, "");
  // What was checked is what is sent: "/a/../b" must not become "/b" on the way.
  set(easy_, CURLOPT_PATH_AS_IS, 1L);
  set(easy_, CURLOPT_USERAGENT, setup.user_agent);
  set(easy_, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(easy_, CURLOPT_TCP_KEEPALIVE, 1L);
  set(easy_, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  // With a directory of certificates, too, libcurl would read all of them anew for each connection.
  set(easy_, CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  set(easy_, CURLOPT_PROXY_CAPATH, static_cast<const char*>(nullptr));
  if (setup.ca_file) {
    set(easy_, CURLOPT_CAINFO, setup.ca_file);
    set(easy_, CURLOPT_PROXY_CAINFO, setup.ca_file);
  }
  if (setup.proxy) {
    set(easy_, CURLOPT_PROXY, setup.proxy);
    set(easy_, CURLOPT_NOPROXY, "");
  }
  set(easy_, CURLOPT_OPENSOCKETFUNCTION, setup.open_socket);
  set(easy_, CURLOPT_OPENSOCKETDATA, setup.socket_context);
  set(easy_, CURLOPT_CLOSESOCKETFUNCTION, setup.close_socket);
  set(easy_, CURLOPT_CLOSESOCKETDATA, setup.socket_context);
  set(easy_, CURLOPT_HEADERFUNCTION, &Transfer::take_header);
  set(easy_, CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(easy_, CURLOPT_WRITEFUNCTION, &Transfer::take_body);
  set(easy_, CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(easy_, CURLOPT_PREREQFUNCTION, &Transfer::before_request);
  set(easy_, CURLOPT_PREREQDATA, static_cast<void*>(this));
}

Transfer::~Transfer() {
  curl_easy_cleanup(easy_);
}

Transfer& Transfer::of(CURL* easy) {
  char* self = nullptr;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &self);
  return *reinterpret_cast<Transfer*>(self);
}

void Transfer::prepare(HttpRequest request, const Origin& origin, HttpVersion version, Events events) {
  request_ = std::move(request);
  origin_ = &origin;
  events_ = std::move(events);
  error_text_[0] = '\0';
  if (url_set_ != request_.url) {
    url_set_ = request_.url;
    set(easy_, CURLOPT_URL, url_set_.c_str());
  }
  const auto connect_timeout = std::clamp<std::int64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(request_.connect_timeout).count(), 1, 86'400'000);
  if (connect_timeout_set_ != connect_timeout) {
    connect_timeout_set_ = static_cast<long>(connect_timeout);
    set(easy_, CURLOPT_CONNECTTIMEOUT_MS, connect_timeout_set_);
  }
  // Over TLS the server may have HTTP/2: better wait for that connection than open one more.
  if (pipewait_set_ != origin.tls) {
    pipewait_set_ = origin.tls;
    set(easy_, CURLOPT_PIPEWAIT, origin.tls ? 1L : 0L);
  }
  if (version_set_ != version) {
    version_set_ = version;
    set(easy_, CURLOPT_HTTP_VERSION,
        static_cast<long>(version == HttpVersion::at_most_2 ? CURL_HTTP_VERSION_2TLS
                                                            : CURL_HTTP_VERSION_1_1));
  }
  set_method();
  set_headers();
}

void Transfer::set_method() {
  const std::string& method = request_.method;
  const bool post = method == "POST";
  const bool head = method == "HEAD";
  const bool with_body = post || (!head && (method == "PUT" || method == "PATCH" || !request_.body.empty()));
  if (head) {
    set(easy_, CURLOPT_NOBODY, 1L);
  } else if (with_body) {
    set(easy_, CURLOPT_POST, 1L);
    set(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    set(easy_, CURLOPT_POSTFIELDS, request_.body.c_str());
  } else {
    set(easy_, CURLOPT_HTTPGET, 1L);
  }
  const bool custom = !(post || head || (method == "GET" && !with_body));
  if (custom) {
    set(easy_, CURLOPT_CUSTOMREQUEST, method.c_str());
  } else if (custom_method_set_) {
    set(easy_, CURLOPT_CUSTOMREQUEST, static_cast<const char*>(nullptr));
  }
  custom_method_set_ = custom;
}

// libcurl reads a plain linked list; ours lies in one buffer that is used again.
void Transfer::set_headers() {
  header_lines_.clear();
  std::size_t count = 0;
  const auto add = [&](std::string_view line) {
    header_lines_ += line;
    header_lines_ += '\0';
    ++count;
  };
  bool has_type = false;
  for (const auto& [name, value] : request_.headers) {
    if (same_without_case(name, "Content-Length") || same_without_case(name, "Expect")) continue;
    has_type = has_type || same_without_case(name, "Content-Type");
    header_lines_ += name;
    // "Name;" is how libcurl is told of an empty value; "Name:" would remove the header.
    if (trim(value).empty()) {
      add(";");
    } else {
      header_lines_ += ": ";
      add(value);
    }
  }
  add("Expect:");
  if (!has_type) add("Content-Type:");

  header_list_.resize(count);
  char* line = header_lines_.data();
  for (std::size_t i = 0; i < count; ++i) {
    header_list_[i].data = line;
    header_list_[i].next = i + 1 < count ? &header_list_[i + 1] : nullptr;
    line += std::strlen(line) + 1;
  }
  set(easy_, CURLOPT_HTTPHEADER, header_list_.data());
}

void Transfer::clear() {
  HttpRequest done = std::move(request_);
  request_ = HttpRequest{};
  events_ = {};
  origin_ = nullptr;
  response_ = HttpResponse{};
  received_ = 0;
  uploaded_ = 0;
  active_ = connected_ = abandoned_ = too_long_ = ended_early_ = complete_ = false;
  if (header_lines_.capacity() > kKeptCapacity) header_lines_ = std::string();
  if (url_set_.capacity() > kKeptCapacity) {
    url_set_ = std::string();
  }
}

bool Transfer::moved() {
  curl_off_t uploaded = 0;
  curl_easy_getinfo(easy_, CURLINFO_SIZE_UPLOAD_T, &uploaded);
  const bool moved = active_ || uploaded != uploaded_;
  active_ = false;
  uploaded_ = uploaded;
  return moved;
}

int Transfer::before_request(void* self, char* /*address*/, char* /*local_address*/, int /*port*/,
                             int /*local_port*/) {
  auto& transfer = *static_cast<Transfer*>(self);
  // The second time means that libcurl is about to send the request again, since a kept connection died under
  // it: the server may have seen it, and whether to repeat is for the engine to decide.
  if (transfer.abandoned_ || transfer.connected_) return CURL_PREREQFUNC_ABORT;
  transfer.connected_ = true;
  transfer.active_ = true;
  if (transfer.events_.connected) transfer.events_.connected();
  return CURL_PREREQFUNC_OK;
}

std::size_t Transfer::take_header(char* data, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  if (transfer.abandoned_) return 0;
  transfer.active_ = true;
  const std::string_view line(data, size * count);
  if (line.starts_with("HTTP/")) {
    transfer.start_response(trim(line));
  } else if (const auto colon = line.find(':'); colon != std::string_view::npos) {
    transfer.response_.headers.add(std::string(trim(line.substr(0, colon))),
                                   std::string(trim(line.substr(colon + 1))));
  }
  return size * count;
}

// "HTTP/1.1 200 OK". An interim response (1xx) or a proxy's comes first; the last one counts.
void Transfer::start_response(std::string_view status_line) {
  response_ = HttpResponse{};
  const auto space = std::min(status_line.find(' '), status_line.size());
  response_.http_version = status_line.substr(5, space - 5);
  const auto rest = trim(status_line.substr(space));
  std::from_chars(rest.data(), rest.data() + rest.size(), response_.status);
}

std::size_t Transfer::take_body(char* data, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  transfer.active_ = true;
  switch (transfer.take({data, size * count})) {
    case Taken::all:
      return size * count;
    case Taken::not_now:
      return CURL_WRITEFUNC_PAUSE;  // these bytes come again
    case Taken::nothing_more:
      break;
  }
  // Any other number than that of the bytes given ends the transfer; 0 would not if none were given.
  return CURL_WRITEFUNC_ERROR;
}

Transfer::Taken Transfer::take(std::string_view chunk) {
  if (abandoned_ || ended_early_) return Taken::nothing_more;
  if (received_ + chunk.size() > request_.max_body) {
    too_long_ = true;
    return Taken::nothing_more;
  }
  if (events_.may_take && !events_.may_take(chunk.size())) return Taken::not_now;
  received_ += chunk.size();
  if (request_.on_data && response_.status >= 200 && response_.status < 300) {
    // It may destroy the coroutine that waits for this transfer, but the function itself stays here until
    // libcurl has returned.
    if (!request_.on_data(chunk)) ended_early_ = true;
    if (ended_early_ || abandoned_) return Taken::nothing_more;
    if (!complete_ && request_.is_complete && request_.is_complete()) {
      complete_ = true;
      if (events_.complete) events_.complete();
    }
    return Taken::all;
  }
  if (response_.body.empty()) {
    curl_off_t announced = 0;
    curl_easy_getinfo(easy_, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced);
    if (announced > 0) response_.body.reserve(std::min(static_cast<std::size_t>(announced), kMostReserved));
  }
  response_.body += chunk;
  return Taken::all;
}

Result<HttpResponse> Transfer::result(CURLcode code) {
  if (too_long_ && !complete_) {
    return fail(ErrorKind::rejected, fmt::format("the reply of {} is longer than the limit of {} bytes",
                                                 origin_->name, request_.max_body));
  }
  if (code == CURLE_OK || ended_early_ || complete_) return std::move(response_);
  long system_error = 0;
  curl_easy_getinfo(easy_, CURLINFO_OS_ERRNO, &system_error);
  return fail(explain({.code = code,
                       .system_error = static_cast<int>(system_error),
                       .detail = error_text_[0] ? error_text_ : curl_easy_strerror(code),
                       .origin = origin_->name,
                       .host = origin_->host,
                       .connect_timeout = request_.connect_timeout,
                       .replying = response_.status != 0,
                       .received = received_}));
}

}  // namespace assay
