// Under which names the service may be addressed, and from which pages: what keeps a web page elsewhere from
// speaking to it through somebody's browser, by a name that it lets point here (DNS rebinding) or across
// origins. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "net/http/http_server.h"

namespace assay {

class Access {
 public:
  // The address that the service listens on, and names of its own, such as those behind a proxy.
  Access(const std::string& bound, const std::vector<std::string>& names);

  // Nothing if it may come in; otherwise 421 or 403 with a sentence.
  std::optional<std::pair<int, std::string>> objection(const ServerRequest& request) const;

 private:
  bool known_host(const std::string& host, const ServerRequest& request) const;
  bool own_origin(const std::string& origin, const ServerRequest& request) const;

  std::string bound_;
  std::vector<std::string> names_;
};

}  // namespace assay
