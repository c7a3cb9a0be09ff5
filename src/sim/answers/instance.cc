#include "sim/answers/instance.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <unordered_map>

#include <fmt/format.h>

#include "core/schema/schema.h"
#include "sim/answers/instance_trial.h"
#include "sim/answers/schema_tree.h"

namespace assay::sim {
namespace {

constexpr std::size_t kTrials = 32;
constexpr std::size_t kTrialsWithSuggestions = 6;
// Made in all trials together: bounds the time of a hopeless schema.
constexpr std::size_t kMostValues = 60'000;
constexpr std::string_view kDocument = "assay-sim:schema";

// A pointer as the fragment of a URI (RFC 6901, section 6).
std::string fragment(std::string_view pointer) {
  std::string out;
  for (const char c : pointer) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-._~$").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace

class InstanceMaker::State {
 public:
  State(const Json& document, Schema compiled) : tree(document), validator(std::move(compiled)) {}

  // Whether a part of an instance fits one subschema. True where that cannot be said on its own.
  bool part_fits(const Json& subschema, const Json& value) const {
    if (subschema.is_bool()) return subschema.get_bool();
    if (&subschema == &tree.root()) return validator.valid(value);
    const Schema* part = part_validator(subschema);
    return part == nullptr || part->valid(value);
  }

  const SchemaTree tree;
  const Schema validator;

 private:
  const Schema* part_validator(const Json& subschema) const {
    const std::lock_guard lock(mutex_);
    const auto known = parts_.find(&subschema);
    if (known != parts_.end()) return known->second.get();
    auto& slot = parts_[&subschema];
    if (const SchemaTree::Facts* facts = tree.facts(subschema)) {
      const std::string target = std::string(kDocument) + "#" + fragment(facts->pointer);
      const Json reference = JsonObject{{"$ref", target}};
      auto compiled = Schema::compile(reference, {{std::string(kDocument), tree.root()}});
      if (compiled) slot = std::make_unique<Schema>(std::move(*compiled));
    }
    return slot.get();
  }

  mutable std::mutex mutex_;
  mutable std::unordered_map<const Json*, std::unique_ptr<Schema>> parts_;
};

std::string_view Place::name() const {
  for (std::size_t i = path.size(); i-- > 0;) {
    if (!path[i].key.empty()) return path[i].key;
  }
  return {};
}

InstanceMaker::InstanceMaker(std::unique_ptr<State> state) : state_(std::move(state)) {}
InstanceMaker::~InstanceMaker() = default;

Result<std::shared_ptr<const InstanceMaker>> InstanceMaker::prepare(const Json& schema) {
  auto compiled = Schema::compile(schema);
  if (!compiled) return fail(std::move(compiled.error()));
  auto state = std::make_unique<State>(schema, std::move(*compiled));
  return std::shared_ptr<const InstanceMaker>(new InstanceMaker(std::move(state)));
}

bool InstanceMaker::valid(const Json& instance) const {
  return state_->validator.valid(instance);
}
const Json& InstanceMaker::schema() const {
  return state_->tree.root();
}

Result<Json> InstanceMaker::make(const Chance& chance, const Suggestions* suggestions) const {
  constexpr std::array<double, 4> kShares = {0.9, 0.0, 1.0, 0.5};
  const Trial::Fits fits = [this](const Json& subschema, const Json& value) {
    return state_->part_fits(subschema, value);
  };
  std::size_t values_left = kMostValues;
  std::string last = "nothing could be built";
  std::size_t trial = 0;
  for (; trial < kTrials && values_left > 0; ++trial) {
    const Trial::Setting setting{kShares[trial % kShares.size()], trial >= 4 && trial % 2 == 1,
                                 trial < kTrialsWithSuggestions ? suggestions : nullptr};
    auto made =
        Trial(state_->tree, fits, setting, chance.fork(trial), values_left).make({&state_->tree.root()});
    if (!made) continue;
    const auto defects = state_->validator.validate(*made);
    if (defects.empty()) return std::move(*made);
    last = describe(defects);
  }
  return fail(ErrorKind::schema,
              fmt::format("found no valid instance of the schema in {} trials (last: {})", trial, last));
}

struct InstanceMakers::State {
  static constexpr std::size_t kMost = 512;
  std::mutex mutex;
  std::unordered_map<std::uint64_t, std::shared_ptr<const InstanceMaker>> makers;
};

InstanceMakers::InstanceMakers() : state_(std::make_unique<State>()) {}
InstanceMakers::~InstanceMakers() = default;

Result<std::shared_ptr<const InstanceMaker>> InstanceMakers::get(const Json& schema) {
  const std::uint64_t key = hash_json(schema);
  {
    const std::lock_guard lock(state_->mutex);
    const auto known = state_->makers.find(key);
    if (known != state_->makers.end() && identical(known->second->schema(), schema)) return known->second;
  }
  auto made = InstanceMaker::prepare(schema);
  if (!made) return made;
  const std::lock_guard lock(state_->mutex);
  if (state_->makers.size() >= State::kMost) state_->makers.clear();
  state_->makers.insert_or_assign(key, *made);
  return made;
}

}  // namespace assay::sim
