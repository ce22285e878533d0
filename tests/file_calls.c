/* Interrupt a process at a chosen call that changes files below a directory.
 *
 * Load with LD_PRELOAD. After file_calls_arm(directory, number, fault), the call with that number is met with a fault:
 *   KILL   the process is killed before it
 *   TORN   half of a write is done, then the process is killed
 *   CTRL_C SIGINT is raised before it
 *   FULL   it fails, and so does every later one that needs space: the disk is full
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum fault { KILL, TORN, CTRL_C, FULL };
/* calls that need space on the disk, and others */
enum kind { NEEDS_SPACE, NEEDS_NONE };

static char directory[4096];
static long number = -1, calls = 0;
static enum fault fault = KILL;

void file_calls_arm(const char *below, long at, int what) {
    strncpy(directory, below, sizeof directory - 1);
    number = at, calls = 0, fault = what;
}

long file_calls_count(void) { return calls; }

static int is_below(int at, const char *path) {
    char link[64], base[4096];
    size_t length = strlen(directory);
    if (path != NULL && path[0] == '/')
        return strncmp(path, directory, length) == 0;
    if (at < 0)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    ssize_t size = readlink(link, base, sizeof base - 1);
    return size > 0 && (base[size] = 0, strncmp(base, directory, length) == 0);
}

/* Count a call; return 1 if it must fail. */
static int meet(int at, const char *path, enum kind kind) {
    if (number < 0 || !is_below(at, path))
        return 0;
    calls++;
    if (fault == FULL) {
        if (calls < number || kind != NEEDS_SPACE)
            return 0;
        errno = ENOSPC;
        return 1;
    }
    if (calls == number) {
        if (fault == CTRL_C)
            raise(SIGINT);
        else
            kill(getpid(), SIGKILL);
    }
    return 0;
}

/* Before a write: return 1 if only half of it must be done. */
static int is_torn(int at) {
    if (number < 0 || fault != TORN || !is_below(at, NULL) || calls + 1 != number)
        return 0;
    calls++;
    return 1;
}

static void end(void) { kill(getpid(), SIGKILL); }

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

int rename(const char *from, const char *to) {
    REAL(rename);
    return meet(-1, to, NEEDS_NONE) ? -1 : real(from, to);
}

int renameat(int from_at, const char *from, int to_at, const char *to) {
    REAL(renameat);
    return meet(to_at, to, NEEDS_NONE) ? -1 : real(from_at, from, to_at, to);
}

int unlink(const char *path) {
    REAL(unlink);
    return meet(-1, path, NEEDS_NONE) ? -1 : real(path);
}

int unlinkat(int at, const char *path, int flags) {
    REAL(unlinkat);
    return meet(at, path, NEEDS_NONE) ? -1 : real(at, path, flags);
}

int rmdir(const char *path) {
    REAL(rmdir);
    return meet(-1, path, NEEDS_NONE) ? -1 : real(path);
}

int mkdir(const char *path, mode_t mode) {
    REAL(mkdir);
    return meet(-1, path, NEEDS_SPACE) ? -1 : real(path, mode);
}

int chmod(const char *path, mode_t mode) {
    REAL(chmod);
    return meet(-1, path, NEEDS_NONE) ? -1 : real(path, mode);
}

int fsync(int file) {
    REAL(fsync);
    return meet(file, NULL, NEEDS_NONE) ? -1 : real(file);
}

int posix_fallocate(int file, off_t start, off_t size) {
    REAL(posix_fallocate);
    return meet(file, NULL, NEEDS_SPACE) ? ENOSPC : real(file, start, size);
}

int posix_fallocate64(int file, off64_t start, off64_t size) {
    REAL(posix_fallocate64);
    return meet(file, NULL, NEEDS_SPACE) ? ENOSPC : real(file, start, size);
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        REAL(name); \
        return flags & O_CREAT && meet(-1, path, NEEDS_SPACE) ? -1 : real(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

ssize_t write(int file, const void *bytes, size_t size) {
    REAL(write);
    if (is_torn(file))
        real(file, bytes, size / 2), end();
    return meet(file, NULL, NEEDS_SPACE) ? -1 : real(file, bytes, size);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t start) {
    REAL(pwrite64);
    if (is_torn(file))
        real(file, bytes, size / 2, start), end();
    return meet(file, NULL, NEEDS_SPACE) ? -1 : real(file, bytes, size, start);
}

size_t fwrite(const void *bytes, size_t size, size_t count, FILE *file) {
    REAL(fwrite);
    if (is_torn(fileno(file)))
        real(bytes, size, count / 2, file), fflush(file), end();
    return meet(fileno(file), NULL, NEEDS_SPACE) ? 0 : real(bytes, size, count, file);
}
