#include "base/text/csv_line.h"

#include <stdbool.h>

bough_status csv_cut(const char *p, const char *end, char *cell, size_t size, int most, int *cells,
                     bough_error *error) {
    *cells = 0;
    for (bool more = true; more; p++, cell += size) {
        size_t length = 0, keep = 0; /* keep: quoted text is not trimmed */
        bool quoted = false;
        if (*cells == most) return bough_fail(error, BOUGH_INVALID, NULL, "more than %d columns", most);
        for (; p < end && (quoted || *p != ','); p++) {
            bool twice = quoted && *p == '"' && p + 1 < end && p[1] == '"';
            if (*p == '"' && !twice) {
                quoted = !quoted;
                keep = length;
                continue;
            }
            p += twice;
            if (length + 1 < size && (quoted || length || (*p != ' ' && *p != '\t'))) cell[length++] = *p;
        }
        if (quoted) return bough_fail(error, BOUGH_INVALID, NULL, "a quoted cell is not closed on its line");
        while (length > keep &&
               (cell[length - 1] == ' ' || cell[length - 1] == '\t' || cell[length - 1] == '\r'))
            length--;
        cell[length] = 0;
        ++*cells;
        more = p < end;
    }
    return BOUGH_OK;
}
