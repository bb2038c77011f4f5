#include "traffic/collectives/collective_kinds.h"

#include "base/files/embedded_files.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/utf8.h"
#include "formats/workloads/msccl.h"
#include "network/compute_nodes/compute_nodes.h"
#include "traffic/collectives/collective_build.h"
#include "traffic/collectives/gpu/adder_trees.h"
#include "traffic/collectives/gpu/gpu_algorithms.h"
#include "traffic/collectives/gpu/tuning_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- traffic ---- */

static const bough_value *maybe(const bough_args *args, const char *key) {
    for (unsigned i = 0; args->params[i].key; i++)
        if (strcmp(args->params[i].key, key) == 0) return &args->value[i];
    return NULL;
}

static uint64_t number(const bough_args *args, const char *key) {
    const bough_value *v = maybe(args, key);
    return v && v->set ? (uint64_t)v->integer : 0;
}

/* ---- options of the algorithms of GPU libraries ---- */

static const char *const gpu_option[] = {"channels", "chunk", "protocol", "tuning"};

/* With a protocol, its latencies include the costs of hosts; and pieces follow each other (S=1). */
static void set_hosts(bough_args *args, const collective *c) {
    const char *const key[] = {"o", "g", "S"};
    bool protocol =
        c->gpu.protocol != COLLECTIVE_PLAIN || (strcmp(bough_args_get(args, "algo")->text, "nccl") == 0);
    for (unsigned i = protocol ? 0 : 2; i < 3; i++) bough_args_derive_int(args, key[i], i == 2);
}

static bough_status refuse_options(const bough_args *args, const char *kind, bough_error *error) {
    for (unsigned i = 0; i < sizeof gpu_option / sizeof *gpu_option; i++) {
        const bough_value *v = maybe(args, gpu_option[i]);
        if (v && v->given)
            return bough_fail(
                error, BOUGH_INVALID, NULL,
                "%s: %s= applies to the algorithms of GPU libraries (algo=nccl, nccl-ring, ...)", kind,
                gpu_option[i]);
    }
    return BOUGH_OK;
}

/* Rates and delays of the network as far as the latencies and the choice depend on them. */
static void set_rates(const bough_net *net, collective *c, collective_tuning *tuning) {
    const bough_physical *p = bough_net_physical(net);
    const bough_node_setting *node = net->compute ? net->compute->setting : NULL;
    uint64_t near = bough_physical_delay(p, 2), inside = 0;
    tuning->nic_rate = p->host_rate ? p->host_rate : p->rate;
    if (node) {
        tuning->no_nvls = !node->nvls;
        tuning->gpu_rate = node->nvlink ? node->nvlink : node->pcie;
        if (node->pcie < tuning->nic_rate) tuning->nic_rate = node->pcie;
        inside = 2 * (node->nvlink ? node->nvlink_delay : node->pcie_delay);
        near = bough_add(near, 2 * node->pcie_delay);
    }
    c->gpu.path_ns[0] = (uint32_t)(inside / 1000 < UINT32_MAX ? inside / 1000 : UINT32_MAX);
    c->gpu.path_ns[1] = (uint32_t)(near / 1000 < UINT32_MAX ? near / 1000 : UINT32_MAX);
}

static bough_status read_tuning(const char *path, bough_traffic *t, collective_tuning *tuning,
                                bough_error *error) {
    bough_input input;
    bough_status status = bough_input_read_or_embedded(path, &input, error);
    if (status) return status;
    status = tuning_table_read(&input, tuning, error);
    tuning->file = path;
    t->input_hash = input.hash;
    bough_input_fini(&input);
    return status;
}

