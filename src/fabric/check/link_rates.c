/* Rates of cables: how often each occurs, which one is nominal, and which cables are slower. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/check/check_routing.h"
#include "network/physical/physical.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 4 }; /* slow cables */

/* Classes: 0, of hosts; then levels. HOSTS_TAKEN: hosts again, with rates that the setting has for them too.
 */
enum { LEVELS = 256, HOSTS_TAKEN = LEVELS };

/* Cables of one rate and one class. */
typedef struct tally {
    uint64_t rate, count;
    unsigned level;
} tally;

typedef struct counter {
    const bough_net *net;
    arena *memory;
    bough_link_rates *rates;
    tally *item; /* on the heap */
    size_t items, item_capacity;
    bough_error *error;
} counter;

/* Whether link stands for its cable: it is the lower of the two, and one of them is alive. */
static bool is_cable(const bough_net *net, uint64_t link) {
    uint64_t twin = bough_link_twin(net, link);
    if (twin < link) return false;
    return bough_link_alive(net, link) || (twin != BOUGH_NONE && bough_link_alive(net, twin));
}

static unsigned class_of(const bough_net *net, uint64_t link) {
    if (bough_link_of_endpoint(net, link)) return 0;
    unsigned level = bough_link_level(net, link);
    return level < 1 ? 1 : level;
}

/* "4xQDR", where the file says so. */
static void name_rate(const bough_net *net, uint64_t link, bough_rate_count *c) {
    uint64_t both[] = {link, bough_link_twin(net, link)};
    for (int i = 0; i < 2 && net->fabric && !*c->name; i++) {
        if (both[i] == BOUGH_NONE) continue;
        const bough_fabric_port *p = &net->fabric->port[bough_net_fabric_port(net, both[i])];
        if (p->rate == c->rate && p->width && p->speed[0])
            snprintf(c->name, sizeof c->name, "%ux%s", p->width, p->speed);
    }
}

static bough_status count_rate(counter *c, uint64_t link, uint64_t rate) {
    bough_link_rates *r = c->rates;
    size_t i = 0;
    while (i < r->counts && r->count[i].rate != rate) i++;
    if (i == r->counts) {
        bough_status status = arena_grow(c->memory, &r->count, r->counts + 1, sizeof *r->count, c->error);
        if (status) return status;
        r->count[r->counts++] = (bough_rate_count){.rate = rate};
        name_rate(c->net, link, &r->count[i]);
    }
    if (bough_link_of_endpoint(c->net, link))
        r->count[i].host_cables++;
    else
        r->count[i].switch_cables++;
    return BOUGH_OK;
}

static bough_status count_class(counter *c, unsigned level, uint64_t rate) {
    size_t i = 0;
    while (i < c->items && (c->item[i].rate != rate || c->item[i].level != level)) i++;
    if (i == c->items) {
        bough_status status = bough_grow(&c->item, &c->item_capacity, i + 1, sizeof *c->item, c->error);
        if (status) return status;
        c->item[c->items++] = (tally){.rate = rate, .level = level};
    }
    c->item[i].count++;
    return BOUGH_OK;
}

/* The rate that the network states for a link, and that is taken; 0: none. */
static uint64_t stated_rate(const bough_net *net, const bough_link_rates *rates, uint64_t link) {
    return rates->host_rate && bough_link_of_endpoint(net, link) ? 0 : bough_net_known_rate(net, link);
}

static bough_status count_cable(counter *c, uint64_t link) {
    uint64_t rate = bough_net_known_rate(c->net, link), stated = stated_rate(c->net, c->rates, link);
    bough_status status = rate ? count_rate(c, link, rate) : BOUGH_OK;
    if (!rate) c->rates->unknown++;
    if (stated) TRY(count_class(c, class_of(c->net, link), stated));
    if (bough_link_of_endpoint(c->net, link))
        TRY(count_class(c, HOSTS_TAKEN, bough_net_link_rate(c->net, link)));
    return status;
}

static bough_status count_all(counter *c) {
    bough_status status = BOUGH_OK;
    for (uint64_t l = 0; l < c->net->links && !status; l++)
        if (is_cable(c->net, l)) status = count_cable(c, l);
    return status;
}

static bough_rate_class *find_class(const bough_link_rates *r, unsigned level) {
    for (size_t i = 0; i < r->kinds; i++)
        if (r->kind[i].level == level) return &r->kind[i];
    return NULL;
}

static int by_level(const void *a, const void *b) {
    const bough_rate_class *x = a, *y = b;
    return (x->level > y->level) - (x->level < y->level);
}

/* Of two equally common rates the faster one is nominal, so that a slow cable never counts as what was meant.
 */
static void take_nominal(const counter *c, bough_rate_class *k) {
    uint64_t most = 0;
    for (size_t i = 0; i < c->items; i++) {
        const tally *t = &c->item[i];
        if (t->level != k->level) continue;
        k->cables += t->count;
        if (t->count < most || (t->count == most && t->rate < k->nominal)) continue;
        most = t->count;
        k->nominal = t->rate;
    }
    for (size_t i = 0; i < c->items; i++) {
        const tally *t = &c->item[i];
        if (t->level != k->level || t->rate >= k->nominal) continue;
        k->slow += t->count;
        k->tie = k->tie || t->count == most;
        if (!k->slowest || t->rate < k->slowest) k->slowest = t->rate;
        if (t->rate > k->fastest_slow) k->fastest_slow = t->rate;
    }
}

