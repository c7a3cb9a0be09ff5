// The models that a config declares: those under `models:`, and the names that are known without being
// declared.
#pragma once

#include <string_view>

#include "core/config/config.h"
#include "core/error.h"
#include "models/model.h"
#include "models/models.h"

namespace assay {

ModelAliases declared_models(const Config& config);

// The model of that name: declared under `models`, built in (claude, o1, o3-mini), or "provider/name".
Result<ModelSpec> declared_model(const Config& config, std::string_view name);

}  // namespace assay
