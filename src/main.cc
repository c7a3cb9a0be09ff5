#include "cli/main.h"

int main(int argc, char** argv) {
  return assay::run_cli(argc, argv);
}
