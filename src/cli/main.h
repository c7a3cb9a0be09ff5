// The program behind main(): picks the command, runs it, and turns its result into an exit code in one place.
#pragma once

namespace assay {

int run_cli(int argc, char** argv);

}  // namespace assay
