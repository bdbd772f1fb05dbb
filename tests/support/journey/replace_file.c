/* A preloaded library that plays another process, which replaces a file at the worst moment of its writing.
 *
 * When a file or link called "victim" below a worktree named "x" reaches the moment $REPLACE_AT ("written", "closing",
 * "closed", "linked"), what stands at $REPLACE_BY is renamed over it, with the same modification time. Once: then there
 * is nothing to rename.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* The path that a descriptor is open at; the empty one where that cannot be found. */
static void path_of(int fd, char* out) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t size = syscall(SYS_readlinkat, AT_FDCWD, link, out, PATH_MAX - 1);
  out[size < 0 ? 0 : size] = 0;
}

static int is_victim(const char* path, const char* moment) {
  const char* at = getenv("REPLACE_AT");
  const size_t size = strlen(path);
  return at && !strcmp(at, moment) && size > 7 && !strcmp(path + size - 7, "/victim") && strstr(path, "/x/") &&
         !strstr(path, "/.git/");
}

static void replace(const char* path) {
  const char* by = getenv("REPLACE_BY");
  struct stat info;
  if (!by || syscall(SYS_newfstatat, AT_FDCWD, path, &info, AT_SYMLINK_NOFOLLOW) != 0) return;
  const struct timespec times[2] = {info.st_atim, info.st_mtim};
  if (syscall(SYS_utimensat, AT_FDCWD, by, times, AT_SYMLINK_NOFOLLOW) != 0) return;
  syscall(SYS_renameat2, AT_FDCWD, by, AT_FDCWD, path, 0);
}

/* Something was written into a file, and nothing more will be: the victims are small. */
ssize_t write(int fd, const void* bytes, size_t size) {
  char path[PATH_MAX];
  const ssize_t written = NEXT(write)(fd, bytes, size);
  path_of(fd, path);
  if (written > 0 && is_victim(path, "written")) replace(path);
  return written;
}

int close(int fd) {
  char path[PATH_MAX];
  path_of(fd, path);
  if (is_victim(path, "closing")) replace(path);
  const int result = NEXT(close)(fd);
  if (is_victim(path, "closed")) replace(path);
  return result;
}

static void replace_link(int dir, const char* path) {
  char full[PATH_MAX];
  path_of(dir, full);
  if (snprintf(full + strlen(full), sizeof full - strlen(full), "/%s", path) < PATH_MAX && is_victim(full, "linked"))
    replace(full);
}

int symlinkat(const char* target, int dir, const char* path) {
  const int result = NEXT(symlinkat)(target, dir, path);
  if (result == 0) replace_link(dir, path);
  return result;
}
