/* A preloaded library that makes names below $FOLD_BELOW case-insensitive, for systems without a file system that can.
 *
 * Every path below a worktree named "x" is handed to the system in lower case, except below its ".git". Listing a
 * folder then shows lower case only; a program that looks names up, as a checkout does, meets one file under every
 * spelling.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* The absolute form of a path that need not exist, without resolving links. */
static int absolute(int dir, const char* path, char* out) {
  char base[PATH_MAX] = "";
  if (path[0] != '/') {
    if (dir == AT_FDCWD) {
      if (!getcwd(base, sizeof base)) return -1;
    } else {
      char link[64];
      snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
      ssize_t size = syscall(SYS_readlinkat, AT_FDCWD, link, base, sizeof base - 1);
      if (size < 0) return -1;
      base[size] = 0;
    }
  }
  return snprintf(out, PATH_MAX, "%s/%s", base, path) < PATH_MAX ? 0 : -1;
}

static const char* fold(int dir, const char* path, char* buffer) {
  char full[PATH_MAX];
  const char* below = getenv("FOLD_BELOW");
  if (!below || !path || absolute(dir, path, full) || strncmp(full, below, strlen(below)) || strlen(path) >= PATH_MAX)
    return path;
  const char* worktree = strstr(full, "/x/");
  if (!worktree || strstr(full, "/.git/") || !strcmp(full + strlen(full) - (strlen(full) < 5 ? 0 : 5), "/.git"))
    return path;
  size_t keep = (size_t)(worktree + 3 - full), length = strlen(path), start = strlen(full) - length;
  strcpy(buffer, path);
  for (size_t at = 0; at < length; ++at)
    if (start + at >= keep) buffer[at] = (char)tolower((unsigned char)buffer[at]);
  return buffer;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FOLDED(dir, path) (fold(dir, path, (char[PATH_MAX]){0}))

#define OPEN_AT(name)                                                       \
  int name(int dir, const char* path, int flags, ...) {                     \
    va_list rest;                                                           \
    va_start(rest, flags);                                                  \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                                           \
    return NEXT(name)(dir, FOLDED(dir, path), flags, mode);                 \
  }
#define OPEN(name)                                                          \
  int name(const char* path, int flags, ...) {                              \
    va_list rest;                                                           \
    va_start(rest, flags);                                                  \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                                           \
    return NEXT(name)(FOLDED(AT_FDCWD, path), flags, mode);                 \
  }
OPEN_AT(openat)
OPEN_AT(openat64)
OPEN(open)
OPEN(open64)

#define STAT_LIKE(name, type)                        \
  int name(const char* path, struct type* info) {    \
    return NEXT(name)(FOLDED(AT_FDCWD, path), info); \
  }
STAT_LIKE(stat, stat)
STAT_LIKE(lstat, stat)
STAT_LIKE(stat64, stat64)
STAT_LIKE(lstat64, stat64)

int fstatat(int dir, const char* path, struct stat* info, int flags) {
  return NEXT(fstatat)(dir, FOLDED(dir, path), info, flags);
}
int fstatat64(int dir, const char* path, struct stat64* info, int flags) {
  return NEXT(fstatat64)(dir, FOLDED(dir, path), info, flags);
}
int statx(int dir, const char* path, int flags, unsigned mask, struct statx* info) {
  return NEXT(statx)(dir, FOLDED(dir, path), flags, mask, info);
}
int mkdir(const char* path, mode_t mode) {
  return NEXT(mkdir)(FOLDED(AT_FDCWD, path), mode);
}
int mkdirat(int dir, const char* path, mode_t mode) {
  return NEXT(mkdirat)(dir, FOLDED(dir, path), mode);
}
int rmdir(const char* path) {
  return NEXT(rmdir)(FOLDED(AT_FDCWD, path));
}
int unlink(const char* path) {
  return NEXT(unlink)(FOLDED(AT_FDCWD, path));
}
int unlinkat(int dir, const char* path, int flags) {
  return NEXT(unlinkat)(dir, FOLDED(dir, path), flags);
}
int symlink(const char* target, const char* path) {
  return NEXT(symlink)(target, FOLDED(AT_FDCWD, path));
}
int symlinkat(const char* target, int dir, const char* path) {
  return NEXT(symlinkat)(target, dir, FOLDED(dir, path));
}
int access(const char* path, int mode) {
  return NEXT(access)(FOLDED(AT_FDCWD, path), mode);
}
int chdir(const char* path) {
  return NEXT(chdir)(FOLDED(AT_FDCWD, path));
}
ssize_t readlink(const char* path, char* out, size_t size) {
  return NEXT(readlink)(FOLDED(AT_FDCWD, path), out, size);
}
ssize_t readlinkat(int dir, const char* path, char* out, size_t size) {
  return NEXT(readlinkat)(dir, FOLDED(dir, path), out, size);
}