/* Reads the options into c, which borrows tuning. */
static bough_status set_gpu(const collective_algorithm *a, bough_traffic *t, collective *c,
                            collective_tuning *tuning) {
    bough_args *args = &t->args;
    const bough_net *net = t->net;
    const bough_value *protocol = maybe(args, "protocol"), *file = maybe(args, "tuning");
    workload_nodes nodes = workload_nodes_of(args, net);
    c->gpu.gpus = nodes.ranks;
    c->gpu.nics = nodes.nics;
    if (!collective_is_gpu(a)) return refuse_options(args, t->kind->name, c->error);
    if (file->given && strcmp(a->name, "nccl") != 0)
        return bough_fail(c->error, BOUGH_INVALID, NULL, "%s: tuning= applies to algo=nccl", t->kind->name);
    c->gpu.channels = (uint32_t)number(args, "channels");
    c->gpu.chunk = number(args, "chunk");
    for (unsigned i = 0; protocol && protocol->set && i <= COLLECTIVE_SIMPLE; i++)
        if (strcmp(protocol->text, nccl_protocol_name[i]) == 0) c->gpu.protocol = (collective_protocol)i;
    set_hosts(args, c);
    set_rates(net, c, tuning);
    c->gpu.tuning = tuning;
    return file->given ? read_tuning(file->text, t, tuning, c->error) : BOUGH_OK;
}

static void describe_limits(const collective *c, bough_workload_how *how) {
    const collective_made *m = &c->made;
    const bool model = m->chosen && !c->gpu.tuning->rules,
               adds = strcmp(m->algorithm, nccl_algorithm_name[NCCL_NVLS_TREE]) == 0;
    snprintf(how->limits, sizeof how->limits, "%s%s%s%s",
             model ? "choice for Hopper GPUs and Intel CPUs" : "",
             m->pat ? "; NCCL takes PAT here, which is not simulated" : "", model && adds ? "; " : "",
             adds ? "GPUs add, not NVSwitches" : "");
}

/* "nccl-tree, simple, 8 channels, chosen by NCCL's model"; "128 pieces for 1024, at most 9 % slower" */
static void describe(const collective *c, bough_workload_how *how) {
    const collective_made *m = &c->made;
    char channels[32] = "";
    if (m->channels > 1) snprintf(channels, sizeof channels, ", %" PRIu32 " channels", m->channels);
    snprintf(how->algorithm, sizeof how->algorithm, "%s%s%s%s%s", m->algorithm, m->protocol ? ", " : "",
             m->protocol ? nccl_protocol_name[m->protocol] : "", channels,
             !m->chosen             ? ""
             : c->gpu.tuning->rules ? ", chosen by the table"
                                    : ", chosen by NCCL's model");
    describe_limits(c, how);
    if (m->pieces == m->chunks) return;
    int used = snprintf(how->chunks, sizeof how->chunks, "%" PRIu64 " piece%s for %" PRIu64, m->pieces,
                        m->pieces > 1 ? "s" : "", m->chunks);
    if (m->hops)
        snprintf(how->chunks + used, sizeof how->chunks - (size_t)used, ", at most %.2g %% slower",
                 100.0 * m->hops / (double)m->pieces);
}

/* ---- switches that add ---- */

static bough_status need_adders(const bough_net *net, const char *kind, bough_error *error) {
    if (net->aggregation) return BOUGH_OK;
    if (bough_net_physical(net)->sharp)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "%s: algo=sharp cannot be one of several jobs; run it alone", kind);
    return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                      "%s: algo=sharp needs switches that add, which sharp= of the physical setting makes: "
                      "--physical default:sharp=0ns",
                      kind);
}

/* The members' endpoints, and the trees that join them. */
typedef struct adding {
    collective_adders adders;
    uint32_t *endpoint; /* [ranks] */
} adding;

static bough_status place_adders(const bough_traffic *t, collective *c, const char *name, adding *a) {
    uint32_t *members = NULL;
    bough_status status = bough_alloc(&members, c->n, sizeof *members, c->error);
    TRY(workload_place(t, c->n, name, members, c->error));
    TRY(adder_trees_make(c, t->net, members, &a->adders));
    TRY(bough_alloc(&a->endpoint, (uint64_t)c->n + a->adders.ranks, sizeof *a->endpoint, c->error));
    if (!status) {
        memcpy(a->endpoint, members, c->n * sizeof *members);
        memcpy(a->endpoint + c->n, a->adders.endpoint, a->adders.ranks * sizeof *members);
        c->adders = &a->adders;
    }
    free(members);
    return status;
}

