// Where a client that pages through items has come to, as a text that it gives back. It names an item's
// place, not a count of items before it: what is recorded meanwhile moves nothing. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "store/data_store.h"

namespace assay {

// Letters and digits only, so that it stands in a URL as it is.
std::string cursor_text(ItemQuery::Order order, const ItemPlace& place);
// Nothing if it is none of that order.
std::optional<ItemPlace> read_cursor(ItemQuery::Order order, std::string_view text);

}  // namespace assay
