// Prompts × providers as variants of a config: a matrix where every prompt meets every model, else one by
// one.
#pragma once

#include <string>
#include <vector>

#include "core/json/json.h"
#include "imports/imported.h"
#include "imports/promptfoo/fields.h"
#include "imports/promptfoo/prompts.h"
#include "imports/promptfoo/providers.h"

namespace assay::promptfoo {

struct VariantPlan {
  JsonObject models;    // `models` of the config
  JsonObject variants;  // all of them, also those that the matrix makes
  Json matrix = nullptr;
  std::vector<std::string> order;
  JsonObject prompts;  // by variant: what it sends, with `{field}`, for scorers that look at it
  std::vector<ImportedFile> files;
  std::size_t prompts_taken = 0;
};

VariantPlan plan_variants(std::vector<Prompt> prompts, const std::vector<Provider>& providers,
                          const std::vector<Test>& tests, Fields& fields, Reading& reading);

}  // namespace assay::promptfoo
