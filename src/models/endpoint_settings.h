// What a declaration of a model becomes before anything is sent: an address, a wire, who asks, and what each
// request has in addition. Every problem of it is told here, at once and before a run begins.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/environment.h"
#include "core/error.h"
#include "core/json/json.h"
#include "core/secrets/secrets.h"
#include "models/model.h"
#include "models/providers/address.h"
#include "models/providers/aws_signature.h"
#include "models/providers/provider.h"
#include "net/http/http.h"

namespace assay {

struct EndpointSettings {
  const Wire* wire = nullptr;
  Address address = {};
  std::string key = {};
  std::string key_name = {};  // the environment variable, or the command that prints it
  bool key_is_required = false;
  std::optional<AwsKeys> aws = {};  // to sign with, where there is no key
  std::string region = {};
  Headers headers = {};       // of the user's own, filled
  JsonObject additions = {};  // to the body: reasoning_effort, thinking, extra
  bool thinks = false;
  std::vector<std::string> secrets = {};  // among the headers
  std::string identity = {};              // ModelIdentity::settings
};

// What is secret of it is added to `secrets`. `provider` must have a wire.
Result<EndpointSettings> read_endpoint(const ModelSpec& spec, const Provider& provider,
                                       const Environment& environment, Secrets& secrets);

// `body` with the additions in it; objects are merged, everything else is replaced.
std::string with_additions(std::string body, const JsonObject& additions);

}  // namespace assay
