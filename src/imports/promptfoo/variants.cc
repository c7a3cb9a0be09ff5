#include "imports/promptfoo/variants.h"

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace assay::promptfoo {
namespace {

Json text(std::string_view value) {
  return boost::json::string(value);
}

// One prompt as variants have it.
struct PromptPattern {
  std::string file;    // of a single text
  JsonArray messages;  // of a chat
  std::string shown;   // for scorers that look at it
};

class Planner {
 public:
  Planner(std::vector<Prompt> prompts, const std::vector<Provider>& providers, const std::vector<Test>& tests,
          Fields& fields, Reading& reading)
      : prompts_(std::move(prompts)),
        providers_(providers),
        tests_(tests),
        fields_(fields),
        reading_(reading) {}

  VariantPlan plan() {
    write_prompts();
    out_.prompts_taken = prompts_.size();
    if (prompts_.empty()) {
      prompts_.push_back(variables_alone());
      write_prompts();
    }
    make_variants();
    return std::move(out_);
  }

 private:
  void write_prompts() {
    for (Prompt& prompt : prompts_) {
      PromptPattern pattern;
      std::string problem;
      for (const Turn& turn : prompt.turns) {
        auto made = fields_.pattern(turn.text, FieldUse::variant);
        if (!made) {
          problem = made.error().message;
          break;
        }
        pattern.messages.push_back(JsonObject{{"role", turn.role}, {"content", *made}});
        pattern.shown = *made;
      }
      if (!problem.empty()) {
        reading_.leave_out(prompt.at, "prompt", problem + "; write out what it makes");
        patterns_.emplace_back();
        prompt.turns.clear();
        continue;
      }
      if (prompt.chat) {
        pattern.shown = to_text(pattern.messages);
      } else {
        pattern.file = fmt::format("prompts/{}.txt", prompt.name);
        out_.files.push_back({pattern.file, pattern.shown + "\n"});
      }
      patterns_.push_back(std::move(pattern));
    }
    for (std::size_t i = prompts_.size(); i-- > 0;) {
      if (!prompts_[i].turns.empty()) continue;
      prompts_.erase(prompts_.begin() + static_cast<std::ptrdiff_t>(i));
      patterns_.erase(patterns_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  // What comes of the suite runs, also where no prompt could be taken.
  Prompt variables_alone() const {
    std::string text;
    for (const auto& [name, field] : fields_.variables())
      text += fmt::format("{}{{{{{}}}}}", text.empty() ? "" : "\n", name);
    Prompt prompt;
    prompt.name = "prompt_1";
    prompt.turns.push_back({"user", parse_template(text).value_or(Template())});
    return prompt;
  }

  static std::string schema_file(const Provider& provider) {
    return fmt::format("schemas/{}.json", provider.name);
  }

  static bool meets(const Provider& provider, const Prompt& prompt) {
    return provider.prompts.empty() || std::ranges::any_of(provider.prompts, [&](const std::string& name) {
             return name == prompt.id || name == prompt.label || name == prompt.name;
           });
  }

  // Every prompt as a file with every model: a matrix says it in fewer words.
  bool is_matrix() const {
    return prompts_.size() * providers_.size() > 1 &&
           std::ranges::all_of(providers_,
                               [](const Provider& one) {
                                 return one.kind == Provider::Kind::model && one.prompts.empty() &&
                                        one.schema.is_null();
                               }) &&
           std::ranges::none_of(prompts_, &Prompt::chat);
  }

  void make_variants() {
    for (const Provider& provider : providers_) {
      if (provider.kind == Provider::Kind::model) out_.models[provider.name] = provider.settings;
      if (!provider.schema.is_null())
        out_.files.push_back({schema_file(provider), pretty_text(provider.schema)});
    }
    if (is_matrix()) {
      JsonArray prompts;
      JsonArray models;
      for (std::size_t i = 0; i < prompts_.size(); ++i)
        prompts.push_back(JsonObject{{"name", prompts_[i].name}, {"prompt", patterns_[i].file}});
      for (const Provider& provider : providers_)
        models.push_back(JsonObject{{"name", provider.name}, {"model", provider.name}});
      out_.matrix = JsonObject{{"prompts", std::move(prompts)}, {"models", std::move(models)}};
    }
    for (std::size_t i = 0; i < prompts_.size(); ++i) {
      for (const Provider& provider : providers_) {
        if (!meets(provider, prompts_[i])) continue;
        const std::string name = providers_.size() == 1 ? prompts_[i].name
                                 : prompts_.size() == 1 ? provider.name
                                                        : prompts_[i].name + "-" + provider.name;
        auto variant = variant_of(provider, prompts_[i], patterns_[i], name);
        if (!variant) {
          reading_.leave_out(provider.at, "provider " + provider.id, variant.error().message);
          continue;
        }
        out_.variants[name] = std::move(*variant);
        out_.prompts[name] = text(patterns_[i].shown);
        out_.order.push_back(name);
      }
    }
  }

  Result<Json> variant_of(const Provider& provider, const Prompt& prompt, const PromptPattern& pattern,
                          const std::string& name) {
    switch (provider.kind) {
      case Provider::Kind::model: {
        JsonObject model = {{"model", provider.name}};
        if (prompt.chat) {
          model["messages"] = pattern.messages;
        } else {
          model["prompt"] = pattern.file;
        }
        if (!provider.schema.is_null()) model["schema"] = schema_file(provider);
        return JsonObject{{"model", std::move(model)}};
      }
      case Provider::Kind::http:
        return http_variant(provider, pattern);
      case Provider::Kind::command:
        return JsonObject{{"command", provider.settings}, {"args", JsonArray{text(pattern.shown)}}};
      case Provider::Kind::echo:
        return echo_variant(prompt, name);
    }
    return fail(ErrorKind::internal, "a kind of provider without a variant");
  }

  static bool of_prompt(std::string_view expression) {
    constexpr std::string_view kPrompt = "prompt";
    return expression.starts_with(kPrompt) && expression.size() > kPrompt.size() &&
           !is_name(expression.substr(kPrompt.size(), 1));
  }

  // `{{prompt}}` in a request stands for the whole prompt.
  Result<Json> http_variant(const Provider& provider, const PromptPattern& pattern) {
    JsonObject http;
    for (const auto& [key, value] : provider.settings.get_object()) {
      if (key == "headers" || key == "method") {
        http[key] = value;
        continue;
      }
      auto made = request_pattern(value, pattern);
      if (!made) return made;
      http[key] = std::move(*made);
    }
    JsonObject out = {{"http", std::move(http)}};
    if (!provider.output_pointer.empty()) out["map"] = JsonObject{{"output", provider.output_pointer}};
    return out;
  }

  Result<Json> request_pattern(const Json& tree, const PromptPattern& pattern) {
    if (const auto plain = as_text(tree)) {
      const auto parsed = parse_template(*plain);
      if (!parsed) return fail(parsed.error());
      std::string out;
      for (const TemplatePart& part : parsed->parts) {
        if (part.kind == TemplatePart::Kind::expression && part.text == "prompt") {
          out += pattern.shown;
          continue;
        }
        // A variable of the environment is one here, too: its braces are no text.
        if (const std::string named = with_environment(fmt::format("{{{{{}}}}}", part.text));
            part.kind == TemplatePart::Kind::expression && named.starts_with("${")) {
          out += named;
          continue;
        }
        if (part.kind == TemplatePart::Kind::expression && of_prompt(part.text))
          return fail(ErrorKind::data,
                      fmt::format("“{}” in its request has no counterpart; write {{{{prompt}}}}", part.text));
        auto made = fields_.pattern(Template{{part}}, FieldUse::variant);
        if (!made) return fail(made.error());
        out += *made;
      }
      return text(out);
    }
    if (const JsonObject* object = tree.if_object()) {
      JsonObject out;
      for (const auto& [key, value] : *object) {
        auto made = request_pattern(value, pattern);
        if (!made) return made;
        out.emplace(key, std::move(*made));
      }
      return out;
    }
    if (const JsonArray* list = tree.if_array()) {
      JsonArray out;
      for (const Json& value : *list) {
        auto made = request_pattern(value, pattern);
        if (!made) return made;
        out.push_back(std::move(*made));
      }
      return out;
    }
    return tree;
  }

  // The prompt itself is the output: it is written into the data.
  Result<Json> echo_variant(const Prompt& prompt, const std::string& name) {
    const std::string field = fields_.add_own("echo_" + name, FieldUse::variant);
    for (std::size_t i = 0; i < tests_.size(); ++i) {
      const auto rendered = render(prompt.turns.back().text, tests_[i].variables);
      if (!rendered) return fail(rendered.error());
      fields_.set(i, field, text(*rendered));
    }
    return JsonObject{{"given", field}};
  }

  std::vector<Prompt> prompts_;
  std::vector<PromptPattern> patterns_;  // by prompt
  const std::vector<Provider>& providers_;
  const std::vector<Test>& tests_;
  Fields& fields_;
  Reading& reading_;
  VariantPlan out_;
};

}  // namespace

VariantPlan plan_variants(std::vector<Prompt> prompts, const std::vector<Provider>& providers,
                          const std::vector<Test>& tests, Fields& fields, Reading& reading) {
  return Planner(std::move(prompts), providers, tests, fields, reading).plan();
}

}  // namespace assay::promptfoo
