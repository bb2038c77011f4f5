#include "formats/fabrics/infiniband/infiniband_lines.h"

#include <inttypes.h>

bough_status lid_check(const scanner *s, uint64_t lid) {
    if (lid <= BOUGH_LID_MAX) return BOUGH_OK;
    return scan_fail(s, "LID %" PRIu64 " is too large; unicast LIDs end at %d", lid, BOUGH_LID_MAX);
}

bough_status lid_or_none(const scanner *s, uint64_t value, uint32_t *lid) {
    *lid = value == 0xFFFF ? 0 : (uint32_t)value;
    return lid_check(s, value == 0xFFFF ? 0 : value);
}

bough_status port_check(const scanner *s, uint64_t port) {
    if (port >= 1 && port <= BOUGH_PORT_MAX) return BOUGH_OK;
    return scan_fail(s, "port %" PRIu64 " does not exist; ports are numbered from 1 to %d", port,
                     BOUGH_PORT_MAX);
}

bool count_follows(const scanner *line, const char *word) {
    scanner s = *line;
    uint64_t number;
    return scan_text(&s, word) && scan_blanks(&s) && scan_number(&s, &number);
}
