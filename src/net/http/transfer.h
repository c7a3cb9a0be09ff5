// One libcurl easy handle and the request that it carries at the moment. Handles are reused: what is the same
// for all requests is set once, since setting everything anew costs more than a small request itself.
// It knows neither the event loop nor the multi handle; HttpClient moves it through their hands.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <curl/curl.h>

#include "core/error.h"
#include "net/http/http_client.h"
#include "net/http/opening_policy.h"
#include "net/http/url.h"

namespace assay {

// What is the same for all requests of a client. Pointers must outlive every transfer.
struct TransferSetup {
  CURLSH* share = nullptr;
  const char* ca_file = nullptr;  // null: libcurl's own
  const char* proxy = nullptr;    // null: as the environment says
  const char* user_agent = nullptr;
  curl_opensocket_callback open_socket = nullptr;
  curl_closesocket_callback close_socket = nullptr;
  void* socket_context = nullptr;
};

class Transfer {
 public:
  explicit Transfer(const TransferSetup& setup);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  CURL* easy() const { return easy_; }
  // The Transfer that has this handle.
  static Transfer& of(CURL* easy);

  // What its owner hears, inside libcurl.
  struct Events {
    std::function<void()> connected;  // there is a connection, and the request is about to be sent
    std::function<void()> complete;   // HttpRequest::is_complete said so
    std::function<bool(std::size_t bytes)> may_take;  // whether there is room for more of the body
  };
  // Takes the request and tells libcurl about it. `origin` must live until clear().
  void prepare(HttpRequest request, const Origin& origin, HttpVersion version, Events events);
  // Lets go of the request and what was received.
  void clear();
  // From here on libcurl's callbacks do nothing but ask it to end the transfer.
  void abandon() { abandoned_ = true; }

  const HttpRequest& request() const { return request_; }
  bool connected() const { return connected_; }
  bool complete() const { return complete_; }
  // Whether bytes have moved in either direction since the last time that this was asked.
  bool moved();
  // After libcurl has said that it is done.
  Result<HttpResponse> result(CURLcode code);

 private:
  static std::size_t take_header(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t take_body(char* data, std::size_t size, std::size_t count, void* self);
  static int before_request(void* self, char*, char*, int, int);

  void set_method();
  void set_headers();
  void start_response(std::string_view status_line);
  enum class Taken { all, nothing_more, not_now };
  Taken take(std::string_view chunk);

  CURL* easy_;
  HttpRequest request_;
  const Origin* origin_ = nullptr;
  Events events_;
  HttpResponse response_;
  std::size_t received_ = 0;
  curl_off_t uploaded_ = 0;
  bool active_ = false;
  bool connected_ = false;
  bool abandoned_ = false;
  bool too_long_ = false;
  bool ended_early_ = false;
  bool complete_ = false;

  // What the handle has been told, so that only changes are told again.
  std::string url_set_;
  long connect_timeout_set_ = -1;
  bool custom_method_set_ = false;
  bool pipewait_set_ = false;
  std::optional<HttpVersion> version_set_;
  std::string header_lines_;  // each ends with \0
  std::vector<curl_slist> header_list_;
  char error_text_[CURL_ERROR_SIZE] = {};
};

}  // namespace assay
