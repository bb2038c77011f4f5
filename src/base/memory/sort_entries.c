#include "base/memory/sort_entries.h"

#define DIGIT_BITS 11
#define DIGITS     (1U << DIGIT_BITS)

/* The part of an entry that a pass sorts by. */
typedef struct digit {
    bool tie; /* of the tie, else of the key */
    unsigned shift;
} digit;

static uint32_t value_of(const heap_entry *e, digit d) {
    return (uint32_t)((d.tie ? e->tie : e->key) >> d.shift) & (DIGITS - 1);
}

/* A stable pass. */
static void sort_by_digit(const heap_entry *from, heap_entry *to, uint32_t count, digit d) {
    uint32_t place[DIGITS] = {0}, sum = 0;
    for (uint32_t i = 0; i < count; i++) place[value_of(&from[i], d)]++;
    for (uint32_t v = 0; v < DIGITS; v++) {
        uint32_t of_value = place[v];
        place[v] = sum;
        sum += of_value;
    }
    for (uint32_t i = 0; i < count; i++) to[place[value_of(&from[i], d)]++] = from[i];
}

heap_entry *sort_entries(heap_entry *entry, heap_entry *spare, uint32_t count) {
    uint64_t keys = 0;
    uint32_t ties = 0;
    for (uint32_t i = 1; i < count; i++) {
        keys |= entry[i].key ^ entry[0].key;
        ties |= entry[i].tie ^ entry[0].tie;
    }
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned shift = 0; shift < (pass ? 64 : 32); shift += DIGIT_BITS) {
            if (!((pass ? keys : ties) >> shift & (DIGITS - 1))) continue;
            sort_by_digit(entry, spare, count, (digit){!pass, shift});
            heap_entry *sorted = spare;
            spare = entry;
            entry = sorted;
        }
    return entry;
}
