// The OpenAPI 3.1 description of a service, made from the table of its routes. Pure.
#pragma once

#include <vector>

#include "core/json/json.h"
#include "service/http/routes.h"

namespace assay {

enum class TokensNeeded { no, yes };
Json describe_routes(const std::vector<Route>& routes, TokensNeeded tokens);

}  // namespace assay