/* ---- programs ---- */

/* Reads the file of algo=NAME:FILE, which says how many ranks there are. */
static bough_status read_program(const collective_kind *kind, bough_traffic *t, msccl *program,
                                 bough_error *error) {
    bough_args *args = &t->args;
    const bough_value *ranks = bough_args_get(args, "ranks");
    bough_input input;
    bough_status status =
        bough_input_read(strchr(bough_args_get(args, "algo")->text, ':') + 1, &input, error);
    if (status) return status;
    t->input_hash = input.hash;
    status = msccl_read(&input, program, error);
    bough_input_fini(&input);
    if (status) return status;
    const char *name = msccl_collective_name[program->collective];
    if (strcmp(name, kind->name) != 0)
        return bough_fail(error, BOUGH_INVALID, program->file, "is an algorithm of %s, but the traffic is %s",
                          name, kind->name);
    if (ranks->given && (uint64_t)ranks->integer != program->gpus)
        return bough_fail(error, BOUGH_INVALID, program->file, "is for %" PRIu32 " ranks, but ranks=%" PRId64,
                          program->gpus, ranks->integer);
    bough_args_set_int(args, "ranks", program->gpus);
    bough_args_derive_int(args, "S", 1);
    return BOUGH_OK;
}

static void describe_program(const msccl *program, bough_workload_how *how) {
    char name[64];
    bough_copy_printable(program->name, strlen(program->name), name, sizeof name);
    snprintf(how->algorithm, sizeof how->algorithm, "msccl%s%s, %" PRIu32 " channel%s", *name ? " " : "",
             name, program->channels, program->channels == 1 ? "" : "s");
}

/* ---- binding ---- */

bough_status collective_bind(const collective_kind *kind, bough_args *args, const bough_net *net,
                             bough_traffic *t, bough_error *error) {
    const collective_algorithm *a = collective_find(kind, bough_args_get(args, "algo")->text);
    bough_schedule *s = NULL;
    msccl program = {0};
    bough_status status = workload_check_room(args, net, 1, kind->name, error);
    if (!status && a->program) status = read_program(kind, t, &program, error);
    if (status) {
        arena_fini(&program.memory);
        return status;
    }
    if (!bough_args_get(args, "ranks")->set)
        bough_args_set_int(args, "ranks", (int64_t)workload_room(args, net));
    uint32_t rounds = (uint32_t)number(args, "rounds");
    collective c = {.n = (uint32_t)number(args, "ranks"),
                    .root = (uint32_t)number(args, "root"),
                    .size = number(args, "size"),
                    .segment = number(args, "segment"),
                    .reduce_ps = number(args, "reduce"),
                    .program = a->program ? &program : NULL,
                    .error = error};
    if (c.root >= c.n)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "%s: root=%" PRIu32 " of %" PRIu32 " ranks is out of range; they count from 0",
                          kind->name, c.root, c.n);
    collective_tuning tuning = {0};
    collective_seat *seat = NULL;
    adding switches = {0};
    status = a->adders ? need_adders(net, kind->name, error) : BOUGH_OK;
    TRY(set_gpu(a, t, &c, &tuning));
    char *name = status ? NULL : bough_args_format(kind->name, args);
    if (!status && !name) status = bough_fail_memory(error, 64);
    if (!status) status = workload_check_room(args, net, c.n, name, error);
    TRY(workload_seats(t, c.n, name, &seat, error));
    c.gpu.seat = seat;
    if (!status && a->adders) status = place_adders(t, &c, name, &switches);
    TRY(bough_alloc(&c.last, (uint64_t)c.n + switches.adders.ranks, sizeof *c.last, error));
    TRY(collective_build(a, &c, &(collective_building){rounds, net->threads, name}, &s));
    bough_workload_how how = {0};
    if (!status && c.made.algorithm) describe(&c, &how);
    if (!status && a->program) describe_program(&program, &how);
    arena_fini(&program.memory);
    FREE_ALL(c.last, name, tuning.rule, seat);
    adder_trees_fini(&switches.adders);
    bough_workload made = {.schedule = s,
                           .endpoint = switches.endpoint,
                           .payload = bough_mul(c.size, rounds),
                           .bus_factor = kind->bus(c.n)};
    if (status)
        free(switches.endpoint);
    else if (a->adders)
        status = workload_make_placed(&made, t, error);
    else
        status = workload_make(s, made.payload, made.bus_factor, t, error);
    if (!status) workload_describe(t, &how);
    return status;
}

