#include "engines/circuit/circuit_calendar.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdlib.h>
#include <string.h>

enum { IN_A_BLOCK = 64 };

bough_status calendar_make(circuit_calendar *c, uint32_t size, bough_error *error) {
    *c = (circuit_calendar){.mask = size - 1};
    return bough_alloc(&c->ring, (uint64_t)size * 2, sizeof *c->ring, error);
}

void calendar_fini(circuit_calendar *c) {
    for (size_t i = 0; i < c->blocks; i++) free(c->block[i]);
    FREE_ALL(c->ring, c->block, c->far, c->far_time);
}

void calendar_return(circuit_calendar *c, calendar_slip *list) {
    if (!list) return;
    calendar_slip *last = list;
    while (last->next) last = last->next;
    last->next = c->unused;
    c->unused = list;
}

void calendar_clear(circuit_calendar *c) {
    for (uint64_t i = 0; i < 2 * ((uint64_t)c->mask + 1); i++) {
        calendar_return(c, c->ring[i]);
        c->ring[i] = NULL;
    }
    c->far_count = 0;
}

static bough_status add_block(circuit_calendar *c, bough_error *error) {
    bough_status status = bough_grow(&c->block, &c->block_capacity, c->blocks + 1, sizeof *c->block, error);
    calendar_slip *slip = NULL;
    TRY(bough_alloc(&slip, IN_A_BLOCK, sizeof *slip, error));
    if (status) return status;
    c->block[c->blocks++] = slip;
    for (unsigned i = 0; i + 1 < IN_A_BLOCK; i++) slip[i].next = &slip[i + 1];
    c->unused = slip;
    return BOUGH_OK;
}

static bough_status extend(circuit_calendar *c, calendar_slip **list, bough_error *error) {
    bough_status status = c->unused ? BOUGH_OK : add_block(c, error);
    if (status) return status;
    calendar_slip *slip = c->unused;
    c->unused = slip->next;
    slip->next = *list;
    slip->count = 0;
    *list = slip;
    return BOUGH_OK;
}

static bough_status add_far(circuit_calendar *c, uint32_t message, uint64_t time, bough_error *error) {
    bough_status status = bough_grow(&c->far, &c->far_capacity, c->far_count + 1, sizeof *c->far, error);
    TRY(bough_grow(&c->far_time, &c->time_capacity, c->far_count + 1, sizeof *c->far_time, error));
    if (status) return status;
    c->far[c->far_count] = message;
    c->far_time[c->far_count++] = time;
    return BOUGH_OK;
}

bough_status calendar_add(circuit_calendar *c, uint32_t message, calendar_time at, bough_error *error) {
    if (at.cycle - at.now > c->mask) return add_far(c, message, at.cycle << 1 | at.phase, error);
    calendar_slip **list = &c->ring[(at.cycle & c->mask) * 2 + at.phase];
    if (!*list || (*list)->count == CALENDAR_SLIP) {
        bough_status status = extend(c, list, error);
        if (status) return status;
    }
    (*list)->message[(*list)->count++] = message;
    return BOUGH_OK;
}

bough_status calendar_turn(circuit_calendar *c, uint64_t now, bough_error *error) {
    if (!c->far_count || (now & c->mask) != 0) return BOUGH_OK;
    uint64_t kept = 0, count = c->far_count;
    bough_status status = BOUGH_OK;
    for (uint64_t i = 0; i < count && !status; i++) {
        uint64_t time = c->far_time[i];
        if ((time >> 1) - now <= c->mask) {
            status = calendar_add(c, c->far[i], (calendar_time){now, time >> 1, time & 1}, error);
            continue;
        }
        c->far[kept] = c->far[i];
        c->far_time[kept++] = time;
    }
    c->far_count = kept;
    return status;
}

calendar_slip *calendar_take(circuit_calendar *c, uint64_t cycle, unsigned phase) {
    calendar_slip **list = &c->ring[(cycle & c->mask) * 2 + phase], *taken = *list;
    *list = NULL;
    return taken;
}
