/* Rates of links and times of computations: what network and setting state, times the speed of the part. */
#include "network/net.h"

static const uint32_t *rate_speeds(const bough_net *net) {
    return net->speeds ? net->speeds->rate : NULL;
}

/* value x speed, to the nearest and at least 1; at most UINT64_MAX. */
static uint64_t scaled(uint64_t value, uint32_t speed) {
    if (speed == BOUGH_SPEED_ONE || value == 0) return value;
    unsigned __int128 product = ((unsigned __int128)value * speed + BOUGH_SPEED_ONE / 2) / BOUGH_SPEED_ONE;
    if (product > UINT64_MAX) return UINT64_MAX;
    return product ? (uint64_t)product : 1;
}

static uint64_t times_speed(const bough_net *net, uint64_t link, uint64_t rate) {
    const uint32_t *speed = rate_speeds(net);
    return speed ? scaled(rate, speed[link]) : rate;
}

uint64_t bough_net_slowed_rate(const bough_net *net, uint64_t link, uint64_t rate) {
    const bough_compute_nodes *c = net->compute;
    const bough_aggregation *a = net->aggregation;
    if (a) {
        uint64_t below = link < a->base->links ? link : a->lane[(link - a->base->links) / 2];
        return times_speed(net, link, bough_net_slowed_rate(a->base, below, rate));
    }
    if (net->ports && link < net->ports->links) rate = times_speed(net->ports, link, rate);
    if (c && link < c->fabric->links) rate = times_speed(c->fabric, link, rate);
    return times_speed(net, link, rate);
}

/* That of a link between compute nodes, or below aggregation nodes, has its speed there already. */
static uint64_t own_rate(const bough_net *net, uint64_t link) {
    return net->ops->link_rate ? net->ops->link_rate(net, link) : 0;
}

uint64_t bough_net_link_rate(const bough_net *net, uint64_t link) {
    const bough_physical *p = bough_net_physical(net);
    bool over = net->compute || net->aggregation; /* the network below has the rate of hosts */
    uint64_t rate =
        p->host_rate && !over && bough_link_of_endpoint(net, link) ? p->host_rate : own_rate(net, link);
    return times_speed(net, link, rate ? rate : p->rate);
}

uint64_t bough_net_known_rate(const bough_net *net, uint64_t link) {
    uint64_t own = own_rate(net, link);
    if (!rate_speeds(net)) return own;
    return own ? times_speed(net, link, own) : bough_net_link_rate(net, link);
}

bool bough_net_knows_rates(const bough_net *net) {
    return net->ops->link_rate || rate_speeds(net);
}

bough_rate_range bough_net_rate_range(const bough_net *net) {
    bough_rate_range range = {UINT64_MAX, 0, 0};
    bool equal = !bough_net_knows_rates(net) && !bough_net_physical(net)->host_rate;
    for (uint64_t l = 0; l < net->links; l++) {
        uint64_t rate = bough_net_link_rate(net, l);
        if (rate < range.low) range.low = rate;
        if (rate > range.high) range.high = rate;
        range.own += own_rate(net, l) > 0;
        if (equal) break;
    }
    return range;
}

/* A GPU computes as slowly as the endpoint of the fabric that is its NIC. */
uint64_t bough_net_compute_time(const bough_net *net, uint64_t endpoint, uint64_t time) {
    const uint32_t *factor = net->speeds ? net->speeds->compute : NULL;
    const bough_compute_nodes *c = net->compute;
    const bough_aggregation *a = net->aggregation;
    if (a && endpoint < a->hosts) time = bough_net_compute_time(a->base, endpoint, time);
    if (c && !a) time = bough_net_compute_time(c->fabric, bough_gpu_nic(c, endpoint), time);
    return factor ? scaled(time, factor[endpoint]) : time;
}

bool bough_net_computes_slowly(const bough_net *net) {
    if (net->speeds && net->speeds->compute) return true;
    if (net->aggregation) return bough_net_computes_slowly(net->aggregation->base);
    return net->compute && bough_net_computes_slowly(net->compute->fabric);
}
