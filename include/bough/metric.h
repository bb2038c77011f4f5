/* Metrics: what methods answer in. The names are part of the outside contract: add, never rename. */
#ifndef BOUGH_METRIC_H
#define BOUGH_METRIC_H

#include <stdbool.h>

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
    X(WORST_LINK, "worst_link", "flows", "link", "flows on the link that the worst permutation fills")       \
    X(LOAD_COUNTED, "load_counted", "flows", "",                                                             \
      "flows on one link of the permutation that Theorem 1 of valiant1982 finds under the routing")          \
    X(LOAD_BOUND, "load_bound", "flows", "",                                                                 \
      "what some permutation puts on a link under any oblivious routing: Theorem 1 of valiant1982")          \
    X(LOAD_TRANSPOSE, "load_transpose", "flows", "", "flows on the fullest link, transpose by bit fixing")   \
    X(LOAD_BITREV, "load_bitrev", "flows", "", "flows on the fullest link, bit reversal by bit fixing")      \
    X(LINK_TIME_MAX, "link_time_max", "s per bit", "",                                                       \
      "load over rate of the slowest link, per bit of a flow")                                               \
    X(LOAD_FACTOR, "load_factor", "messages", "", "largest (up + down messages) / capacity of a channel")    \
    X(UNROUTED, "unrouted", "messages", "", "messages without a route")                                      \
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
    X(CONNECTED, "connected", "share", "", "pairs of endpoints (ordered) that the routing can connect")      \
    X(PAIRS_LOST, "pairs_lost", "pairs", "", "pairs of endpoints (ordered) that it cannot")                  \
    X(CONNECTED_ANY, "connected_any", "share", "", "pairs of endpoints that some path of live links joins")  \
    X(LINK_USE_UP, "link_use_up", "share", "level", "share of the time that links up from a level are held") \
    X(LINK_USE_DOWN, "link_use_down", "share", "level",                                                      \
      "share of the time that links down to a level are held")                                               \
    X(LIMIT_UP, "limit_up", "share", "level", "use of the links that limit the load, up from a level")       \
    X(LIMIT_DOWN, "limit_down", "share", "level", "... down to a level")                                     \
    X(LIMIT_ACROSS, "limit_across", "share", "level", "... between two switches of a level")                 \
    X(BACKLOG_GROWTH, "backlog_growth", "messages/cycle", "", "growth of the queues under overload")         \
    X(WARMUP, "warmup", "cycles", "", "discarded before the measurement")                                    \
    X(STUCK, "stuck", "messages", "", "messages that wait for each other in a deadlock")                     \
    X(FLIGHT_WORST, "flight_worst", "ns", "",                                                                \
      "time through the network between the endpoints furthest apart")                                       \
    X(FLIGHT_BEST, "flight_best", "ns", "", "... between the nearest ones")                                  \
    X(FLIGHT, "flight", "ns", "level", "... between endpoints whose smallest common subtree is of a level")  \
    X(ROUTING_STAGES, "routing_stages", "switches", "level", "switches on the way there")                    \
    X(WIRE_CLOCKS, "wire_clocks", "clocks", "level",                                                         \
      "clocks spent in wires between stacks on the way there")                                               \
    X(CUBE_SIDE, "cube_side", "ft", "stage", "side of a hollow cube of a stage, stacks without thickness")   \
    X(CUBE_WIRE, "cube_wire", "ft", "stage", "longest wire through its hollow")                              \
    X(CUBE_GROWTH, "cube_growth", "", "stage", "its side over that of the stage below")                      \
    X(CUBE_BUILT_SIDE, "cube_built_side", "ft", "stage",                                                     \
      "side of the hollow with stacks as thick as they are")                                                 \
    X(CUBE_BUILT_WIRE, "cube_built_wire", "ft", "stage", "longest wire through that")                        \
    X(CUBE_VOLUME, "cube_volume", "ft^3", "stage", "volume that the cube takes, its sides included")         \
    X(STACK_VOLUME, "stack_volume", "ft^3", "stage", "volume of the stacks in it")                           \
    X(STACKS, "stacks", "stacks", "stage", "stacks of a stage in the whole network")                         \
    X(FIRST_SUCCESS_LEVEL, "first_success_level", "share", "level",                                          \
      "first_success of the messages whose source and destination meet at a level")                          \
    X(MESSAGES_LEVEL, "messages_level", "messages", "level", "how many these are")                           \
    X(STAGE_LOAD, "stage_load", "requests", "stage", "requests for a link of a stage (groups of one rank)")  \
    X(STAGE_SUCCESS, "stage_success", "share", "stage", "share of them that get one")                        \
    X(ETA, "eta", "messages", "",                                                                            \
      "reference load factor: largest crossing messages / 2^ceil(height/2) of an edge of the binary tree "   \
      "over the endpoints, heights at the lower end")                                                        \
    X(DEGREE, "degree", "messages", "", "most messages that one endpoint sends, or receives")                \
    X(PASSES, "passes", "passes", "", "batches that follow each other, all stages together")                 \
    X(STAGE_PASSES, "stage_passes", "passes", "stage", "passes of a stage (bay1991 counts from the root)")   \
    X(BIT_STEPS, "bit_steps", "bit steps", "", "time of pipelined bit-serial operations, one after another") \
    X(STAGE_BIT_STEPS, "stage_bit_steps", "bit steps", "stage", "bit steps of a stage")                      \
    X(OPERATION_BIT_STEPS, "operation_bit_steps", "bit steps", "operation", "bit steps of an operation")     \
    X(LAMBDA_RATIO, "lambda_ratio", "", "", "largest lambda_T / ceil(load_factor); Lemma 6: at most 2")      \
    X(QUEUE_MAX, "queue_max", "messages", "", "longest queue at any time (of packets, at a link)")           \
    X(QUEUE_BOUND, "queue_bound", "messages", "", "what a paper proves it is at most")                       \
    X(SIDETRACKED, "sidetracked", "per message", "", "times that a message was sent another way")            \
    X(STEPS, "steps", "steps", "", "steps until everything is delivered")                                    \
    X(PHASE_STEPS, "phase_steps", "steps", "phase", "1: until the last packet is at its via; 2: the rest")   \
    X(DELAY, "delay", "steps", "", "steps that a packet spends in queues beyond one a link, mean")           \
    X(DELAY_MAX, "delay_max", "steps", "", "the largest one")                                                \
    X(PHASE_DELAY, "phase_delay", "steps", "phase", "the delay in a phase, mean")                            \
    X(PHASE_DELAY_MAX, "phase_delay_max", "steps", "phase", "the largest one of a phase")                    \
    X(CONGESTION, "congestion", "packets", "", "packets that cross a link, mean over all links")             \
    X(PHASE_CONGESTION, "phase_congestion", "packets", "phase", "the same in a phase")                       \
    X(PHASE_LOAD_MAX, "phase_load_max", "packets", "phase", "packets on the fullest link in a phase")        \
    X(RANK_CONGESTION, "rank_congestion", "packets", "phase,rank",                                           \
      "the same over links of one rank (of the dimension that is fixed rank-th); index = 1000 phase + rank") \
    X(SHARERS, "sharers", "packets", "phase",                                                                \
      "other packets whose routes share a link with a packet's, mean (|S| of valiant1982)")                  \
    X(SHARERS_MAX, "sharers_max", "packets", "phase", "the largest one")                                     \
    X(CHECKED, "checked", "checks", "claim",                                                                 \
      "what verify=1 found true: 2 phases against 4d steps, 3 pairs of routes that meet, 4 delays against "  \
      "|S|, 5 dimensions against the mean congestion")                                                       \
    X(OVER_4D, "over_4d", "phases", "", "phases of more than 4d steps, each of probability 1/n^2 at most")   \
    X(WAVES, "waves", "waves", "", "waves of messages across channels, in lockstep")                         \
    X(SORTER_PASSES, "sorter_passes", "passes", "", "columns through a sorting circuit, in lockstep")        \
    X(NORM_WAVES, "norm_waves", "", "", "waves over load factor + lg n")                                     \
    X(NORM_PASSES, "norm_passes", "", "", "passes over load factor + lg n")                                  \
    X(STORAGE, "storage", "share", "", "largest share of a sorter's capacity in use")                        \
    X(STEP_WAVES, "step_waves", "waves", "step", "waves of a step of the algorithm")                         \
    X(STEP_PASSES, "step_passes", "passes", "step", "sorter passes of a step")                               \
    X(STEP_BITS, "step_bits", "bit steps", "step", "bit steps of a step")                                    \
    X(COMPLETION_TIME, "completion_time", "s", "", "until the last message has arrived")                     \
    X(FCT, "fct", "s", "", "flow completion time, from a message's start to its arrival, mean")              \
    X(FCT_P50, "fct_p50", "s", "", "its median")                                                             \
    X(FCT_P99, "fct_p99", "s", "", "its 99th percentile")                                                    \
    X(FCT_MAX, "fct_max", "s", "", "the largest one")                                                        \
    X(THROUGHPUT, "throughput", "Gb/s", "", "what arrived, over completion_time")                            \
    X(THROUGHPUT_ENDPOINT, "throughput_endpoint", "Gb/s", "", "the same per endpoint that sends")            \
    X(ALGO_BANDWIDTH, "algo_bandwidth", "GB/s", "",                                                          \
      "bytes that one rank gives to a collective, over completion_time")                                     \
    X(BUS_BANDWIDTH, "bus_bandwidth", "GB/s", "",                                                            \
      "algo_bandwidth times what a ring would move per byte (NCCL's convention)")                            \
    X(JOB_TIME, "job_time", "s", "job", "from a job's start to the end of its last operation")               \
    X(JOB_SLOWDOWN, "job_slowdown", "times", "job", "job_time over that of the job alone in the same place") \
    X(BOUND_TIME, "bound_time", "s", "", "the largest of the bounds of completion_time below")               \
    X(BOUND_LINK, "bound_link", "s", "",                                                                     \
      "what the slowest link takes for its bytes (expected under a random pick: no bound then)")             \
    X(BOUND_CPU, "bound_cpu", "s", "", "computations and message overheads of the busiest CPU")              \
    X(BOUND_CHAIN, "bound_chain", "s", "", "the longest chain of computations of a rank")                    \
    X(LINK_BYTES_MAX, "link_bytes_max", "bytes", "", "bytes over the fullest link")                          \
    X(LINK_BYTES_MEAN, "link_bytes_mean", "bytes", "", "mean over links that carry any")                     \
    X(RANK_COMPUTE, "rank_compute", "s", "", "CPU time that a rank computes, mean")                          \
    X(RANK_OVERHEAD, "rank_overhead", "s", "", "CPU time that its messages take, mean")                      \
    X(RANK_WAIT, "rank_wait", "s", "", "time that its CPUs did nothing until something was ready, mean")     \
    X(RANK_END, "rank_end", "s", "rank", "when the last operation of a rank ended")                          \
    X(LABEL_COMPUTE, "label_compute", "s", "label", "CPU time of a rank in computations of a label, mean")   \
    X(LABEL_OVERHEAD, "label_overhead", "s", "label", "... in messages of a label, mean")                    \
    X(LABEL_WAIT, "label_wait", "s", "label", "time that CPUs did nothing until something of a label, mean") \
    X(IDEAL_SHARE, "ideal_share", "share", "",                                                               \
      "completion_time if only the endpoints' own links limited, over completion_time")                      \
    X(STAGE_REQUESTS, "stage_requests", "requests", "stage", "requests for a stage: groups of one rank")     \
    X(CHIPS, "chips", "chips", "", "chips of a network")                                                     \
    X(PARTS, "parts", "parts", "stage", "parts (stacks of chips) of a stage; 0: leaf clusters")              \
    X(PART_CHIPS, "part_chips", "chips", "layer", "chips of a layer of a part, the lowest layer first")      \
    X(PART_CHANNELS, "part_channels", "channels", "side",                                                    \
      "channels of a part: 0 up from leaves, 1 down toward leaves, 2 up toward root, 3 down from root")      \
    X(PART_CAPACITY, "part_capacity", "wires", "side", "wires of each of these channels")                    \
    X(PART_WIRES, "part_wires", "wires", "side", "wires of all of them")                                     \
    X(P_ANY, "p_any", "probability", "level", "that a message meets its destination at a level")             \
    X(P_PART, "p_part", "probability", "level", "that it goes to one particular endpoint there")             \
    X(P_SUM, "p_sum", "probability", "", "sum of p_any: 1 where nothing is wrong")                           \
    X(CHANNEL_CAPACITY, "channel_capacity", "wires", "level", "wires up from a subtree of a level")          \
    X(CHANNEL_GROWTH, "channel_growth", "times", "level", "over that of the level below")                    \
    X(GROWTH_MEAN, "growth_mean", "times", "stage", "growth of channels a level, geometric mean of a stage") \
    X(GROWTH_UNIVERSAL, "growth_universal", "times", "stage",                                                \
      "that of the surface of a volume: volume-universality")                                                \
    X(LEVEL_PASSES, "level_passes", "passes", "level", "passes of the messages that meet at a level")        \
    X(AT2_CUTS, "at2_cuts", "wire pitches^2 steps^2", "",                                                    \
      "b^2 eta^2 N: area x time^2 of any router by its cuts, without the constant")                          \
    X(AT2_CONTENT, "at2_content", "wire pitches^2 steps^2", "",                                              \
      "b^2 eta^2 N lg^2(N/eta^2): the same of a content-preserving router for some message set of this eta") \
    X(SLOWDOWN, "slowdown", "times", "", "bit steps of a router over those of the one it simulates")         \
    X(SLOWDOWN_BOUND, "slowdown_bound", "times", "",                                                         \
      "sqrt(guest_area / n) tau: Proposition 1 of bay1991, without its constant")                            \
    X(TAU, "tau", "", "", "bit steps / (b eta)")                                                             \
    X(GUEST_BIT_STEPS, "guest_bit_steps", "bit steps", "", "bit steps of the simulated router")              \
    X(GUEST_AREA, "guest_area", "pitch^2", "", "area of its layout")                                         \
    X(AREA, "area", "mm^2", "", "area of the layout")                                                        \
    X(LAYOUT_WIDTH, "layout_width", "mm", "", "its width")                                                   \
    X(LAYOUT_HEIGHT, "layout_height", "mm", "", "its height")                                                \
    X(WIRE_MAX, "wire_max", "mm", "", "longest wire, along its way from box to box")                         \
    X(AREA_GRID, "area_grid", "pitch^2", "", "the area in squares of the wires' pitch, as models count it")  \
    X(AREA_RATIO, "area_ratio", "", "", "area_grid / (n lg^2 n)")                                            \
    X(CHANNEL_WIDTH, "channel_width", "um", "level", "width of the wires up from a subtree of a level")      \
    X(WIRE_LEVEL, "wire_level", "mm", "level", "longest wire up from a level")                               \
    X(SUBTREE_AREA, "subtree_area", "mm^2", "level", "area of a subtree of a level")                         \
    X(SUBTREE_SIDE, "subtree_side", "mm", "level", "its longer side")                                        \
    X(SORTER_LENGTH, "sorter_length", "pitch", "part",                                                       \
      "length of a flexible sorter along its lines: 1 sorting circuit, 2 words, 3 control of the cells, 4 "  \
      "of the Omega network, 5 its wires")                                                                   \
    X(SORTER_AREA, "sorter_area", "pitch^2", "", "area of a flexible sorter as in Figure 4 of bay1991")      \
    X(SORTER_AREA_FORMULA, "sorter_area_formula", "pitch^2", "", "the same by Theorem 2, its constants 1")   \
    X(SORTER_BIT_STEPS, "sorter_bit_steps", "bit steps", "lg words", "bit steps to sort so many words")      \
    X(SORTER_AT2, "sorter_at2", "", "lg words",                                                              \
      "area x time^2 / (r^2 lg^2 r) of sorting r words, the area of Theorem 2")                              \
    X(SORTER_AT2_FIGURE, "sorter_at2_figure", "", "lg words", "the same with the area of Figure 4")          \
    X(AT2, "at2", "pitch^2 step^2", "", "area of the layout x square of the bit steps")                      \
    X(AT2_ETA, "at2_eta", "", "",                                                                            \
      "at2 / (b^2 eta^2 n): over the bound of any router, for bodies of b bits and reference load factor "   \
      "eta")

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
/* False for what says how a trial was run, such as its warm-up: whoever repeats it with more trials learns
 * nothing about the network, and the mean has no interval. */
bool bough_metric_estimates(bough_metric_id metric);
/* The metric that says how many things this one is the mean of (first_success: messages). Where a trial
 * answers that too, with the same index, the mean over the trials is the mean over the things of all of them.
 * BOUGH_METRIC_COUNT: every trial counts the same. */
bough_metric_id bough_metric_weight(bough_metric_id metric);

#endif
