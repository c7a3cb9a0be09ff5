#include "core/json/shared_json.h"

#include <mutex>
#include <utility>

namespace assay {

struct SharedJson::Held {
  Json value;
  std::once_flag written;
  std::string canonical = {};
};

SharedJson::SharedJson(Json value) : held_(std::make_shared<Held>(std::move(value))) {}

const Json& SharedJson::value() const {
  return held_->value;
}

const std::string& SharedJson::canonical() const {
  std::call_once(held_->written, [this] { held_->canonical = canonical_text(held_->value); });
  return held_->canonical;
}

}  // namespace assay
