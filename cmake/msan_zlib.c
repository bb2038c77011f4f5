/* Part of a build with MemorySanitizer, which does not see what libraries write that it did not compile: says
 * for zlib what it wrote. The linker puts these functions in the place of zlib's (--wrap). */
#include <sanitizer/msan_interface.h>
#include <zlib.h>

int __real_gzread(gzFile file, voidp data, unsigned size);
int __wrap_gzread(gzFile file, voidp data, unsigned size);
const char *__real_gzerror(gzFile file, int *number);
const char *__wrap_gzerror(gzFile file, int *number);

int __wrap_gzread(gzFile file, voidp data, unsigned size) {
    int got = __real_gzread(file, data, size);
    if (got > 0) __msan_unpoison(data, (size_t)got);
    return got;
}

const char *__wrap_gzerror(gzFile file, int *number) {
    const char *reason = __real_gzerror(file, number);
    __msan_unpoison(number, sizeof *number);
    if (reason) __msan_unpoison_string(reason);
    return reason;
}
