// Under which names the service may be addressed, and from which pages: what keeps a web page elsewhere from
// speaking to it through somebody's browser, by a name that it lets point here (DNS rebinding) or across
// origins. Pages of other origins may if they are named one by one (CORS). Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "net/http/http_server.h"

namespace assay {

class Access {
 public:
  // The address that the service listens on, names of its own, such as those behind a proxy, and origins of
  // other pages that may use it: "https://dashboard.example.org".
  Access(const std::string& bound, const std::vector<std::string>& names,
         const std::vector<std::string>& origins = {});

  // Nothing if it may come in; otherwise 421 or 403 with a sentence.
  std::optional<std::pair<int, std::string>> objection(const ServerRequest& request) const;
  // The origin of another page that may read the answer; empty if the request is of none.
  std::string named_origin(const ServerRequest& request) const;
  // What is wrong with an origin as the config has it; empty: nothing.
  static std::string origin_defect(const std::string& origin);

 private:
  bool known_host(const std::string& host, const ServerRequest& request) const;
  bool own_origin(const std::string& origin, const ServerRequest& request) const;

  std::string bound_;
  std::vector<std::string> names_;
  std::vector<std::string> origins_;  // lower case, without a slash at the end
};

}  // namespace assay
