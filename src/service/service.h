// The whole service in one object: page, results API, and the data service if it has a store. Everything
// that it is made of lives as long as it does, and ends in order.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/config/config.h"
#include "core/environment.h"
#include "core/error.h"
#include "net/http/http_server.h"
#include "service/data/retention.h"
#include "service/http/tokens.h"
#include "store/address.h"

namespace assay {

// The data service: its store, and the jobs that it runs.
struct DataOptions {
  StoreAddress store;
  std::string directory;  // of what is this machine's own; is made if it is not there
  int jobs = 2;           // that run at once
  RetentionPlan keep = {};
};

struct ServiceOptions {
  HttpServerOptions http = {};  // its admit is the service's
  std::vector<std::string> names = {};
  std::vector<std::string> cors = {};  // origins of other pages that may use it
  std::unique_ptr<TokenFile> tokens;
  std::vector<std::string> results = {};
  std::string labels = {};   // where sheets of people who judge are kept; "": there are none
  std::string configs = {};  // what runs may be started from; "": none are
  std::string started = {};  // where it is kept which process works on which run; "": none are started
  std::optional<DataOptions> data = {};
  Config config = {};  // models, limits, prices, prompts, attempts
  Environment environment = {};
  std::function<void(const std::string& line)> tell = {};  // what somebody who runs it should know
};

class Service {
 public:
  // Listens when it returns.
  static Result<std::unique_ptr<Service>> start(ServiceOptions options);
  virtual ~Service() = default;
  virtual std::uint16_t port() const = 0;
  // Takes nothing new, ends streams and jobs, and waits so long for the answers under way. Not to be called
  // by a handler.
  virtual void stop(std::chrono::nanoseconds patience) = 0;
};

}  // namespace assay
