#include "store/postgres/values.h"

#include <bit>
#include <cstddef>
#include <utility>

namespace assay::postgres {
namespace {

// Types by their numbers in PostgreSQL's catalogue (pg_type.dat), which never change.
enum class TypeNumber : std::uint32_t { boolean = 16, bytea = 17, bigint = 20, text = 25 };

void append_32(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>((value >> shift) & 0xFFU);
}

std::string big_endian(std::uint64_t value) {
  std::string bytes;
  append_32(bytes, static_cast<std::uint32_t>(value >> 32U));
  append_32(bytes, static_cast<std::uint32_t>(value));
  return bytes;
}

std::string binary(std::int64_t value) {
  return big_endian(static_cast<std::uint64_t>(value));
}

// array_send() of the server: dimensions, whether there are nulls, type; size and first index; elements.
class Array {
 public:
  Array(TypeNumber type, std::size_t size) {
    append_32(bytes_, size == 0 ? 0 : 1);
    append_32(bytes_, 1);
    append_32(bytes_, static_cast<std::uint32_t>(type));
    if (size == 0) return;
    append_32(bytes_, static_cast<std::uint32_t>(size));
    append_32(bytes_, 1);
  }
  void add(std::string_view element) {
    append_32(bytes_, static_cast<std::uint32_t>(element.size()));
    bytes_ += element;
  }
  void add_null() { append_32(bytes_, 0xFFFFFFFFU); }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace

Values& Values::integer(std::int64_t value) {
  values_.emplace_back(binary(value));
  return *this;
}

Values& Values::integer_or_null(const std::optional<std::int64_t>& value) {
  return value ? integer(*value) : null();
}

Values& Values::flag(bool value) {
  values_.emplace_back(std::string(1, static_cast<char>(value ? 1 : 0)));
  return *this;
}

Values& Values::number(double value) {
  values_.emplace_back(big_endian(std::bit_cast<std::uint64_t>(value)));
  return *this;
}

Values& Values::text(std::string_view value) {
  values_.emplace_back(value);
  return *this;
}

Values& Values::null() {
  values_.emplace_back(std::nullopt);
  return *this;
}

Values& Values::integers(const std::vector<std::int64_t>& list) {
  Array array(TypeNumber::bigint, list.size());
  for (const std::int64_t value : list) array.add(binary(value));
  values_.emplace_back(array.take());
  return *this;
}

Values& Values::integers_or_nulls(const std::vector<std::optional<std::int64_t>>& list) {
  Array array(TypeNumber::bigint, list.size());
  for (const auto& value : list) {
    if (value) {
      array.add(binary(*value));
    } else {
      array.add_null();
    }
  }
  values_.emplace_back(array.take());
  return *this;
}

Values& Values::flags(const std::vector<bool>& list) {
  Array array(TypeNumber::boolean, list.size());
  for (const bool value : list) array.add(std::string_view(value ? "\1" : "\0", 1));
  values_.emplace_back(array.take());
  return *this;
}

Values& Values::texts(const std::vector<std::string_view>& list) {
  Array array(TypeNumber::text, list.size());
  for (const std::string_view value : list) array.add(value);
  values_.emplace_back(array.take());
  return *this;
}

Values& Values::blobs(const std::vector<std::string_view>& list) {
  Array array(TypeNumber::bytea, list.size());
  for (const std::string_view value : list) array.add(value);
  values_.emplace_back(array.take());
  return *this;
}

Values& Values::blobs_or_nulls(const std::vector<std::optional<std::string_view>>& list) {
  Array array(TypeNumber::bytea, list.size());
  for (const auto& value : list) {
    if (value) {
      array.add(*value);
    } else {
      array.add_null();
    }
  }
  values_.emplace_back(array.take());
  return *this;
}

}  // namespace assay::postgres
