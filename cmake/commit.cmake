# The commit that is being built, as a source of its own, which is written only where it changes: a commit compiles
# that one source and links. Run at every build with -DOUTPUT=… -DSOURCE=…
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  set(commit "")  # sources without their history
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[#include "core/build_commit.h"

namespace assay {

const char* const kCommit = "@commit@";

}  // namespace assay
]])
