#include "base/memory/memory.h"
#include "base/status/try.h"
#include "formats/traces/recorded_readers.h"

#include <inttypes.h>
#include <string.h>

/* The last number in the last part of a path; UINT64_MAX: none, or too large. */
static uint64_t number_of(const char *name) {
    const char *slash = strrchr(name, '/'), *p = slash ? slash + 1 : name, *end = p + strlen(p);
    uint64_t number = 0;
    while (end > p && (end[-1] < '0' || end[-1] > '9')) end--;
    const char *first = end;
    while (first > p && first[-1] >= '0' && first[-1] <= '9') first--;
    if (first == end || end - first > 9) return UINT64_MAX;
    for (; first < end; first++) number = 10 * number + (uint64_t)(*first - '0');
    return number;
}

bough_status recorded_files(const bough_input *input, const bough_input_piece ***of_rank,
                            bough_error *error) {
    if (input->count == 0 || input->count > INT32_MAX)
        return bough_fail(error, BOUGH_INVALID, input->name, "contains no traces; expected one file a rank");
    bough_status status = bough_alloc(of_rank, input->count, sizeof **of_rank, error);
    for (size_t i = 0; i < input->count && !status; i++) {
        const bough_input_piece *piece = &input->piece[i];
        uint64_t rank = input->count == 1 ? 0 : number_of(piece->name);
        if (rank >= input->count)
            return bough_fail(
                error, BOUGH_INVALID, piece->name,
                "is not one of %zu ranks; the last number in the name of a file is its rank, from "
                "0 to %zu",
                input->count, input->count - 1);
        if ((*of_rank)[rank])
            return bough_fail(error, BOUGH_INVALID, piece->name, "is rank %" PRIu64 ", as is %s", rank,
                              (*of_rank)[rank]->name);
        (*of_rank)[rank] = piece;
    }
    return status;
}
