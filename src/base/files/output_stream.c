#include "base/files/output_stream.h"

#include "base/memory/memory.h"
#include "base/status/system_error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static bool is_packed(const char *path) {
    size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

static bough_status cannot(const output_stream *s, bough_error *error) {
    return bough_fail_system(error, s->path, "cannot be written", errno ? errno : EIO);
}

/* zlib closes its descriptor, so it gets a copy. */
bough_status output_stream_begin(const char *path, output_stream *s, bough_error *error) {
    *s = (output_stream){.path = path, .device = bough_output_is_device(path)};
    bough_status status = s->device ? BOUGH_OK : bough_output_begin(path, &s->out, error);
    if (status) return status;
    int file = s->device ? open(path, O_WRONLY | O_CLOEXEC) : fcntl(s->out.file, F_DUPFD_CLOEXEC, 0);
    if (file >= 0) s->file = gzdopen(file, is_packed(path) ? "wb6" : "wbT");
    if (s->file) return BOUGH_OK;
    status = cannot(s, error);
    if (file >= 0) close(file);
    if (!s->device) bough_output_drop(&s->out);
    return status;
}

static bough_status put(output_stream *s, bough_error *error) {
    if (s->text.failed) return bough_fail_memory(error, 0);
    errno = 0;
    if (s->text.length && gzfwrite(s->text.data, 1, s->text.length, s->file) != s->text.length)
        return cannot(s, error);
    s->text.length = 0;
    return BOUGH_OK;
}

bough_status output_stream_flush(output_stream *s, bough_error *error) {
    enum { LONG = 1 << 16 };
    return s->text.length < LONG && !s->text.failed ? BOUGH_OK : put(s, error);
}

bough_status output_stream_end(output_stream *s, bough_status status, bough_error *error) {
    if (!status) status = put(s, error);
    errno = 0;
    if (gzclose(s->file) != Z_OK && !status) status = cannot(s, error);
    bough_text_fini(&s->text);
    if (s->device) return status;
    if (!status) return bough_output_end(&s->out, error);
    bough_output_drop(&s->out);
    return status;
}
