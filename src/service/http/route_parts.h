// What the routes of the data service share: paging, filters that several take, bodies that are checked
// against a schema, and schemas for the description.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/json.h"
#include "core/schema/schema.h"
#include "service/http/exchange.h"
#include "service/http/readers.h"
#include "service/http/routes.h"

namespace assay {

using ExchangePointer = std::shared_ptr<Exchange>;

constexpr const char* kDataBase = "/data/eval";
constexpr std::int64_t kMostPages = 1'000'000'000;
constexpr std::int64_t kMostPerPage = 10'000;

// The parameters with `page` and `count` behind them.
std::vector<QueryParameter> with_paging(std::vector<QueryParameter> parameters);

// `offset` and `count` of a query.
template <class Query>
void read_paging(Exchange& exchange, Query& query) {
  query.count = exchange.whole("count", 0, kMostPerPage).value_or(20);
  if (query.count == 0) query.count = kMostPerPage;
  query.offset = (exchange.whole("page", 1, kMostPages).value_or(1) - 1) * query.count;
}

// The time that `lastNHours` goes back to.
std::optional<std::int64_t> since(Exchange& exchange);
// `lastNHours` and `mode`, as several lists take them.
QueryParameter hours_parameter();
QueryParameter mode_parameter(const char* help);
void add_all(Exchange& exchange, const std::vector<FieldError>& errors);

// A body schema of our own, checked against its requests.
class BodySchema {
 public:
  explicit BodySchema(const char* text);
  const Json& json() const { return json_; }
  // False, and answered, if the body does not fit.
  bool fits(Exchange& exchange, const Json& body) const;

 private:
  Json json_;
  Schema schema_;
};

// {"type": "object", "properties": …, "required": all of them}; each is given as JSON text.
Json object_schema(const std::vector<std::pair<std::string, std::string>>& members);
// A page: a list of that name, `remaining` and `total`.
Json page_schema(const std::string& list, const std::string& entry,
                 std::vector<std::pair<std::string, std::string>> more = {});

// Does `work` on one of these threads; answered 503 if too much waits for them, 500 if it throws. A question
// whose client has gone before its turn came is left out.
void work_on(Readers& threads, const ExchangePointer& exchange, std::function<void()> work);
// The same routes, with what they read read on these threads: the server's own must not wait for a disk.
// A short record is taken on the server's: it only queues up for the store's writer.
std::vector<Route> reading_on(Readers& threads, std::vector<Route> routes);

// A handler that needs the body, and one that does not, about something that outlives the routes.
template <class About, class Handler>
auto taking(About& about, Handler handler) {
  return [&about, handler](const ExchangePointer& exchange, const Json& body) {
    handler(about, exchange, body);
  };
}
template <class About, class Handler>
auto asking(About& about, Handler handler) {
  return [&about, handler](const ExchangePointer& exchange, const Json&) { handler(about, exchange); };
}

}  // namespace assay
