#include "support/listed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next_time(bough_source *source) {
    listed *l = (listed *)source;
    return l->next < l->ready ? l->message[l->next].time : BOUGH_NONE;
}

static uint32_t pop(bough_source *source, uint64_t now, bough_message *out, uint32_t capacity) {
    listed *l = (listed *)source;
    uint32_t got = 0;
    while (got < capacity && l->next < l->ready && l->message[l->next].time <= now)
        out[got++] = l->message[l->next++];
    return got;
}

static void delivered(bough_source *source, uint32_t id, uint64_t time) {
    listed *l = (listed *)source;
    l->trouble |= id >= l->next || l->told[id];
    if (id < l->count) l->told[id] = time + 1;
    if (l->chained && l->ready < l->count) l->message[l->ready++].time = time;
}

listed listed_make(uint32_t count) {
    listed l = {.base = {next_time, pop, delivered, NULL}, .count = count, .ready = count};
    l.message = calloc(count + 1, sizeof *l.message);
    l.told = calloc(count + 1, sizeof *l.told);
    if (!l.message || !l.told) abort();
    for (uint32_t i = 0; i < count; i++) l.message[i] = (bough_message){.size = 1, .id = i};
    return l;
}

void listed_again(listed *l) {
    l->next = 0;
    l->ready = l->chained ? 1 : l->count;
    memset(l->told, 0, l->count * sizeof *l->told);
}

void listed_fini(listed *l) {
    free(l->message);
    free(l->told);
}

listed listed_poisson(const bough_net *net, double rate, uint32_t count, uint32_t size_max, bough_key key) {
    listed l = listed_make(count);
    bough_stream stream = bough_stream_make(key, BOUGH_DRAW_ARRIVAL, 0, 0);
    double time = 0;
    for (uint32_t i = 0; i < count; i++) {
        bough_message *m = &l.message[i];
        time -= log(1 - bough_unit(bough_stream_next(&stream))) / (rate * (double)net->endpoints);
        uint64_t target = bough_stream_below(&stream, net->endpoints - 1);
        m->time = (uint64_t)ceil(time);
        m->source = (uint32_t)bough_stream_below(&stream, net->endpoints);
        m->address = (uint32_t)bough_endpoint_address(net, target + (target >= m->source));
        m->size = 1 + bough_stream_below(&stream, size_max);
    }
    return l;
}
