// What the status of a reply means to whoever may try again.
#pragma once

#include "core/error.h"

namespace assay {

// For a status that is not 2xx: 429 rate_limited; 408, 409, 425 and 5xx overloaded; 401 and 403 auth; every
// other one `others`.
constexpr ErrorKind kind_of_status(int status, ErrorKind others = ErrorKind::rejected) {
  switch (status) {
    case 401:
    case 403:
      return ErrorKind::auth;
    case 429:
      return ErrorKind::rate_limited;
    case 408:
    case 409:
    case 425:
      return ErrorKind::overloaded;
    default:
      return status >= 500 ? ErrorKind::overloaded : others;
  }
}

}  // namespace assay