static bough_status find_classes(counter *c) {
    bough_link_rates *r = c->rates;
    bough_status status = arena_alloc(c->memory, &r->kind, c->items, sizeof *r->kind, c->error);
    for (size_t i = 0; i < c->items && !status; i++) {
        if (c->item[i].level >= LEVELS || find_class(r, c->item[i].level)) continue;
        r->kind[r->kinds] = (bough_rate_class){.level = c->item[i].level};
        take_nominal(c, &r->kind[r->kinds++]);
    }
    if (r->kinds) qsort(r->kind, r->kinds, sizeof *r->kind, by_level);
    return status;
}

static bough_status find_slow(counter *c) {
    const bough_net *net = c->net;
    bough_link_rates *r = c->rates;
    bough_status status = find_classes(c);
    for (uint64_t l = 0; l < net->links && !status; l++) {
        if (!is_cable(net, l)) continue;
        const bough_rate_class *k = find_class(r, class_of(net, l));
        uint64_t rate = stated_rate(net, r, l);
        if (!rate || !k || rate >= k->nominal) continue;
        status = arena_grow(c->memory, &r->slow, r->slows + 1, sizeof *r->slow, c->error);
        if (!status) {
            bool single = !bough_rate_class_mixed(k);
            r->slow[r->slows++] = (bough_slow_cable){l, rate, k->nominal, k->level == 0, single};
        }
    }
    return status;
}

static int by_rate(const void *a, const void *b) {
    const bough_rate_count *x = a, *y = b;
    return (x->rate < y->rate) - (x->rate > y->rate);
}

/* Where the network states no rate. */
static void take_setting(const bough_net *net, bough_link_rates *r) {
    const bough_physical *p = bough_net_physical(net);
    uint64_t host = p->host_rate ? p->host_rate : p->rate;
    r->low = host < p->rate ? host : p->rate;
    r->high = host > p->rate ? host : p->rate;
    r->nominal = host;
    r->equal = r->low == r->high;
}

bough_status bough_link_rates_find(const bough_net *net, arena *memory, bough_link_rates *rates,
                                   bough_error *error) {
    counter c = {.net = net, .memory = memory, .rates = rates, .error = error};
    *rates = (bough_link_rates){.host_rate = bough_net_physical(net)->host_rate > 0};
    rates->known = (net->capabilities & BOUGH_HAS_RATES) && !rates->host_rate;
    take_setting(net, rates);
    if (!bough_net_knows_rates(net)) return BOUGH_OK;
    bough_status status = count_all(&c);
    TRY(find_slow(&c));
    if (!status && rates->counts) {
        qsort(rates->count, rates->counts, sizeof *rates->count, by_rate);
        bough_rate_range range = bough_net_rate_range(net);
        rates->low = range.low;
        rates->high = range.high;
        rates->equal = false;
        bough_rate_class taken = {.level = HOSTS_TAKEN};
        take_nominal(&c, &taken);
        rates->nominal = taken.nominal ? taken.nominal : range.high; /* endpoints may be switches */
    }
    free(c.item);
    return status;
}

uint64_t bough_link_actual(const bough_net *net, const bough_link_rates *rates, uint64_t link) {
    return rates->equal ? 1 : bough_net_link_rate(net, link);
}

double bough_link_weight(const bough_net *net, const bough_link_rates *rates, uint64_t link) {
    if (!bough_link_rates_mixed(rates)) return 1;
    return (double)rates->nominal / (double)bough_net_link_rate(net, link);
}

const char *bough_link_weight_text(const bough_link_rates *rates, char *buffer, size_t size) {
    snprintf(buffer, size, "flows count as at %g Gb/s: on a link of half that rate a flow counts twice",
             (double)rates->nominal / 1e9);
    return buffer;
}

uint64_t bough_link_nominal(const bough_net *net, const bough_link_rates *rates, uint64_t link) {
    if (!rates->slows) return rates->equal ? 1 : bough_net_link_rate(net, link);
    uint64_t twin = bough_link_twin(net, link), lower = twin < link ? twin : link;
    size_t low = 0, high = rates->slows;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (rates->slow[middle].link < lower)
            low = middle + 1;
        else
            high = middle;
    }
    const bough_slow_cable *slow =
        low < rates->slows && rates->slow[low].link == lower ? &rates->slow[low] : NULL;
    if (slow && slow->single) return slow->nominal;
    return rates->equal ? 1 : bough_net_link_rate(net, link);
}

bool bough_rate_class_mixed(const bough_rate_class *c) {
    return c->slow >= MANY && 4 * c->slow >= c->cables;
}

const char *bough_rate_class_text(const bough_net *net, const bough_rate_class *c, char *buffer,
                                  size_t size) {
    char what[80], rate[80];
    if (c->level)
        snprintf(what, sizeof what, "cables from level %u upwards run at", c->level);
    else if (c->cables == net->endpoints)
        snprintf(what, sizeof what, "hosts have");
    else
        snprintf(what, sizeof what, "cables of hosts run at");
    if (c->slowest == c->fastest_slow)
        snprintf(rate, sizeof rate, "%g", (double)c->slowest / 1e9);
    else
        snprintf(rate, sizeof rate, "%g to %g", (double)c->slowest / 1e9, (double)c->fastest_slow / 1e9);
    snprintf(buffer, size, "%" PRIu64 " of %" PRIu64 " %s %s Gb/s instead of %g Gb/s%s", c->slow, c->cables,
             what, rate, (double)c->nominal / 1e9,
             c->tie ? " (of equally common rates the faster is nominal)" : "");
    return buffer;
}
