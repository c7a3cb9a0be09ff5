#include "core/schema/schema.h"

#include <fmt/format.h>

#include "core/schema/compile.h"
#include "core/schema/walk.h"

namespace assay {

Schema::Schema(std::unique_ptr<const schema::Tree> tree) : tree_(std::move(tree)) {}
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(Schema&&) noexcept = default;
Schema::~Schema() = default;

Result<Schema> Schema::compile(const Json& schema, SchemaOptions options) {
  return compile(schema, {}, options);
}

Result<Schema> Schema::compile(const Json& schema, const Documents& documents, SchemaOptions options) {
  auto tree = schema::compile_tree(schema, documents, options);
  if (!tree) return fail(std::move(tree.error()));
  return Schema(std::move(*tree));
}

bool Schema::valid(const Json& instance) const {
  return schema::Walk(*tree_, nullptr).run(instance);
}

std::vector<SchemaDefect> Schema::validate(const Json& instance) const {
  if (valid(instance)) return {};
  schema::Sink sink;
  schema::Walk walk(*tree_, &sink);
  walk.run(instance);
  // What was found around the place where the walk was given up need not be true.
  if (walk.stopped() != nullptr) return {{"", tree_->root->location, walk.stopped()}};
  if (sink.defects.size() == sink.limit) {
    sink.defects.push_back(
        {"", tree_->root->location, fmt::format("the list ends here, at {} defects", sink.limit)});
  }
  return std::move(sink.defects);
}

}  // namespace assay
