// Loaded into a program (LD_PRELOAD), ends it as kill -9 does before its n-th change to the disk: KILL_AT=n. Every moment
// at which a kill can leave something else behind is one of them, so trying them all tries all kills; a failure is
// repeated with the same number. KILL_COUNT=FILE: how many there were, at the end of a run that is not killed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long changes;
static long kill_at;

__attribute__((constructor)) static void begin(void) {
  const char* at = getenv("KILL_AT");
  kill_at = at != NULL ? atol(at) : 0;
}

__attribute__((destructor)) static void end(void) {
  const char* name = getenv("KILL_COUNT");
  if (name == NULL) return;
  FILE* file = fopen(name, "w");
  if (file == NULL) return;
  fprintf(file, "%ld\n", atomic_load(&changes));
  fclose(file);
}

static void change(void) {
  if (atomic_fetch_add(&changes, 1) + 1 == kill_at) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }
}

static void change_of(int fd) {
  struct stat info;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) change();
}

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void* bytes, size_t count) {
  change_of(fd);
  return REAL(ssize_t, write, int, const void*, size_t)(fd, bytes, count);
}
ssize_t pwrite(int fd, const void* bytes, size_t count, off_t at) {
  change_of(fd);
  return REAL(ssize_t, pwrite, int, const void*, size_t, off_t)(fd, bytes, count, at);
}
ssize_t pwrite64(int fd, const void* bytes, size_t count, off64_t at) {
  change_of(fd);
  return REAL(ssize_t, pwrite64, int, const void*, size_t, off64_t)(fd, bytes, count, at);
}
int fsync(int fd) {
  change_of(fd);
  return REAL(int, fsync, int)(fd);
}
int fdatasync(int fd) {
  change_of(fd);
  return REAL(int, fdatasync, int)(fd);
}
int ftruncate(int fd, off_t size) {
  change_of(fd);
  return REAL(int, ftruncate, int, off_t)(fd, size);
}
int ftruncate64(int fd, off64_t size) {
  change_of(fd);
  return REAL(int, ftruncate64, int, off64_t)(fd, size);
}
int rename(const char* from, const char* to) {
  change();
  return REAL(int, rename, const char*, const char*)(from, to);
}
int unlink(const char* path) {
  change();
  return REAL(int, unlink, const char*)(path);
}
int mkdir(const char* path, mode_t mode) {
  change();
  return REAL(int, mkdir, const char*, mode_t)(path, mode);
}
