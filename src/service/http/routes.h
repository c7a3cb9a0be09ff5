// The routes of a service as a table: method, path, what it takes, what it does. The same table answers
// requests and writes the OpenAPI document, so the two cannot differ.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/json/json.h"
#include "service/http/access.h"
#include "service/http/counted.h"
#include "service/http/exchange.h"
#include "service/http/roles.h"
#include "service/http/tokens.h"

namespace assay {

struct QueryParameter {
  std::string name;
  std::string type;  // of JSON Schema: string, integer, number, boolean
  std::string help;
  bool required = false;                  // refused without it
  std::vector<std::string> choices = {};  // all that it may say; none: anything of its type
  // What the handler holds it against, with the same numbers.
  std::optional<double> least = {};
  std::optional<double> most = {};
};
inline QueryParameter needed(QueryParameter one) {
  one.required = true;
  return one;
}
inline QueryParameter one_of(QueryParameter one, std::vector<std::string> choices) {
  one.choices = std::move(choices);
  return one;
}
inline QueryParameter from_to(QueryParameter one, double least, std::optional<double> most = {}) {
  one.least = least;
  one.most = most;
  return one;
}

struct Route {
  std::string method;
  // "/data/eval/process-evals/{mode}"; a last part "{rest…}" stands for all that follows, at least one part.
  std::string path;
  TokenRole role;       // what the caller's token must allow; every route says it
  std::string summary;  // one line
  std::vector<QueryParameter> query = {};
  Json body = {};                          // JSON Schema; null: no body is taken
  Json answer = {};                        // JSON Schema of what it answers
  std::string media = "application/json";  // Content-Type of what it answers
  std::vector<std::string> also = {};      // others that it answers to who asks for them, as text
  std::vector<int> statuses = {200, 400};
  bool hidden = false;       // no part of the description
  bool reads_first = false;  // a change that reads what is stored before it is made
  // `body` is null where the route takes none. May answer later.
  std::function<void(std::shared_ptr<Exchange> exchange, const Json& body)> handle = {};
};

// Tables behind each other: of two routes that fit a request the first one answers.
std::vector<Route> joined(std::vector<std::vector<Route>> tables);

class Routes {
 public:
  // `tokens` is not null.
  Routes(std::vector<Route> routes, std::unique_ptr<TokenFile> tokens, Access access);
  Routes(const Routes&) = delete;
  Routes& operator=(const Routes&) = delete;
  // What the head of a request tells: whether it may come in, whose token it brings, whether there is such a
  // route. To be asked before the body is read.
  std::optional<Refusal> admit(ServerRequest& head) const;
  // Of a request that was admitted: checks body and query, and answers what is wrong by itself.
  void answer(ServerRequest request, const std::shared_ptr<Responder>& responder) const;
  const Json& openapi() const { return openapi_; }
  const RouteCounts& counts() const { return counts_; }

 private:
  using Parameters = std::vector<std::pair<std::string, std::string>>;  // the open parts of a path
  struct Found {
    const Route* route = nullptr;
    Parameters parameters = {};
    std::set<std::string> allowed = {};  // methods of that path
  };
  Found find(const ServerRequest& request) const;
  std::optional<Refusal> objection(ServerRequest& head, const Found& found) const;
  Refusal preflight(const Found& found) const;
  // What a page of another origin that may use the service is told with each answer.
  Headers for_origin(const ServerRequest& request) const;
  std::optional<TokenHolder> holder_of(const Headers& headers) const;
  // Whether a token that was good still is.
  bool still_good(const Headers& headers, TokenRole role) const;

  std::vector<Route> routes_;
  std::unique_ptr<TokenFile> tokens_;
  Access access_;
  Json openapi_;
  mutable RouteCounts counts_;
};

}  // namespace assay
