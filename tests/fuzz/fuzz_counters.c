/* Any bytes as a file of port counters: refused with one line and no place outside the file, or readings of
 * ports that exist. */
#include "formats/counters/port_readings.h"
#include "fuzz/file.h"
#include "fuzz/must.h"

#include <string.h>

static void check_reading(const port_readings *r, const port_reading *p) {
    const bough_input_piece *piece = &r->input.piece[p->piece];
    MUST(p->piece < r->input.count && p->counter < BOUGH_COUNTERS && p->port < 255 && p->line > 0);
    MUST((p->guid != 0) + (p->lid != 0) + (p->host.length != 0) == 1);
    MUST(p->lid <= BOUGH_LID_MAX);
    if (!p->host.length) return;
    MUST(p->host.text >= piece->data && p->host.text + p->host.length <= piece->data + piece->size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    port_readings r = {0};
    bough_error error = {0};
    char path[64];
    int file = fuzz_file(data, size, path, sizeof path);
    if (port_readings_read(path, &r, &error)) {
        MUST(error.reason[0] && !strchr(error.reason, '\n') && !strchr(error.place, '\n'));
        MUST(strncmp(error.place, path, strlen(path)) == 0);
    } else {
        MUST(r.any);
        for (size_t i = 0; i < r.count; i++) check_reading(&r, &r.item[i]);
    }
    port_readings_fini(&r);
    close(file);
    return 0;
}
