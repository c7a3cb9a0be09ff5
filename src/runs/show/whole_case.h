// One case of a run, finished or under way, with everything that was asked and answered for it.
#pragma once

#include <string>

#include "core/error.h"
#include "report/cases/case_view.h"

namespace assay {

class CasePlaces;
class HashedFiles;

// Its input from the run's data, if they are as they were; its effects from the journal, in their order; how
// it ended from the results, or from the journal as long as there are none. A case that is not there is an
// error of kind usage that names those with the nearest ids. Locks nothing and writes nothing.
// `places`, if there are some, say where to look; without them a finished run's lines are gone through by
// their bytes. `hashes`, if there are some, keep what is hashed.
Result<CaseView> show_case(const std::string& directory, const std::string& id,
                           const CasePlaces* places = nullptr, HashedFiles* hashes = nullptr);

}  // namespace assay
