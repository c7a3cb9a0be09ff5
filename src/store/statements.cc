#include "store/statements.h"

#include <utility>

namespace assay {
namespace {

void bind_value(Statement& statement, int index, const SqlValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    statement.bind(index, *number);
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    // SQLite takes a null pointer for NULL, and an empty view may have one.
    statement.bind(index, text->data() == nullptr ? std::string_view("") : *text);
  } else if (const auto* bytes = std::get_if<std::span<const unsigned char>>(&value)) {
    statement.bind_blob(index, *bytes);
  } else {
    statement.bind_null(index);
  }
}

}  // namespace

Error Statements::located(Error error) const {
  return std::move(error).with("file", database_.path());
}

Result<Statement*> Statements::bound(std::string_view sql, std::span<const SqlValue> values) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    auto prepared = database_.prepare(sql);
    if (!prepared) return fail(std::move(prepared.error()));
    found = statements_.emplace(std::string(sql), std::move(*prepared)).first;
  }
  int index = 0;
  for (const SqlValue& value : values) bind_value(found->second, ++index, value);
  return &found->second;
}

Status Statements::run(std::string_view sql, std::span<const SqlValue> values) {
  return each(sql, values, [](const Statement&) {});
}

Result<std::optional<std::int64_t>> Statements::number(std::string_view sql,
                                                       std::span<const SqlValue> values) {
  auto statement = bound(sql, values);
  if (!statement) return fail(std::move(statement.error()));
  auto row = (*statement)->step();
  if (!row) return fail(located(std::move(row.error())));
  if (!*row) return std::nullopt;
  std::optional<std::int64_t> value;
  if (!(*statement)->is_null(0)) value = (*statement)->integer(0);
  (*statement)->reset();
  return value;
}

}  // namespace assay