#define ROOT                                                                                                 \
    { "root", "the rank that sends or receives the vector", BOUGH_INT, "0", 0, 0x1p31 }

#define KIND(word, about, choices, usual, ...)                                                               \
    static const bough_param word##_params[] = {                                                             \
        {"algo", "algorithm", BOUGH_CHOICE, usual, 0, 0, choices, .echo = true},                             \
        COLLECTIVE_PARAM_LIST("1MB", true),                                                                  \
        __VA_ARGS__ WORKLOAD_PARAM_LIST,                                                                     \
        BOUGH_PARAMS_END,                                                                                    \
    };                                                                                                       \
    static bough_status word##_bind(bough_args *args, const bough_net *net, bough_traffic *t,                \
                                    bough_error *error) {                                                    \
        return collective_bind(&collective_##word, args, net, t, error);                                     \
    }                                                                                                        \
    const bough_traffic_kind bough_traffic_##word = {                                                        \
        .name = #word,                                                                                       \
        .summary = about,                                                                                    \
        .source = "Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in "     \
                  "MPICH, 2005",                                                                             \
        .params = word##_params,                                                                             \
        .shape = BOUGH_SCHEDULE,                                                                             \
        .bind = word##_bind,                                                                                 \
        .open = workload_open,                                                                               \
        .fini = workload_fini,                                                                               \
    };

KIND(allreduce, "the sum of all vectors to all ranks",
     "ring|doubling|rabenseifner|tree|direct|rails|nccl|nccl-ring|nccl-tree|hierarchical|nvls-tree|sharp|"
     "msccl:FILE",
     "ring", COLLECTIVE_GPU_PARAM_LIST, )
KIND(allgather, "the blocks of all ranks to all",
     "ring|doubling|bruck|direct|rails|nccl|nccl-ring|msccl:FILE", "ring", COLLECTIVE_GPU_PARAM_LIST, )
KIND(reducescatter, "the sum of all vectors, one block to each rank",
     "ring|halving|direct|rails|nccl|nccl-ring|msccl:FILE", "ring", COLLECTIVE_GPU_PARAM_LIST, )
KIND(reduce, "the sum of all vectors to one rank", "binomial", "binomial", ROOT, )
KIND(broadcast, "a vector from one rank to all", "binomial|scatter|chain|nccl|nccl-ring", "binomial", ROOT,
     {"segment", "bytes per segment of algo=chain", BOUGH_BYTES, "64KiB", 1, 0x1p50},
     COLLECTIVE_GPU_PARAM_LIST, )

static const bough_param barrier_params[] = {
    {"algo", "algorithm", BOUGH_CHOICE, "dissemination", 0, 0, "dissemination"},
    {"ranks", "number of ranks; default: as many as fit", BOUGH_INT, "", 1, 0x1p28},
    {"rounds", "number of repetitions", BOUGH_INT, "1", 1, 0x1p28},
    WORKLOAD_PARAM_LIST,
    BOUGH_PARAMS_END,
};

static bough_status barrier_bind(bough_args *args, const bough_net *net, bough_traffic *t,
                                 bough_error *error) {
    return collective_bind(&collective_barrier, args, net, t, error);
}

const bough_traffic_kind bough_traffic_barrier = {
    .name = "barrier",
    .summary = "no rank continues before all have arrived: messages without data",
    .source = "Hensgen, Finkel, Manber: Two algorithms for barrier synchronization, 1988",
    .params = barrier_params,
    .shape = BOUGH_SCHEDULE,
    .bind = barrier_bind,
    .open = workload_open,
    .fini = workload_fini,
};
