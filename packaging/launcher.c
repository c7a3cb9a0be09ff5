/* PREFIX/bin/assay of a package: starts PREFIX/lib/assay/assay-program with the loader and the libraries that stand
   beside it, so that nothing depends on those of the system. The prefix is where this file is, whatever link it was
   called by. The libraries are named to the loader and not in the environment: programs that Assay starts (python3,
   a target) keep their own. Linked statically. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Cuts the last part of a path off; 0 if there is none. */
static int leave(char *path) {
  char *slash = strrchr(path, '/');
  if (slash == NULL) return 0;
  *slash = '\0';
  return 1;
}

static int failed(const char *what, const char *path, const char *why) {
  fprintf(stderr, "assay: %s %s: %s; install the package again\n", what, path, why);
  return 127;
}

int main(int count, char **words) {
  char prefix[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", prefix, sizeof prefix - 1);
  if (length < 0) {
    fprintf(stderr, "assay: cannot read /proc/self/exe: %s; is /proc mounted?\n", strerror(errno));
    return 127;
  }
  prefix[length] = '\0';
  if (!leave(prefix) || !leave(prefix)) return failed("unexpected place", prefix, "expected PREFIX/bin/assay");

  char loader[PATH_MAX + 32], libraries[PATH_MAX + 32], program[PATH_MAX + 32];
  snprintf(libraries, sizeof libraries, "%s/lib/assay", prefix);
  snprintf(loader, sizeof loader, "%s/lib/assay/assay-loader", prefix);
  snprintf(program, sizeof program, "%s/lib/assay/assay-program", prefix);

  char *fixed[] = {loader, "--inhibit-cache", "--library-path", libraries, "--argv0", count > 0 ? words[0] : "assay",
                   program};
  const int before = (int)(sizeof fixed / sizeof fixed[0]);
  char *all[before + (count > 0 ? count : 1)];
  memcpy(all, fixed, sizeof fixed);
  for (int i = 1; i < count; ++i) all[before + i - 1] = words[i];
  all[before + (count > 0 ? count - 1 : 0)] = NULL;
  execv(loader, all);
  return failed("cannot start", loader, strerror(errno));
}
