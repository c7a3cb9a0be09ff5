#include "net/process/own_program.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(OwnProgram, IsTheKernelsFileWhateverItIsCalled) {
  EXPECT_EQ(program_started_by("/usr/local/bin/assay"), "/proc/self/exe");
  EXPECT_EQ(program_started_by("/home/me/build/assay-1 (deleted)"), "/proc/self/exe");
}

TEST(OwnProgram, IsTheLauncherOfAPackageWithALoaderOfItsOwn) {
  EXPECT_EQ(program_started_by("/opt/my tools/assay/lib/assay/assay-loader"),
            "/opt/my tools/assay/bin/assay");
}

TEST(OwnProgram, CanBeStartedAgain) {
  EXPECT_EQ(own_program(), "/proc/self/exe");
}

}  // namespace
}  // namespace assay
