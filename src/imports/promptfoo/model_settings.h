// How a suite has a model asked, as an entry of `models`: whose it is, where, and with what settings. Which
// words stand for which provider, and which setting is called what here, are tables.
#pragma once

#include <optional>
#include <string>

#include <boost/json/object.hpp>

#include "core/json/json.h"
#include "imports/promptfoo/reading.h"

namespace assay::promptfoo {

// "openai:responses:gpt-5" with its `config`; `at` is its place. What has no counterpart is told; nothing if
// the model cannot be asked from here.
std::optional<JsonObject> model_settings(const std::string& id, const Node& config, const Node& at,
                                         Reading& reading);

}  // namespace assay::promptfoo
