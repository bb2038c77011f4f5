/* Writes files for message_csv.c. */
#include "base/files/output.h"
#include "base/text/text.h"
#include "traffic/traffic.h"

#include <inttypes.h>

/* Names in fabrics contain arbitrary bytes; a comment must stay on its line. */
static void put_comment(bough_text *text, const char *comment) {
    bough_text_put(text, "# ");
    for (const char *c = comment; *c; c++) {
        char plain = (unsigned char)*c < 0x20 && *c != '\n' ? '?' : *c;
        bough_text_add(text, &plain, 1);
        if (*c == '\n') bough_text_put(text, "# ");
    }
    bough_text_put(text, "\n");
}

bough_status bough_permutation_write(const char *path, const char *comment, const uint32_t *destination,
                                     uint64_t endpoints, bough_error *error) {
    bough_text text = {0};
    if (comment) put_comment(&text, comment);
    bough_text_put(&text, "source,destination\n");
    for (uint64_t e = 0; e < endpoints; e++)
        bough_text_printf(&text, "%" PRIu64 ",%" PRIu32 "\n", e, destination[e]);
    bough_status status = bough_output_write_text(path, &text, error);
    bough_text_fini(&text);
    return status;
}
