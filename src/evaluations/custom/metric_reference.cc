#include "evaluations/custom/metric_reference.h"

#include <fmt/format.h>

#include "evaluations/custom/asked/asked_metric.h"
#include "evaluations/custom/checks/check.h"

namespace assay::custom {
namespace {

std::string section(const CheckKind& kind) {
  const bool share = kind.value == CheckKind::Value::share;
  std::string out = fmt::format("\n### {}\n\n{}\n\n", kind.name, kind.help);
  out += fmt::format("- Argument: {}\n- Value: {}\n- Figures: {}\n- Example: `{}`\n", kind.argument,
                     share ? "0 to 1" : "yes or no",
                     share ? "`NAME.mean`; `NAME.rate` with `passes`" : "`NAME.rate`", kind.example);
  if (kind.has_not) out += fmt::format("- Opposite: `not_{}`\n", kind.name);
  if (kind.options != nullptr) out += "\n" + reference_markdown(kind.options());
  return out;
}

std::string section(const AskedKind& kind) {
  std::string out = fmt::format("\n### {}\n\n{}\n\n", kind.name, kind.help);
  out += fmt::format("- Argument: {}\n- Value: {}\n- Figures: {}\n- Example: `{}`\n", kind.argument,
                     kind.value, kind.figures, kind.example);
  Keys keys;
  for (Key& key : kind.key().keys) {
    key.name = fmt::format("{}.{}", kind.name, key.name);
    keys.push_back(std::move(key));
  }
  if (kind.options != nullptr) {
    for (Key& key : kind.options()) keys.push_back(std::move(key));
  }
  if (!keys.empty()) out += "\n" + reference_markdown(keys);
  return out;
}

}  // namespace

std::string metric_reference() {
  std::string out =
      "## Reference\n\n"
      "This part is made from the tables in the code: `assay help metrics` prints it, and a test compares. "
      "All kinds also take `name`, `of`, `when`, `passes`, `scale` and `weight`.\n";
  for (const CheckKind& kind : check_kinds()) out += section(kind);
  for (const AskedKind& kind : asked_kinds()) out += section(kind);
  return out;
}

}  // namespace assay::custom
