#include "support/archives.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct archive *archive_begin(const char *name, int format, int filter) {
    struct archive *a = archive_write_new();
    assert_non_null(a);
    assert_int_equal(archive_write_set_format(a, format), ARCHIVE_OK);
    assert_int_equal(archive_write_add_filter(a, filter), ARCHIVE_OK);
    if (filter == ARCHIVE_FILTER_ZSTD) archive_write_set_filter_option(a, "zstd", "compression-level", "1");
    assert_int_equal(archive_write_open_filename(a, name), ARCHIVE_OK);
    return a;
}

void archive_put(struct archive *a, const archive_member *m) {
    size_t size = m->size ? m->size : strlen(m->data), times = m->times ? m->times : 1;
    struct archive_entry *e = archive_entry_new();
    archive_entry_set_pathname(e, m->name);
    archive_entry_set_filetype(e, m->type ? m->type : AE_IFREG);
    archive_entry_set_perm(e, 0644);
    if (m->type == AE_IFLNK) archive_entry_set_symlink(e, m->data);
    if (!m->type) archive_entry_set_size(e, (la_int64_t)(size * times));
    assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
    archive_entry_free(e);
    for (size_t i = 0; i < times && !m->type; i++)
        assert_int_equal(archive_write_data(a, m->data, size), size);
}

void archive_finish(struct archive *a) {
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
}

void archive_pack(const char *name, int format, int filter, const archive_member *m, size_t count) {
    struct archive *a = archive_begin(name, format, filter);
    for (size_t i = 0; i < count; i++) archive_put(a, &m[i]);
    archive_finish(a);
}
