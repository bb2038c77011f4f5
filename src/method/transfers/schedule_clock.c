#include "method/transfers/schedule_clock.h"

#include "base/memory/memory.h"

#include <inttypes.h>

typedef struct unit_sum {
    uint64_t unit_bytes, units;
} unit_sum;

static void add_units(void *context, uint32_t from, uint32_t to, uint64_t bytes) {
    unit_sum *sum = context;
    (void)from;
    (void)to;
    sum->units = bough_add(sum->units, bytes > sum->unit_bytes ? (bytes - 1) / sum->unit_bytes + 1 : 1);
}

uint64_t schedule_units(const bough_traffic *traffic, uint64_t unit_bytes) {
    unit_sum sum = {.unit_bytes = unit_bytes};
    traffic->each(traffic, add_units, &sum);
    return sum.units;
}

bough_status schedule_clock(const bough_run *run, const schedule_unit *unit, bough_clock *clock,
                            bough_error *error) {
    const bough_value *size = &run->args.value[unit->size], *rate = &run->args.value[unit->rate];
    const bough_param *params = run->method->params;
    *clock = (bough_clock){0};
    if (run->point.traffic->shape != BOUGH_SCHEDULE) {
        if (!size->given && !rate->given) return BOUGH_OK;
        return bough_fail(error, BOUGH_INVALID, NULL, "%s: %s= and %s= apply to schedules; %s is not one",
                          run->method->name, params[unit->size].key, params[unit->rate].key,
                          run->point.traffic->spec);
    }
    uint64_t bytes = size->given ? (uint64_t)size->integer : unit->bytes;
    uint64_t per_second = rate->given ? (uint64_t)rate->integer : bough_net_rate_range(run->point.net).low;
    unsigned __int128 bits = (unsigned __int128)bough_add(bytes, unit->header) * 8 * UINT64_C(1000000000000);
    unsigned __int128 tick = (bits + per_second - 1) / per_second;
    if (tick > UINT64_C(1) << 50)
        return bough_fail(error, BOUGH_INVALID, NULL, "%s: %s= at this %s= takes more than 18 minutes",
                          run->method->name, params[unit->size].key, params[unit->rate].key);
    *clock = (bough_clock){(uint64_t)tick, bytes};
    return BOUGH_OK;
}
