// Turns schema documents into a Tree, or says everything that is wrong with them.
#pragma once

#include <memory>

#include "core/error.h"
#include "core/json/json.h"
#include "core/schema/schema.h"
#include "core/schema/tree.h"

namespace assay::schema {

Result<std::unique_ptr<const Tree>> compile_tree(const Json& schema, const Schema::Documents& documents,
                                                 SchemaOptions options);

}  // namespace assay::schema
