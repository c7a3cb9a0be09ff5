#include "engine/context.h"

namespace assay {

Task<StructuredAnswer> ask(CaseContext& context, std::string step, ChatRequest request, const Schema& schema,
                           StructuredPolicy policy) {
  Complete complete = [&context, step](int attempt, ChatRequest asked) {
    return context.complete(step, attempt, std::move(asked));
  };
  co_return co_await ask_structured(std::move(complete), std::move(request), schema, std::move(policy));
}

}  // namespace assay
