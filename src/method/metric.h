/* Metrics: the results of methods. Names are a stable interface: add metrics, never rename them. */
#ifndef BOUGH_METHOD_METRIC_H
#define BOUGH_METHOD_METRIC_H

#include <stdbool.h>

/* id, name, unit, meaning of the index ("": none), summary */
#define BOUGH_METRIC_MAP(X)                                                                                  \
    X(ROUNDS, "rounds", "rounds", "", "delivery rounds until all messages are delivered")                    \
    X(ROUNDS_P50, "rounds_p50", "rounds", "", "median of rounds over all trials")                            \
    X(ROUNDS_P90, "rounds_p90", "rounds", "", "90th percentile of rounds over all trials")                   \
    X(ROUNDS_P99, "rounds_p99", "rounds", "", "99th percentile of rounds over all trials")                   \
    X(ROUNDS_P999, "rounds_p999", "rounds", "", "99.9th percentile of rounds over all trials")               \
    X(ROUNDS_MISSING, "rounds_missing", "probability", "",                                                   \
      "probability left out of an exact distribution of rounds: bounds its error")                           \
    X(ROUNDS_WITHIN, "rounds_within", "share", "rounds",                                                     \
      "trials that take at most this number of rounds: the distribution function of rounds")                 \
    X(FIRST_SUCCESS, "first_success", "share", "",                                                           \
      "fraction of the messages delivered at the first attempt")                                             \
    X(ATTEMPTS, "attempts", "per message", "", "attempts per message")                                       \
    X(ATTEMPTS_P50, "attempts_p50", "attempts", "", "median over messages of the attempts until delivery")   \
    X(ATTEMPTS_P90, "attempts_p90", "attempts", "", "90th percentile over messages")                         \
    X(ATTEMPTS_P99, "attempts_p99", "attempts", "", "99th percentile over messages")                         \
    X(ATTEMPTS_P999, "attempts_p999", "attempts", "", "99.9th percentile over messages")                     \
    X(CYCLES, "cycles", "cycles", "", "cycles until everything has ended")                                   \
    X(CYCLES_NS, "cycles_ns", "ns", "", "cycles, in nanoseconds")                                            \
    X(ARRIVAL, "arrival", "cycles", "", "cycles until the last tail has arrived, acknowledgement excluded")  \
    X(ARRIVAL_NS, "arrival_ns", "ns", "", "arrival, in nanoseconds")                                         \
    X(ARRIVAL_MEAN_NS, "arrival_mean_ns", "ns", "", "until the tail of a message has arrived, mean")         \
    X(NORM_CYCLES, "norm_cycles", "transits", "", "cycles over the time of one message across the diameter") \
    X(MESSAGES, "messages", "messages", "", "messages that entered the network")                             \
    X(DELIVERED, "delivered", "share", "", "fraction of the messages that are delivered")                    \
    X(GIVEN_UP, "given_up", "messages", "", "messages given up after the attempts that they are allowed")    \
    X(UNDELIVERED, "undelivered", "messages", "", "messages left when the run was stopped")                  \
    X(COLLISIONS, "collisions", "refusals", "scenario",                                                      \
      "refusals by scenario: 1 both from above, 2 one from the side, 3 links requested by one from the "     \
      "side and two from above in one round, or while one of them held it")                                  \
    X(DELIVERED_ROUND, "delivered_round", "messages", "round", "messages delivered in a round")              \
    X(PR_C2, "pr_c2", "probability", "", "probability that two random messages collide")                     \
    X(PR_C2_LOWER, "pr_c2_lower", "probability", "", "its lower bound lg n / 3n")                            \
    X(PR_C2_UPPER, "pr_c2_upper", "probability", "", "its upper bound lg n / 2n")                            \
    X(PR_C2_NUMERATOR, "pr_c2_numerator", "", "", "numerator of pr_c2 in lowest terms")                      \
    X(PR_C2_DENOMINATOR, "pr_c2_denominator", "", "", "denominator of pr_c2 in lowest terms")                \
    X(PR_KIJ, "pr_kij", "probability", "k,i,j", "Pr[k,i,j] of Eq. 2; index = (k lg n + i) lg n + j")         \
    X(MEET_UP, "meet_up", "probability", "level",                                                            \
      "probability that two messages request one group up from a level, not having collided before")         \
    X(MEET_DOWN, "meet_down", "probability", "level", "... down to a level")                                 \
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
    X(PHASE_SUCCESS, "phase_success", "share", "phase",                                                      \
      "successful rounds: 1 fewer than 2b/e bins stay empty, 2 at least half of the balls are delivered")    \
    X(PHASE_LENGTH, "phase_length", "rounds", "phase", "rounds with more than b balls (1), with 2 to b (2)") \
    X(CURVE, "curve", "rounds", "", "lg m / 10 + m lg n / 2n + 1")                                           \
    X(LG_M, "lg_m", "rounds", "", "lg m, the bound with constants 1 and 0")                                  \
    X(LAMBDA_LG_N, "lambda_lg_n", "rounds", "",                                                              \
      "load_factor x lg n: Leiserson's bound for known messages, with the constant 1")                       \
    X(LAMBDA_LG_LG_N, "lambda_lg_lg_n", "rounds", "",                                                        \
      "load_factor + lg n lg lg n: the bound of Greenberg and Leiserson, with the constant 1")               \
    X(LINK_LOAD_MAX, "link_load_max", "flows", "", "flows on the most loaded link")                          \
    X(LINK_LOAD_MEAN, "link_load_mean", "flows", "", "flows per link, mean over the links that carry any")   \
    X(LINK_LOAD_LEVEL, "link_load_level", "flows", "level", "flows on the most loaded link of a level")      \
    X(LINK_LOAD_COUNT, "link_load_count", "links", "flows", "links with this number of flows (rounded up)")  \
    X(LINK_LOAD_UNUSED, "link_load_unused", "links", "", "number of links without flows")                    \
    X(WORST_LINK, "worst_link", "flows", "link", "flows of the worst permutation on its most loaded link")   \
    X(LOAD_COUNTED, "load_counted", "flows", "",                                                             \
      "flows on one link in the permutation that Theorem 1 of valiant1982 constructs for the routing")       \
    X(LOAD_BOUND, "load_bound", "flows", "",                                                                 \
      "minimum over oblivious routings of the worst maximum link load: Theorem 1 of valiant1982")            \
    X(LOAD_TRANSPOSE, "load_transpose", "flows", "", "maximum link load of transpose by bit fixing")         \
    X(LOAD_BITREV, "load_bitrev", "flows", "", "maximum link load of bit reversal by bit fixing")            \
    X(LINK_TIME_MAX, "link_time_max", "s per bit", "",                                                       \
      "load over rate of the slowest link, per bit of a flow")                                               \
    X(LOAD_FACTOR, "load_factor", "messages", "", "largest (up + down messages) / capacity of a channel")    \
    X(UNROUTED, "unrouted", "messages", "", "messages without a route")                                      \
    X(LATENCY, "latency", "cycles", "", "from the offer of a message to the arrival of its tail, mean")      \
    X(LATENCY_P50, "latency_p50", "cycles", "", "median latency")                                            \
    X(LATENCY_P90, "latency_p90", "cycles", "", "90th percentile of the latency")                            \
    X(LATENCY_P95, "latency_p95", "cycles", "", "95th percentile of the latency")                            \
    X(LATENCY_P99, "latency_p99", "cycles", "", "99th percentile of the latency")                            \
    X(LATENCY_MAX, "latency_max", "cycles", "", "largest measured latency")                                  \
    X(LATENCY_NS, "latency_ns", "ns", "", "latency, in nanoseconds")                                         \
    X(LATENCY_P50_NS, "latency_p50_ns", "ns", "", "median latency, in nanoseconds")                          \
    X(LATENCY_P95_NS, "latency_p95_ns", "ns", "", "95th percentile of the latency, in nanoseconds")          \
    X(LATENCY_P99_NS, "latency_p99_ns", "ns", "", "99th percentile of the latency, in nanoseconds")          \
    X(OFFERED, "offered", "flits/cycle/endpoint", "", "offered load, per sending endpoint")                  \
    X(OFFERED_MESSAGES, "offered_messages", "messages/cycle/endpoint", "", "offered load in messages")       \
    X(ACCEPTED, "accepted", "flits/cycle/endpoint", "", "accepted load")                                     \
    X(ACCEPTED_MESSAGES, "accepted_messages", "messages/cycle/endpoint", "", "accepted load in messages")    \
    X(SATURATION, "saturation", "flits/cycle/endpoint", "", "largest load with stable queues")               \
    X(SATURATION_MESSAGES, "saturation_messages", "messages/cycle/endpoint", "",                             \
      "saturation load in messages")                                                                         \
    X(SOURCE_WAIT, "source_wait", "cycles", "", "wait for the first link, mean")                             \
    X(WAIT_UP, "wait_up", "cycles", "level", "wait for a link up from a level, mean")                        \
    X(WAIT_DOWN, "wait_down", "cycles", "level", "wait for a link down to a level, mean")                    \
    X(SERVICE_UP, "service_up", "cycles", "level", "time that a message holds a link up from a level, mean") \
    X(SERVICE_DOWN, "service_down", "cycles", "level",                                                       \
      "time that a message holds a link down to a level, mean")                                              \
    X(DISTANCE, "distance", "links", "", "links on a path, first and last included, mean")                   \
    X(LINK_USE_MAX, "link_use_max", "share", "", "fraction of time that the busiest link is held")           \
    X(LINK_HOT, "link_hot", "share", "link", "fraction of time that one of the busiest links is held")       \
    X(CONNECTED, "connected", "share", "", "fraction of ordered endpoint pairs that the routing connects")   \
    X(PAIRS_LOST, "pairs_lost", "pairs", "", "ordered endpoint pairs that it does not connect")              \
    X(CONNECTED_ANY, "connected_any", "share", "",                                                           \
      "fraction of ordered endpoint pairs joined by some path of live links")                                \
    X(LINK_USE_UP, "link_use_up", "share", "level", "fraction of time that links up from a level are held")  \
    X(LINK_USE_DOWN, "link_use_down", "share", "level",                                                      \
      "fraction of time that links down to a level are held")                                                \
    X(LIMIT_UP, "limit_up", "share", "level", "use of the links that limit the load, up from a level")       \
    X(LIMIT_DOWN, "limit_down", "share", "level", "... down to a level")                                     \
    X(LIMIT_ACROSS, "limit_across", "share", "level", "... between two switches of a level")                 \
    X(BACKLOG_GROWTH, "backlog_growth", "messages/cycle", "", "growth of the queues under overload")         \
    X(WARMUP, "warmup", "cycles", "", "cycles discarded before the measurement")                             \
    X(STUCK, "stuck", "messages", "", "messages in a deadlock")                                              \
    X(FLIGHT_WORST, "flight_worst", "ns", "", "time through the network between the most distant endpoints") \
    X(FLIGHT_BEST, "flight_best", "ns", "", "... between the nearest endpoints")                             \
    X(FLIGHT, "flight", "ns", "level", "... between endpoints whose nearest common ancestor is at a level")  \
    X(FLIGHT_MEAN, "flight_mean", "ns", "", "... mean over the messages of the traffic and their paths")     \
    X(FLIGHT_LONGEST, "flight_longest", "ns", "level", "flight on the longest path between such endpoints")  \
    X(FLIGHT_SHORTEST, "flight_shortest", "ns", "level", "... on the shortest")                              \
    X(ROUTING_STAGES, "routing_stages", "switches", "level", "switches on that path")                        \
    X(WIRE_CLOCKS, "wire_clocks", "clocks", "level", "clocks spent in wires between stacks on that path")    \
    X(CUBE_SIDE, "cube_side", "ft", "stage", "side of a hollow cube of a stage, stacks without thickness")   \
    X(CUBE_WIRE, "cube_wire", "ft", "stage", "longest wire through the hollow")                              \
    X(CUBE_GROWTH, "cube_growth", "", "stage", "side over that of the stage below")                          \
    X(CUBE_BUILT_SIDE, "cube_built_side", "ft", "stage", "side of the hollow, stacks with thickness")        \
    X(CUBE_BUILT_WIRE, "cube_built_wire", "ft", "stage", "longest wire through that hollow")                 \
    X(CUBE_VOLUME, "cube_volume", "ft^3", "stage", "volume of the cube, sides included")                     \
    X(STACK_VOLUME, "stack_volume", "ft^3", "stage", "volume of the stacks in it")                           \
    X(BLOCK_SIDE, "block_side", "ft", "stage",                                                               \
      "longest side of the stacks of a stage, in a plane or a solid block")                                  \
    X(BLOCK_WIRE, "block_wire", "ft", "stage", "longest wire in it")                                         \
    X(BLOCK_GROWTH, "block_growth", "", "stage", "this wire over that of the stage below")                   \
    X(BLOCK_FILL, "block_fill", "share", "stage", "area or volume of the stacks over that of the whole")     \
    X(STACKS, "stacks", "stacks", "stage", "stacks of a stage in the whole network")                         \
    X(FIRST_SUCCESS_LEVEL, "first_success_level", "share", "level",                                          \
      "first_success of the messages whose nearest common ancestor is at a level")                           \
    X(MESSAGES_LEVEL, "messages_level", "messages", "level", "number of these messages")                     \
    X(STAGE_LOAD, "stage_load", "requests", "stage", "requests for a link of a stage (groups of one order)") \
    X(STAGE_SUCCESS, "stage_success", "share", "stage", "fraction of these requests that are granted")       \
    X(LAMBDA_A, "lambda_a", "messages", "",                                                                  \
      "ascending load factor: messages up, per edge of a channel, maximum")                                  \
    X(LAMBDA_D, "lambda_d", "messages", "", "descending load factor: messages down, likewise")               \
    X(ETA, "eta", "messages", "",                                                                            \
      "reference load factor: largest crossing messages / 2^ceil(height/2) of an edge of the binary tree "   \
      "over the endpoints, heights at the lower end")                                                        \
    X(DEGREE, "degree", "messages", "", "largest number of messages that one endpoint sends or receives")    \
    X(PASSES, "passes", "passes", "", "consecutive batches, over all stages")                                \
    X(STAGE_PASSES, "stage_passes", "passes", "stage", "passes of a stage (bay1991 counts from the root)")   \
    X(BIT_STEPS, "bit_steps", "bit steps", "", "time of pipelined bit-serial operations, in sequence")       \
    X(STAGE_BIT_STEPS, "stage_bit_steps", "bit steps", "stage", "bit steps of a stage")                      \
    X(OPERATION_BIT_STEPS, "operation_bit_steps", "bit steps", "operation", "bit steps of an operation")     \
    X(BIT_STEPS_COUNTED, "bit_steps_counted", "bit steps", "",                                               \
      "bit steps counted by a machine that moves bit by bit (engine=bits of sidetrack, sortroute)")          \
    X(OPERATION_COUNTED, "operation_counted", "bit steps", "operation", "the same, of an operation")         \
    X(LAMBDA_RATIO, "lambda_ratio", "", "", "largest lambda_T / ceil(load_factor); Lemma 6: at most 2")      \
    X(QUEUE_MAX, "queue_max", "packets", "",                                                                 \
      "maximum queue length (packets at a link; for schedules: at a link of a switch)")                      \
    X(QUEUE_BOUND, "queue_bound", "packets", "", "proven upper bound of queue_max")                          \
    X(SIDETRACKED, "sidetracked", "per message", "", "times that a message was sidetracked")                 \
    X(STEPS, "steps", "steps", "", "steps until all packets are delivered")                                  \
    X(PHASE_STEPS, "phase_steps", "steps", "phase",                                                          \
      "1: until the last packet is at its intermediate node; 2: the rest")                                   \
    X(DELAY, "delay", "steps", "", "steps that a packet spends in queues beyond one per link, mean")         \
    X(DELAY_MAX, "delay_max", "steps", "", "largest delay")                                                  \
    X(PHASE_DELAY, "phase_delay", "steps", "phase", "delay in a phase, mean")                                \
    X(PHASE_DELAY_MAX, "phase_delay_max", "steps", "phase", "largest delay in a phase")                      \
    X(CONGESTION, "congestion", "packets", "", "packets that cross a link, mean over all links")             \
    X(PHASE_CONGESTION, "phase_congestion", "packets", "phase", "congestion in a phase")                     \
    X(PHASE_LOAD_MAX, "phase_load_max", "packets", "phase", "packets on the most loaded link in a phase")    \
    X(RANK_CONGESTION, "rank_congestion", "packets", "phase,rank",                                           \
      "congestion in a phase over the links of the dimension that is corrected rank-th; index = 1000 phase " \
      "+ rank")                                                                                              \
    X(SHARERS, "sharers", "packets", "phase",                                                                \
      "other packets whose routes share a link with that of a packet, mean (|S| of valiant1982)")            \
    X(SHARERS_MAX, "sharers_max", "packets", "phase", "largest number of sharers")                           \
    X(CHECKED, "checked", "checks", "claim",                                                                 \
      "cases verified by verify=1: 2 phases against 4d steps, 3 pairs of intersecting routes, 4 delays "     \
      "against |S|, 5 dimensions against the mean congestion")                                               \
    X(OVER_4D, "over_4d", "phases", "", "phases of more than 4d steps, each with probability at most 1/n^2") \
    X(WAVES, "waves", "waves", "", "waves of messages across channels, in lockstep")                         \
    X(SORTER_PASSES, "sorter_passes", "passes", "", "columns through a sorting circuit, in lockstep")        \
    X(NORM_WAVES, "norm_waves", "", "", "waves over load factor + lg n")                                     \
    X(NORM_PASSES, "norm_passes", "", "", "passes over load factor + lg n")                                  \
    X(STORAGE, "storage", "share", "", "largest used fraction of a sorter's capacity")                       \
    X(STEP_WAVES, "step_waves", "waves", "step", "waves of a step of the algorithm")                         \
    X(STEP_PASSES, "step_passes", "passes", "step", "sorter passes of a step")                               \
    X(STEP_BITS, "step_bits", "bit steps", "step", "bit steps of a step")                                    \
    X(STEP_COUNTED, "step_counted", "bit steps", "step",                                                     \
      "the same, with the counted steps of the sorting circuits (sortroute:engine=bits)")                    \
    X(CIRCUIT_RATIO, "circuit_ratio", "", "",                                                                \
      "steps of a sorting circuit over those of Lemma 9 of bay1991 with constant 1, b + lg s, maximum")      \
    X(COMPLETION_TIME, "completion_time", "s", "", "until the last message has arrived")                     \
    X(FCT, "fct", "s", "", "flow completion time, from the start of a message to its arrival, mean")         \
    X(FCT_P50, "fct_p50", "s", "", "median of fct")                                                          \
    X(FCT_P99, "fct_p99", "s", "", "99th percentile of fct")                                                 \
    X(FCT_MAX, "fct_max", "s", "", "largest fct")                                                            \
    X(QUEUE_DELAY, "queue_delay", "s", "", "time of a packet in queues of switches, mean")                   \
    X(QUEUE_DELAY_MAX, "queue_delay_max", "s", "", "largest queue_delay")                                    \
    X(THROUGHPUT, "throughput", "Gb/s", "", "delivered data over completion_time")                           \
    X(THROUGHPUT_INSIDE, "throughput_inside", "Gb/s", "",                                                    \
      "data delivered within compute nodes over completion_time; not part of throughput")                    \
    X(THROUGHPUT_ENDPOINT, "throughput_endpoint", "Gb/s", "", "throughput per sending endpoint")             \
    X(ALGO_BANDWIDTH, "algo_bandwidth", "GB/s", "", "bytes per rank in a collective, over completion_time")  \
    X(BUS_BANDWIDTH, "bus_bandwidth", "GB/s", "",                                                            \
      "algo_bandwidth times the bytes that a ring moves per byte (NCCL's convention)")                       \
    X(TOKEN_RATE, "token_rate", "tokens/s", "", "tokens of a training step over completion_time")            \
    X(MFU, "mfu", "share", "",                                                                               \
      "model FLOPs utilization: operations of a training step, without repeated ones, over those that all "  \
      "GPUs can do in completion_time")                                                                      \
    X(GPU_RATE, "gpu_rate", "TFLOP/s", "", "operations of a training step over completion_time and GPUs")    \
    X(JOB_TIME, "job_time", "s", "job", "from the start of a job to the end of its last operation")          \
    X(JOB_SLOWDOWN, "job_slowdown", "times", "job",                                                          \
      "job_time over that of the job alone in the same placement")                                           \
    X(JOB_SLOWDOWN_BY, "job_slowdown_by", "times", "job,by job",                                             \
      "job_time beside one other job only, over that of the job alone; index = 1000 job + other job")        \
    X(JOB_LINKS, "job_links", "links", "job", "links that carry messages of a job")                          \
    X(JOB_LINKS_SHARED, "job_links_shared", "links", "job,by job",                                           \
      "links of a job that carry messages of another one too; index = 1000 job + other job")                 \
    X(SENSITIVITY, "sensitivity", "", "change",                                                              \
      "d ln completion_time / d ln x, by a run with x changed by a step; x: a rate, delay, cost or time")    \
    X(BOUND_TIME, "bound_time", "s", "", "largest of the following lower bounds of completion_time")         \
    X(BOUND_LINK, "bound_link", "s", "",                                                                     \
      "transfer time of the slowest link for its bytes (random selection: expected value, no bound)")        \
    X(BOUND_CPU, "bound_cpu", "s", "", "computation and message overhead of the busiest CPU")                \
    X(BOUND_CHAIN, "bound_chain", "s", "", "longest chain of computations of a rank")                        \
    X(LINK_BYTES_MAX, "link_bytes_max", "bytes", "", "bytes on the most loaded link")                        \
    X(LINK_BYTES_MEAN, "link_bytes_mean", "bytes", "", "bytes per link, mean over the links that carry any") \
    X(RANK_COMPUTE, "rank_compute", "s", "", "CPU time of a rank for computation, mean")                     \
    X(RANK_OVERHEAD, "rank_overhead", "s", "", "CPU time of a rank for messages, mean")                      \
    X(RANK_WAIT, "rank_wait", "s", "", "idle time of a rank's CPUs before an operation was ready, mean")     \
    X(RANK_END, "rank_end", "s", "rank", "end of the last operation of a rank")                              \
    X(LABEL_COMPUTE, "label_compute", "s", "label", "CPU time of a rank for computations of a label, mean")  \
    X(LABEL_OVERHEAD, "label_overhead", "s", "label", "... for messages of a label, mean")                   \
    X(LABEL_WAIT, "label_wait", "s", "label", "idle time before an operation of a label was ready, mean")    \
    X(CRITICAL_COMPUTE, "critical_compute", "s", "", "computation on the critical path")                     \
    X(CRITICAL_OVERHEAD, "critical_overhead", "s", "", "CPU time for messages on the critical path")         \
    X(CRITICAL_TRANSFER, "critical_transfer", "s", "",                                                       \
      "messages on the critical path, as long as they take on an idle network")                              \
    X(CRITICAL_SHARING, "critical_sharing", "s", "",                                                         \
      "time that messages of the critical path lost to others on links, in queues and at NICs")              \
    X(CRITICAL_LABEL, "critical_label", "s", "label", "critical path within operations of a label")          \
    X(CRITICAL_LINK, "critical_link", "s", "link",                                                           \
      "part of critical_sharing of messages that lost most time on this link")                               \
    X(EXPOSED_COMMUNICATION, "exposed_communication", "s", "",                                               \
      "time in which a rank computes nothing while its sends or receives go on, mean")                       \
    X(LABEL_EXPOSED, "label_exposed", "s", "label",                                                          \
      "part of exposed_communication in which an operation of a label ends first")                           \
    X(IDEAL_SHARE, "ideal_share", "share", "",                                                               \
      "completion_time if only the endpoint links limited rates, over completion_time")                      \
    X(STAGE_REQUESTS, "stage_requests", "requests", "stage", "requests for a stage (groups of one order)")   \
    X(CHIPS, "chips", "chips", "", "chips of a network")                                                     \
    X(PARTS, "parts", "parts", "stage", "parts (stacks of chips) of a stage; 0: leaf clusters")              \
    X(PART_CHIPS, "part_chips", "chips", "layer", "chips per layer of a part, lowest layer first")           \
    X(PART_CHANNELS, "part_channels", "channels", "side",                                                    \
      "channels of a part: 0 up from leaves, 1 down toward leaves, 2 up toward root, 3 down from root")      \
    X(PART_CAPACITY, "part_capacity", "wires", "side", "wires per channel")                                  \
    X(PART_WIRES, "part_wires", "wires", "side", "wires of all channels")                                    \
    X(P_ANY, "p_any", "probability", "level", "probability of a nearest common ancestor at a level")         \
    X(P_PART, "p_part", "probability", "level", "probability of one given destination there")                \
    X(P_SUM, "p_sum", "probability", "", "sum of p_any; 1 if correct")                                       \
    X(CHANNEL_CAPACITY, "channel_capacity", "wires", "level", "wires up from a subtree of a level")          \
    X(CHANNEL_GROWTH, "channel_growth", "times", "level", "channel_capacity over that of the level below")   \
    X(GROWTH_MEAN, "growth_mean", "times", "stage", "channel growth per level, geometric mean over a stage") \
    X(GROWTH_UNIVERSAL, "growth_universal", "times", "stage",                                                \
      "growth of the surface of a volume: volume-universality")                                              \
    X(GROWTH_AREA, "growth_area", "times", "stage", "growth of the perimeter of an area: area-universality") \
    X(LEVEL_PASSES, "level_passes", "passes", "level",                                                       \
      "passes of the messages whose nearest common ancestor is at a level")                                  \
    X(AT2_CUTS, "at2_cuts", "wire pitches^2 steps^2", "",                                                    \
      "b^2 eta^2 N: lower bound of area x time^2 of any router by cuts, without the constant")               \
    X(AT2_CONTENT, "at2_content", "wire pitches^2 steps^2", "",                                              \
      "b^2 eta^2 N lg^2(N/eta^2): the same for a content-preserving router and a message set of this eta")   \
    X(SLOWDOWN, "slowdown", "times", "", "bit steps of a router over those of the simulated one")            \
    X(SLOWDOWN_BOUND, "slowdown_bound", "times", "",                                                         \
      "sqrt(guest_area / n) tau: Proposition 1 of bay1991, without the constant")                            \
    X(TAU, "tau", "", "", "bit steps / (b eta): the largest of all searched message sets")                   \
    X(TAU_HERE, "tau_here", "", "", "bit steps / (b eta) of these messages")                                 \
    X(TAU_SHARE, "tau_share", "", "", "tau_here / tau: above 1, the router is slower than it promises")      \
    X(GUEST_BIT_STEPS, "guest_bit_steps", "bit steps", "", "bit steps of the simulated router")              \
    X(GUEST_AREA, "guest_area", "pitch^2", "", "layout area of the simulated router")                        \
    X(GUEST_AREA_MOST, "guest_area_most", "pitch^2", "",                                                     \
      "F^2 lg^2 (n / F): upper bound of the area of a graph with bifurcator F, without the constant")        \
    X(BIFURCATOR, "bifurcator", "edges", "",                                                                 \
      "F: a part of the decomposition tree at depth i is cut through at most F / 2^(i/2) edges")             \
    X(GUEST_CROSSING, "guest_crossing", "", "",                                                              \
      "b eta / (sqrt(guest_area / n) guest_bit_steps); at most 3 sqrt 2 for a layout of rectangles")         \
    X(HARDEST, "hardest", "", "", "the largest ratio that the search found")                                 \
    X(SETS, "sets", "sets", "", "message sets that the search evaluated")                                    \
    X(AREA, "area", "mm^2", "", "area of the layout")                                                        \
    X(LAYOUT_WIDTH, "layout_width", "mm", "", "width of the layout")                                         \
    X(LAYOUT_HEIGHT, "layout_height", "mm", "", "height of the layout")                                      \
    X(WIRE_MAX, "wire_max", "mm", "", "longest wire, measured along its route from box to box")              \
    X(AREA_GRID, "area_grid", "pitch^2", "", "area in squared wire pitches, the unit of models")             \
    X(AREA_RATIO, "area_ratio", "", "", "area_grid / (n lg^2 n)")                                            \
    X(CHANNEL_WIDTH, "channel_width", "um", "level", "width of the wires up from a subtree of a level")      \
    X(WIRE_LEVEL, "wire_level", "mm", "level", "longest wire up from a level")                               \
    X(SUBTREE_AREA, "subtree_area", "mm^2", "level", "area of a subtree of a level")                         \
    X(SUBTREE_SIDE, "subtree_side", "mm", "level", "longer side of a subtree")                               \
    X(SORTER_LENGTH, "sorter_length", "pitch", "part",                                                       \
      "length of a flexible sorter along its lines: 1 sorting circuit, 2 words, 3 control of the cells, 4 "  \
      "control of the Omega network, 5 its wires")                                                           \
    X(SORTER_AREA, "sorter_area", "pitch^2", "", "area of a flexible sorter as in Figure 4 of bay1991")      \
    X(SORTER_AREA_FORMULA, "sorter_area_formula", "pitch^2", "", "area by Theorem 2, with all constants 1")  \
    X(SORTER_BIT_STEPS, "sorter_bit_steps", "bit steps", "lg words",                                         \
      "bit steps to sort this number of words")                                                              \
    X(SORTER_AT2, "sorter_at2", "", "lg words",                                                              \
      "area x time^2 / (r^2 lg^2 r) of sorting r words, with the area of Theorem 2")                         \
    X(SORTER_AT2_FIGURE, "sorter_at2_figure", "", "lg words", "the same with the area of Figure 4")          \
    X(AT2, "at2", "pitch^2 step^2", "", "layout area x square of the bit steps")                             \
    X(AT2_ETA, "at2_eta", "", "",                                                                            \
      "at2 / (b^2 eta^2 n): ratio to the bound of any router, for bodies of b bits and reference load "      \
      "factor eta")                                                                                          \
    X(START_STEPS, "start_steps", "steps", "start",                                                          \
      "steps of the permutations where a search starts: 1 the worst by load, 2 bit reversal, 3 transpose, "  \
      "4 and more random")                                                                                   \
    X(CLIMB_STEPS, "climb_steps", "steps", "start", "steps of the slowest permutation found from a start")   \
    X(EVALUATED, "evaluated", "permutations", "", "permutations that a search simulated")

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

/* BOUGH_METRIC_COUNT if no metric has this name. */
bough_metric_id bough_metric_find(const char *name);
/* False for what explains or repeats a metric that is main: percentiles, waits and queues, the same in
 * another unit. */
bool bough_metric_is_main(bough_metric_id metric);
/* False for metrics that describe how a trial was run, such as its warm-up. Their means have no interval. */
bool bough_metric_estimates(bough_metric_id metric);
/* The metric that counts the items of which this one is the mean (first_success: messages). If a trial
 * reports both with the same index, the mean over trials is weighted by it. BOUGH_METRIC_COUNT: all trials
 * have equal weight. */
bough_metric_id bough_metric_weight(bough_metric_id metric);
/* True if two metrics have the same unit, or units that count how often messages cross the network: rounds,
 * transits, passes. */
bool bough_metrics_share_axis(bough_metric_id a, bough_metric_id b);

#endif
