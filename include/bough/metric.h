/* Metrics: what methods answer in. The names are part of the outside contract: add, never rename. */
#ifndef BOUGH_METRIC_H
#define BOUGH_METRIC_H

/* id, name, unit, what index counts ("": none), summary */
#define BOUGH_METRIC_MAP(X)                                                                                  \
    X(ROUNDS, "rounds", "rounds", "", "delivery rounds until everything is delivered")                       \
    X(FIRST_SUCCESS, "first_success", "share", "", "share of the messages delivered at the first attempt")   \
    X(ATTEMPTS, "attempts", "per message", "", "attempts per message")                                       \
    X(CYCLES, "cycles", "cycles", "", "cycles until all is done")                                            \
    X(NORM_CYCLES, "norm_cycles", "transits", "", "cycles over one message's time across the diameter")      \
    X(MESSAGES, "messages", "messages", "", "messages that entered the network")                             \
    X(UNDELIVERED, "undelivered", "messages", "", "messages left when the run was cut off")                  \
    X(COLLISIONS, "collisions", "refusals", "scenario",                                                      \
      "refusals by scenario: 1 both from above, 2 one from beside, 3 links that one from beside and two "    \
      "from above asked for in one round")                                                                   \
    X(DELIVERED_ROUND, "delivered_round", "messages", "round", "messages delivered in a round")              \
    X(PR_C2, "pr_c2", "probability", "", "probability that two random messages collide")                     \
    X(PR_C2_LOWER, "pr_c2_lower", "probability", "", "its lower bound lg n / 3n")                            \
    X(PR_C2_UPPER, "pr_c2_upper", "probability", "", "its upper bound lg n / 2n")                            \
    X(PR_C2_NUMERATOR, "pr_c2_numerator", "", "", "numerator of pr_c2 in lowest terms")                      \
    X(PR_C2_DENOMINATOR, "pr_c2_denominator", "", "", "denominator of pr_c2 in lowest terms")                \
    X(PR_KIJ, "pr_kij", "probability", "k,i,j", "Pr[k,i,j] of Eq. 2; index = (k lg n + i) lg n + j")         \
    X(BINS, "bins", "bins", "", "collision bins")                                                            \
    X(EMPTY_EXPECTED, "empty_expected", "bins", "", "E[b_e] after the first toss, Eq. 3")                    \
    X(EMPTY_FIRST, "empty_first", "bins", "", "empty bins after the first toss")                             \
    X(DELIVERED_EXPECTED, "delivered_expected", "messages", "", "E[D] of the first toss, Eq. 4")             \
    X(DELIVERED_FIRST, "delivered_first", "messages", "", "messages delivered by the first toss")            \
    X(REJECTED_EXPECTED, "rejected_expected", "messages", "", "E[R] of the first toss, Eq. 5")               \
    X(PHASE1_SUCCESSES, "phase1_successes", "rounds", "", "S of Phase I, Eq. 6")                             \
    X(PHASE1_ROUNDS, "phase1_rounds", "rounds", "", "R of Phase I")                                          \
    X(PHASE2_SUCCESSES, "phase2_successes", "rounds", "", "S of Phase II: lg m")                             \
    X(PHASE2_ROUNDS, "phase2_rounds", "rounds", "", "R of Phase II")                                         \
    X(CURVE, "curve", "rounds", "", "lg m / 10 + m lg n / 2n + 1")                                           \
    X(LG_M, "lg_m", "rounds", "", "lg m, the bound with constants 1 and 0")                                  \
    X(LINK_LOAD_MAX, "link_load_max", "flows", "", "flows on the fullest link")                              \
    X(LINK_LOAD_MEAN, "link_load_mean", "flows", "", "flows on a link, mean over the links that carry any")  \
    X(LINK_LOAD_LEVEL, "link_load_level", "flows", "level", "flows on the fullest link of a level")          \
    X(LINK_LOAD_COUNT, "link_load_count", "links", "flows", "links that carry so many flows (rounded up)")   \
    X(LINK_LOAD_UNUSED, "link_load_unused", "links", "", "links that carry none")                            \
    X(LINK_TIME_MAX, "link_time_max", "s per bit", "",                                                       \
      "load over rate of the slowest link, per bit of a flow")                                               \
    X(LOAD_FACTOR, "load_factor", "messages", "", "largest (up + down messages) / capacity of a channel")    \
    X(UNROUTED, "unrouted", "messages", "", "messages without a route")                                      \
    X(CONNECTED, "connected", "share", "", "pairs of endpoints (ordered) that the routing can connect")      \
    X(PAIRS_LOST, "pairs_lost", "pairs", "", "pairs of endpoints (ordered) that it cannot")                  \
    X(CONNECTED_ANY, "connected_any", "share", "", "pairs of endpoints that some path of live links joins")  \
    X(LATENCY, "latency", "cycles", "", "from a message's offer to the arrival of its tail, mean")           \
    X(LATENCY_P50, "latency_p50", "cycles", "", "its median")                                                \
    X(LATENCY_P99, "latency_p99", "cycles", "", "its 99th percentile")                                       \
    X(LATENCY_MAX, "latency_max", "cycles", "", "the largest one measured")                                  \
    X(OFFERED, "offered", "flits/cycle/endpoint", "", "what the traffic offers, per endpoint that sends")    \
    X(OFFERED_MESSAGES, "offered_messages", "messages/cycle/endpoint", "", "the same in messages")           \
    X(ACCEPTED, "accepted", "flits/cycle/endpoint", "", "what arrives")                                      \
    X(ACCEPTED_MESSAGES, "accepted_messages", "messages/cycle/endpoint", "", "the same in messages")         \
    X(SATURATION, "saturation", "flits/cycle/endpoint", "", "the largest load that queues can stand")        \
    X(SATURATION_MESSAGES, "saturation_messages", "messages/cycle/endpoint", "", "the same in messages")     \
    X(SOURCE_WAIT, "source_wait", "cycles", "", "wait for the first link, mean")                             \
    X(WAIT_UP, "wait_up", "cycles", "level", "wait for a link up from a level, mean")                        \
    X(WAIT_DOWN, "wait_down", "cycles", "level", "wait for a link down to a level, mean")                    \
    X(SERVICE_UP, "service_up", "cycles", "level", "how long a message holds a link up from a level, mean")  \
    X(SERVICE_DOWN, "service_down", "cycles", "level", "how long it holds a link down to a level, mean")     \
    X(DISTANCE, "distance", "links", "", "links on a path, both ends included, mean")                        \
    X(LINK_USE_MAX, "link_use_max", "share", "", "share of the time that the hottest link is held")          \
    X(LINK_HOT, "link_hot", "share", "link", "share of the time that one of the hottest links is held")      \
    X(LINK_USE_UP, "link_use_up", "share", "level", "share of the time that links up from a level are held") \
    X(LINK_USE_DOWN, "link_use_down", "share", "level",                                                      \
      "share of the time that links down to a level are held")                                               \
    X(LIMIT_UP, "limit_up", "share", "level", "use of the links that limit the load, up from a level")       \
    X(LIMIT_DOWN, "limit_down", "share", "level", "... down to a level")                                     \
    X(LIMIT_ACROSS, "limit_across", "share", "level", "... between two switches of a level")                 \
    X(BACKLOG_GROWTH, "backlog_growth", "messages/cycle", "", "growth of the queues under overload")         \
    X(WARMUP, "warmup", "cycles", "", "discarded before the measurement")                                    \
    X(STUCK, "stuck", "messages", "", "messages that wait for each other in a deadlock")

typedef enum bough_metric_id {
#define X(id, name, unit, index, summary) BOUGH_METRIC_##id,
    BOUGH_METRIC_MAP(X)
#undef X
        BOUGH_METRIC_COUNT
} bough_metric_id;

typedef struct bough_metric {
    const char *name, *unit, *index, *summary;
} bough_metric;

extern const bough_metric bough_metrics[BOUGH_METRIC_COUNT];

/* BOUGH_METRIC_COUNT when there is none of that name. */
bough_metric_id bough_metric_find(const char *name);

#endif
