// The routes of a service as a table: method, path, what it takes, what it does. The same table answers
// requests and writes the OpenAPI document, so the two cannot differ.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "service/exchange.h"
#include "service/tokens.h"

namespace assay {

struct QueryParameter {
  std::string name;
  std::string type;  // of JSON Schema: string, integer, number, boolean
  std::string help;
};

struct Route {
  std::string method;
  std::string path;     // "/data/eval/process-evals/{mode}"
  std::string summary;  // one line
  std::vector<QueryParameter> query = {};
  Json body = {};  // JSON Schema; null: no body is taken
  std::vector<int> statuses = {200, 400};
  // `body` is null where the route takes none. May answer later.
  std::function<void(std::shared_ptr<Exchange> exchange, const Json& body)> handle = {};
};

class Routes {
 public:
  Routes(std::vector<Route> routes, Tokens tokens);
  Routes(const Routes&) = delete;
  Routes& operator=(const Routes&) = delete;
  // Finds the route, checks token, content type, body and query; answers what is wrong by itself.
  void answer(ServerRequest request, const std::shared_ptr<Responder>& responder) const;
  const Json& openapi() const { return openapi_; }

 private:
  bool authorised(Exchange& exchange) const;
  Json describe() const;

  std::vector<Route> routes_;
  Tokens tokens_;
  Json openapi_;
};

}  // namespace assay
