/* What emscripten's C library does not have, for a page in a browser (scripts/web). */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/random.h>
#include <unistd.h>

ssize_t getrandom(void *bytes, size_t size, unsigned flags) {
    (void)flags;
    return getentropy(bytes, size) ? -1 : (ssize_t)size;
}

int pthread_getcpuclockid(pthread_t thread, clockid_t *clock) {
    (void)thread;
    (void)clock;
    return ENOSYS;
}

/* No programs can be loaded: plug-ins are refused with this reason. The linker calls these for dlopen, ... */
void *__wrap_dlopen(const char *path, int mode);
char *__wrap_dlerror(void);
void *__wrap_dlsym(void *program, const char *name);
int __wrap_dlclose(void *program);

void *__wrap_dlopen(const char *path, int mode) {
    (void)path;
    (void)mode;
    return NULL;
}

char *__wrap_dlerror(void) {
    static char reason[] = "a browser loads no shared objects";
    return reason;
}

void *__wrap_dlsym(void *program, const char *name) {
    (void)program;
    (void)name;
    return NULL;
}

int __wrap_dlclose(void *program) {
    (void)program;
    return 0;
}
