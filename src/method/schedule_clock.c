#include "method/schedule_clock.h"

#include "base/memory/memory.h"

#include <inttypes.h>

/* The default link rate, bit/s. */
static uint64_t default_rate(const bough_net *net) {
    uint64_t slowest = UINT64_MAX;
    for (uint64_t l = 0; l < net->links && (net->capabilities & BOUGH_HAS_RATES); l++) {
        uint64_t rate = net->ops->link_rate(net, l);
        if (rate && rate < slowest) slowest = rate;
    }
    return slowest < UINT64_MAX ? slowest : UINT64_C(100000000000);
}

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

bough_status schedule_clock(bough_run *run, unsigned unit, unsigned rate, bough_clock *clock,
                            bough_error *error) {
    bough_value *v = run->args.value;
    const bough_param *params = run->method->params;
    *clock = (bough_clock){0};
    if (run->point.traffic->shape != BOUGH_SCHEDULE) {
        if (!v[unit].given && !v[rate].given) return BOUGH_OK;
        return bough_fail(error, BOUGH_INVALID, NULL, "%s: %s= and %s= apply to schedules; %s is not one",
                          run->method->name, params[unit].key, params[rate].key, run->point.traffic->spec);
    }
    if (!v[rate].set) bough_args_set_int(&run->args, params[rate].key, (int64_t)default_rate(run->point.net));
    unsigned __int128 bits = (unsigned __int128)v[unit].integer * 8 * UINT64_C(1000000000000);
    uint64_t per_second = (uint64_t)v[rate].integer;
    unsigned __int128 tick = (bits + per_second - 1) / per_second;
    if (tick > UINT64_C(1) << 50)
        return bough_fail(error, BOUGH_INVALID, NULL, "%s: %s= at this %s= takes more than 18 minutes",
                          run->method->name, params[unit].key, params[rate].key);
    *clock = (bough_clock){(uint64_t)tick, (uint64_t)v[unit].integer};
    return BOUGH_OK;
}
