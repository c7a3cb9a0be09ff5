// Schemas that can never finish: references that lead back to where they began without going into the value.
#pragma once

#include "core/schema/tree.h"

namespace assay::schema {

// A node on such a loop, or null. `$dynamicRef` is left out, since where it leads is known only at
// validation, where depth is bounded.
const Node* find_endless_reference(const Tree& tree);

}  // namespace assay::schema
