// How many requests of each route were answered how, and the Responder that counts them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "net/http/http_server.h"

namespace assay {

// Thread-safe.
class RouteCounts {
 public:
  // `route` is "GET /api/runs/{run}".
  void add(const std::string& route, int status);
  std::map<std::pair<std::string, int>, std::uint64_t> all() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::uint64_t> counts_;
};

// Passes everything on to `to`, with `headers` behind those of every answer; `begun` hears its status.
std::shared_ptr<Responder> counted(std::shared_ptr<Responder> to, Headers headers,
                                   std::function<void(int status)> begun);

}  // namespace assay
