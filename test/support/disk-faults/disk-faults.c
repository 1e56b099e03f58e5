/*
 * Preloaded library that makes writes and flushes of one database fail.
 * FAULT_FILES is the path prefix of the files. FAULT_CONTROL names a file that the test changes at any time:
 *   byte 0: '0' none, 'f' failed flush, 'e' EIO on write, 'n' ENOSPC, 's' short writes, 't' a short write, then EIO
 *   byte 1: the share of calls that fail, in percent
 *   bytes 8 to 15: the number of failed calls so far, counted by this library
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct control {
  volatile char mode;
  volatile uint8_t percent;
  uint8_t unused[6];
  _Atomic uint64_t failed;
};

static struct control *control;
static const char *files;
static size_t files_length;

__attribute__((constructor)) static void open_control(void) {
  const char *path = getenv("FAULT_CONTROL");
  files = getenv("FAULT_FILES");
  if (path == NULL || files == NULL) return;
  files_length = strlen(files);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void *memory = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (memory != MAP_FAILED) control = memory;
}

static int is_database_file(int fd) {
  char link[32], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path);
  return length >= (ssize_t)files_length && memcmp(path, files, files_length) == 0;
}

/* Whether a call in one of these modes fails now. */
static int fails(int fd, const char *modes) {
  static _Thread_local unsigned int seed;
  if (control == NULL || control->mode == '0' || strchr(modes, control->mode) == NULL) return 0;
  int saved = errno;
  if (seed == 0) seed = (unsigned int)getpid() ^ (unsigned int)(uintptr_t)&seed;
  int result = rand_r(&seed) % 100 < control->percent && is_database_file(fd);
  errno = saved;
  if (result) atomic_fetch_add(&control->failed, 1);
  return result;
}

static int write_error(void) { return control->mode == 'n' ? ENOSPC : EIO; }

#define REAL(type, name, ...)                                  \
  static type (*real)(__VA_ARGS__);                            \
  if (real == NULL) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static int flush(int fd, int (*real)(int)) {
  if (!fails(fd, "f")) return real(fd);
  errno = EIO;
  return -1;
}

int fsync(int fd) {
  REAL(int, "fsync", int);
  return flush(fd, real);
}

int fdatasync(int fd) {
  REAL(int, "fdatasync", int);
  return flush(fd, real);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
  static _Thread_local int was_short;
  if (was_short) {
    was_short = 0;
    errno = EIO;
    return -1;
  }
  if (!fails(fd, "enst")) return real(fd, bytes, length, offset);
  char mode = control->mode;
  if ((mode == 's' || mode == 't') && length > 1) {
    was_short = mode == 't';
    return real(fd, bytes, length / 2, offset);
  }
  if (mode == 's') return real(fd, bytes, length, offset);
  errno = write_error();
  return -1;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }

ssize_t write(int fd, const void *bytes, size_t length) {
  REAL(ssize_t, "write", int, const void *, size_t);
  if (!fails(fd, "en")) return real(fd, bytes, length);
  errno = write_error();
  return -1;
}

int ftruncate64(int fd, off64_t length) {
  REAL(int, "ftruncate64", int, off64_t);
  if (!fails(fd, "en")) return real(fd, length);
  errno = write_error();
  return -1;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

int fallocate(int fd, int mode, off_t offset, off_t length) {
  REAL(int, "fallocate", int, int, off_t, off_t);
  if (!fails(fd, "n")) return real(fd, mode, offset, length);
  errno = ENOSPC;
  return -1;
}
