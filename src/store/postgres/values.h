// The parameters of a statement in PostgreSQL's binary form, so that nothing has to be escaped and any bytes
// may be kept. A list goes over as one array, which unnest() makes rows of: a thousand rows are one
// statement.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::postgres {

class Values {
 public:
  Values& integer(std::int64_t value);  // bigint
  Values& integer_or_null(const std::optional<std::int64_t>& value);
  Values& flag(bool value);                                      // boolean
  Values& number(double value);                                  // double precision
  Values& text(std::string_view value);                          // text
  Values& bytes(std::string_view value) { return text(value); }  // bytea, which has the same form
  Values& null();

  Values& integers(const std::vector<std::int64_t>& list);  // bigint[]
  Values& integers_or_nulls(const std::vector<std::optional<std::int64_t>>& list);
  Values& flags(const std::vector<bool>& list);              // boolean[]
  Values& texts(const std::vector<std::string_view>& list);  // text[]
  Values& blobs(const std::vector<std::string_view>& list);  // bytea[]
  Values& blobs_or_nulls(const std::vector<std::optional<std::string_view>>& list);

  const std::vector<std::optional<std::string>>& all() const { return values_; }

 private:
  std::vector<std::optional<std::string>> values_;
};

}  // namespace assay::postgres
