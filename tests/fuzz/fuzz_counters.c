/* Any bytes as a file of port counters: refused with one line and no place outside the file, or readings of
 * ports that exist. */
#include "network/files/counters/port_readings.h"

#include <stdlib.h>

#define MUST(condition)                                                                                      \
    do {                                                                                                     \
        if (!(condition)) abort();                                                                           \
    } while (0)

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
    if (port_readings_parse("input", data, size, &r, &error)) {
        MUST(error.reason[0] && !strchr(error.reason, '\n') && !strchr(error.place, '\n'));
        MUST(strncmp(error.place, "input", 5) == 0);
    } else {
        MUST(r.any);
        for (size_t i = 0; i < r.count; i++) check_reading(&r, &r.item[i]);
    }
    port_readings_fini(&r);
    return 0;
}
