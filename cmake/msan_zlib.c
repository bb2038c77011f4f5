/* Part of a build with MemorySanitizer, which does not see what libraries write that it did not compile:
 * marks what zlib wrote. The linker puts these functions in the place of zlib's (--wrap). */
#include <sanitizer/msan_interface.h>
#include <zlib.h>

#define VISIBLE __attribute__((visibility("default"))) /* libarchive calls them too */

int __real_inflateInit2_(z_streamp z, int bits, const char *version, int size);
VISIBLE int __wrap_inflateInit2_(z_streamp z, int bits, const char *version, int size);
int __real_inflate(z_streamp z, int flush);
VISIBLE int __wrap_inflate(z_streamp z, int flush);

int __wrap_inflateInit2_(z_streamp z, int bits, const char *version, int size) {
    int result = __real_inflateInit2_(z, bits, version, size);
    __msan_unpoison(z, sizeof *z);
    return result;
}

int __wrap_inflate(z_streamp z, int flush) {
    unsigned char *out = z->next_out;
    int result = __real_inflate(z, flush);
    __msan_unpoison(z, sizeof *z);
    __msan_unpoison(out, (size_t)(z->next_out - out));
    if (z->msg) __msan_unpoison_string(z->msg);
    return result;
}
