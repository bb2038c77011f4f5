/* SimAI workloads (github.com/aliyun/SimAI, the format of ASTRA-sim): a line with the policy and its
 * parameters as `key: value`, the number of layers, then one layer per line:
 *
 *   name  dependency  (compute  collective  bytes) forward, input gradient, weight gradient  update
 *
 * Times are nanoseconds. A step under HYBRID_TRANSFORMER goes forward through the layers, each computation
 * followed by its collective; then backward: input gradient, its collective, weight gradient. The collective
 * of the weight gradient only delays the next of its kind, its update, and the end of the step. Forward and
 * input gradients use the tensor group, weight gradients the data group; the suffixes _EP and _DP_EP select
 * the expert groups.
 *
 * Checkpoints (astra-sim/workload/Workload.cc, Forward_In_BackPass): before the input gradient of a layer
 * that is listed in checkpoint_initiates, the layers from the last checkpoint below it up to the one before
 * it go forward again.
 *
 * Pipelines. The layers are those of one stage (AICB divides their number by pp before it writes them), `ga`
 * times: once for each micro-batch, which begins with the layer embedding_layer. Layers before the first one
 * (gradients, their norms) belong to the step as a whole, as do the last ones, cross_entropy and optimizer.
 * The file does not contain the order of micro-batches, nor which layers only the first or last stage has:
 * all stages are alike here, and run one forward, one backward (Narayanan et al. 2021) without interleaving.
 * A stage sends pp_comm bytes to the next one after a forward pass, and to the previous one after a backward
 * pass.
 *
 * Other policies, as ASTRA-sim 1.0 executes them (astra-sim/workload/Workload.cc). Their collectives go on
 * beside computations, those of forward passes and input gradients in one stream, those of weight gradients
 * in another, for which the end of the step waits.
 *
 *   DATA                       weight gradients over all ranks; backward: weight gradient, then input
 * gradient MODEL                      forward passes and input gradients over all ranks HYBRID_DATA_MODEL
 * these over the first dimension of the network, weight gradients over the others HYBRID_MODEL_DATA the
 * reverse HYBRID_CUSTOMIZED          a 13th field of a layer is its policy HYBRID_DLRM N, .._ENHANCED as
 * DATA; the alltoall of layer 0 goes on beside the layers up to N, the last of the bottom, and that of its
 * input gradient after layer N + 1 MICRO                      the collective of the weight gradient of layer
 * 0 DISTRIBUTED_INFERENCE      forward passes of MODEL
 *
 * Where input gradients have collectives, one goes on beside the weight gradient of its layer, which the next
 * layer waits for; layer 0 has none. */
#include "formats/workloads/training_step.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/scanner.h"
#include "base/text/spec.h"
#include "base/text/text.h"

#include <inttypes.h>
#include <string.h>

enum { FIELDS = 12, FORWARD = 0, INPUT, WEIGHT, PHASES, LAYERS_MAX = 1 << 20 };

typedef struct phase {
    uint64_t compute;
    training_item collective;
    bool silent; /* no collective */
} phase;

typedef enum order {
    ORDER_BLOCKING, /* of HYBRID_TRANSFORMER */
    ORDER_DATA,
    ORDER_OVERLAP,
    ORDER_DLRM,
    ORDER_FORWARD,
    ORDER_MICRO
} order;

/* The ranks of a tensor group. */
typedef enum tensor_group { TENSOR_GIVEN, TENSOR_ONE, TENSOR_ALL, TENSOR_FIRST, TENSOR_OTHERS } tensor_group;

typedef struct policy {
    const char *name;
    uint8_t order, tensor;
    bool forward, weight; /* collectives: of forward passes and input gradients, of weight gradients */
    bool custom;          /* layers have policies */
    bool bottom;          /* its name is followed by the last layer of the bottom */
    bool waits;           /* the first layer waits for the collective of its input gradient */
} policy;

static const policy policies[] = {
    {"HYBRID_TRANSFORMER", ORDER_BLOCKING, TENSOR_GIVEN, true, true},
    {"HYBRID_TRANSFORMER_FWD_IN_BCKWD", ORDER_BLOCKING, TENSOR_GIVEN, true, true},
    {"DATA", ORDER_DATA, TENSOR_ONE, .weight = true},
    {"MODEL", ORDER_OVERLAP, TENSOR_ALL, .forward = true},
    {"HYBRID_DATA_MODEL", ORDER_OVERLAP, TENSOR_FIRST, true, true},
    {"HYBRID_MODEL_DATA", ORDER_OVERLAP, TENSOR_OTHERS, true, true},
    {"HYBRID_CUSTOMIZED", ORDER_OVERLAP, TENSOR_FIRST, .custom = true},
    {"HYBRID_DLRM", ORDER_DLRM, TENSOR_ONE, .weight = true, .bottom = true, .waits = true},
    {"HYBRID_DLRM_ENHANCED", ORDER_DLRM, TENSOR_ONE, .weight = true, .bottom = true},
    {"MICRO", ORDER_MICRO, TENSOR_ONE, .weight = true},
    {"DISTRIBUTED_INFERENCE", ORDER_FORWARD, TENSOR_ALL, .forward = true},
};
enum { POLICIES = sizeof policies / sizeof *policies };

typedef enum role { LAYER, FIRST_LAYER, AFTER_LAYERS } role; /* FIRST_LAYER: of a micro-batch */

typedef struct layer {
    phase phase[PHASES];
    uint64_t update;
    uint32_t line;
    uint8_t role;
    bool checkpoint, again; /* again: initiates the forward passes since the last checkpoint */
} layer;

typedef struct reader {
    scanner in;
    const policy *policy;
    uint64_t bottom;    /* the last layer of the bottom */
    bool first, others; /* layers whose model is in the first dimension of the network, in the others */
    uint64_t tensor, expert, all, stages, batches, message; /* from the header; 0: not given */
    uint64_t *marked[2]; /* layers in checkpoints [0] and checkpoint_initiates [1] */
    size_t marks[2], mark_capacity[2];
    bool initiates; /* which of them is read */
    layer *layer;
    size_t layers, capacity;
} reader;

enum { WORD = 64 };

static bool next_word(reader *r, char word[WORD]) {
    return scan_next(&r->in, " \t\r", word, WORD);
}

/* The layers after "checkpoints: N" or "checkpoint_initiates: N". */
static bough_status read_marks(reader *r, uint64_t count) {
    char word[WORD];
    bough_status status = BOUGH_OK;
    if (count > LAYERS_MAX) return FAIL_HERE("%" PRIu64 " checkpoints", count);
    for (uint64_t i = 0; i < count && !status; i++) {
        int which = r->initiates;
        uint64_t number = 0;
        if (!next_word(r, word)) return FAIL_HERE("%" PRIu64 " of %" PRIu64 " checkpoints", i, count);
        status = scan_whole(&r->in, word, "layer", LAYERS_MAX, &number);
        TRY(bough_grow(&r->marked[which], &r->mark_capacity[which], r->marks[which] + 1, sizeof **r->marked,
                       r->in.error));
        if (!status) r->marked[which][r->marks[which]++] = number;
    }
    return status;
}

/* Sizes that AICB has divided end in .0. */
static void drop_fraction(char *text) {
    char *dot = strchr(text, '.');
    if (dot && strspn(dot + 1, "0") == strlen(dot + 1)) *dot = 0;
}

static bough_status find_policy(reader *r, const char *word, const policy **found) {
    const char *names[POLICIES];
    char hint[BOUGH_HINT_MAX];
    for (size_t i = 0; i < POLICIES; i++) {
        names[i] = policies[i].name;
        *found = &policies[i];
        if (strcmp(word, policies[i].name) == 0) return BOUGH_OK;
    }
    return FAIL_HERE(
        "unsupported policy '%.40s'%s; expected HYBRID_TRANSFORMER, HYBRID_TRANSFORMER_FWD_IN_BCKWD, "
        "DATA, MODEL, MICRO, or another of ASTRA-sim 1.0",
        word, bough_hint(hint, word, names, POLICIES));
}

static bough_status read_policy(reader *r) {
    char word[WORD] = "";
    next_word(r, word);
    bough_status status = find_policy(r, word, &r->policy);
    if (status || !r->policy->bottom) return status;
    if (!next_word(r, word))
        return FAIL_HERE("%s needs the number of the last layer of the bottom behind it", r->policy->name);
    return scan_whole(&r->in, word, "last layer of the bottom", LAYERS_MAX, &r->bottom);
}

/* Reads key: value pairs; ignores unused keys. */
static bough_status read_head(reader *r) {
    const struct {
        const char *key;
        uint64_t *value;
    } keys[] = {{"ep:", &r->expert},  {"all_gpus:", &r->all},    {"pp:", &r->stages},
                {"ga:", &r->batches}, {"pp_comm:", &r->message}, {"pp_comm", &r->message}};
    char word[WORD], value[WORD];
    bough_status status = read_policy(r);
    if (status) return status;
    while (next_word(r, word)) {
        uint64_t number;
        if (!next_word(r, value)) return FAIL_HERE("'%.40s' has no value", word);
        drop_fraction(value);
        status = scan_whole(&r->in, value, word, UINT64_C(1) << 50, &number);
        if (status) return status;
        if (strncmp(word, "model_parallel_NPU_group", 24) == 0) r->tensor = number;
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if (strcmp(word, keys[i].key) == 0) *keys[i].value = number;
        r->initiates = strncmp(word, "checkpoint_initiates", 20) == 0;
        if (r->initiates || strncmp(word, "checkpoints", 11) == 0) status = read_marks(r, number);
        if (status) return status;
    }
    if (r->policy->tensor != TENSOR_GIVEN) return BOUGH_OK;
    if (r->tensor == 0 || r->tensor > UINT32_MAX / 2) return FAIL_HERE("model_parallel_NPU_group is missing");
    if (r->stages > 1 && (!r->batches || !r->message))
        return FAIL_HERE("pp: %" PRIu64
                         " without %s; a pipeline needs the number of micro-batches (ga:) and the "
                         "bytes between stages (pp_comm:)",
                         r->stages, r->batches ? "pp_comm:" : "ga:");
    return BOUGH_OK;
}

static const struct {
    const char *name;
    int what;
} collectives[] = {
    {"NONE", -1},
    {"ALLREDUCE", TRAINING_ALLREDUCE},
    {"ALLGATHER", TRAINING_ALLGATHER},
    {"REDUCESCATTER", TRAINING_REDUCESCATTER},
    {"ALLTOALL", TRAINING_ALLTOALL},
    {"BROADCAST", TRAINING_BROADCAST},
};

/* Groups that a suffix selects, which is cut off. */
static bough_status read_suffix(reader *r, char *text, training_group *group) {
    char *ending = r->policy->tensor == TENSOR_GIVEN ? strchr(text, '_') : NULL;
    if (!ending) return BOUGH_OK;
    if (strcmp(ending, "_EP") == 0)
        *group = TRAINING_EXPERT;
    else if (strcmp(ending, "_DP_EP") == 0)
        *group = TRAINING_EXPERT_DATA;
    else if (strcmp(ending, "_DP") == 0)
        *group = TRAINING_DATA;
    else
        return FAIL_HERE("unknown suffix of '%.40s'; expected _DP, _EP or _DP_EP", text);
    *ending = 0;
    return BOUGH_OK;
}

static bough_status read_collective(reader *r, char *text, int which, phase *p) {
    training_group group = which == WEIGHT ? TRAINING_DATA : TRAINING_TENSOR;
    const char *names[sizeof collectives / sizeof *collectives];
    bough_status status = read_suffix(r, text, &group);
    if (status) return status;
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++) {
        names[i] = collectives[i].name;
        if (strcmp(text, names[i]) != 0) continue;
        p->silent = collectives[i].what < 0;
        p->collective.what = (uint8_t)(p->silent ? 0 : collectives[i].what);
        p->collective.group = (uint8_t)group;
        p->collective.line = r->in.line;
        p->collective.aside = which == WEIGHT;
        return BOUGH_OK;
    }
    char hint[BOUGH_HINT_MAX];
    return FAIL_HERE("unknown collective '%.40s'%s", text,
                     bough_hint(hint, text, names, sizeof collectives / sizeof *collectives));
}

/* Leaves the collectives of a layer that its policy has. */
static void keep_collectives(const policy *has, layer *l) {
    for (int p = 0; p < PHASES; p++) l->phase[p].silent |= !(p == WEIGHT ? has->weight : has->forward);
}

/* MODEL and DATA are over all ranks, which is a group of its own beside those of one dimension and the
 * others. */
static bough_status read_own_policy(reader *r, layer *l) {
    char word[WORD];
    const policy *own = NULL;
    if (!next_word(r, word)) return FAIL_HERE("12 fields; under HYBRID_CUSTOMIZED the 13th is a policy");
    bough_status status = find_policy(r, word, &own);
    if (status) return status;
    if (own->custom || own->bottom || own->tensor == TENSOR_GIVEN)
        return FAIL_HERE("%s is no policy of a layer; expected DATA, MODEL, HYBRID_DATA_MODEL or "
                         "HYBRID_MODEL_DATA",
                         word);
    r->first |= own->tensor == TENSOR_FIRST;
    r->others |= own->tensor == TENSOR_OTHERS;
    if (r->first && r->others)
        return FAIL_HERE(
            "layers under HYBRID_DATA_MODEL and HYBRID_MODEL_DATA in one file are not supported");
    for (int p = 0; p < PHASES && own->forward != own->weight; p++)
        l->phase[p].collective.group = TRAINING_ALL;
    keep_collectives(own, l);
    return BOUGH_OK;
}

/* Of DLRM the first layer exchanges embeddings among all ranks. */
static bough_status bind_policy(reader *r, layer *l) {
    if (r->policy->custom) return read_own_policy(r, l);
    if (r->policy->order != ORDER_DLRM || r->layers > 0) {
        keep_collectives(r->policy, l);
        return BOUGH_OK;
    }
    for (int p = 0; p < PHASES; p++) l->phase[p].collective.group = TRAINING_ALL;
    return BOUGH_OK;
}

static bough_status read_layer(reader *r) {
    static const uint64_t LONG = UINT64_C(1) << 50;
    char field[FIELDS][WORD];
    int fields = 0;
    layer l = {.line = r->in.line};
    while (fields < FIELDS && next_word(r, field[fields])) fields++;
    if (fields < FIELDS)
        return FAIL_HERE("%d fields; a layer has %d: name, dependency, three times (compute, collective, "
                         "bytes), update",
                         fields, FIELDS);
    l.role = strcmp(field[0], "embedding_layer") == 0      ? FIRST_LAYER
             : strncmp(field[0], "cross_entropy", 13) == 0 ? AFTER_LAYERS
             : strncmp(field[0], "optimizer", 9) == 0      ? AFTER_LAYERS
                                                           : LAYER;
    bough_status status = BOUGH_OK;
    for (int p = 0; p < PHASES && !status; p++) {
        status = scan_whole(&r->in, field[2 + 3 * p], "compute time", LONG, &l.phase[p].compute);
        TRY(read_collective(r, field[3 + 3 * p], p, &l.phase[p]));
        TRY(scan_whole(&r->in, field[4 + 3 * p], "bytes", LONG, &l.phase[p].collective.size));
    }
    TRY(scan_whole(&r->in, field[11], "update time", LONG, &l.update));
    TRY(bind_policy(r, &l));
    TRY(bough_grow(&r->layer, &r->capacity, r->layers + 1, sizeof *r->layer, r->in.error));
    if (!status) r->layer[r->layers++] = l;
    return status;
}

static bough_status read_piece(reader *r, const bough_input_piece *piece) {
    uint64_t named = 0;
    int heads = 0;
    bough_status status = BOUGH_OK;
    r->in = scan_piece(piece, r->in.error);
    while (!status && scan_line(&r->in)) {
        char word[WORD];
        const char *line = r->in.at;
        if (memchr(line, 0, (size_t)(r->in.stop - line)))
            return FAIL_HERE("contains a NUL byte; expected text");
        if (!next_word(r, word)) continue;
        r->in.at = line;
        if (heads == 0)
            status = read_head(r);
        else if (heads == 1)
            status = scan_whole(&r->in, word, "number of layers", LAYERS_MAX, &named);
        else
            status = read_layer(r);
        heads += heads < 2;
    }
    if (!status && heads < 2)
        return FAIL_HERE("the file ends before its number of layers; expected the policy in the first line, "
                         "their number in "
                         "the second, and a line for each");
    if (!status && r->layers != named)
        return FAIL_HERE("%zu layer%s, but the second line gives %" PRIu64, r->layers, bough_s(r->layers),
                         named);
    return status;
}

/* ---- checkpoints ---- */

static bough_status bind_marks(reader *r) {
    bool below = false;
    for (int which = 0; which < 2; which++)
        for (size_t i = 0; i < r->marks[which]; i++) {
            uint64_t l = r->marked[which][i];
            if (l >= r->layers)
                return FAIL_HERE("checkpoint at layer %" PRIu64 "; there are %zu, counted from 0", l,
                                 r->layers);
            *(which ? &r->layer[l].again : &r->layer[l].checkpoint) = true;
        }
    for (size_t i = 0; i < r->layers; i++) {
        below |= r->layer[i].checkpoint;
        if (r->layer[i].again && !below)
            return FAIL_HERE(
                "layer %zu initiates forward passes from a checkpoint, but there is none below it", i);
    }
    return BOUGH_OK;
}

/* ---- items ---- */

static bough_status add_phase(training *t, const layer *l, int which, bough_error *error) {
    const phase *p = &l->phase[which];
    training_item compute = {.size = p->compute, .line = l->line, .what = TRAINING_COMPUTE};
    training_item update = {.size = l->update, .line = l->line, .what = TRAINING_COMPUTE, .aside = true};
    bough_status status = p->compute ? training_add(t, compute, error) : BOUGH_OK;
    if (!status && !p->silent) status = training_add(t, p->collective, error);
    if (!status && !p->silent && which == WEIGHT && l->update) status = training_add(t, update, error);
    return status;
}

/* Layers first .. end - 1. */
static bough_status add_forward(const reader *r, training *t, size_t first, size_t end) {
    bough_status status = BOUGH_OK;
    for (size_t i = first; i < end && !status; i++) status = add_phase(t, &r->layer[i], FORWARD, r->in.error);
    return status;
}

static bough_status add_backward(const reader *r, training *t, size_t first, size_t end) {
    bough_status status = BOUGH_OK;
    for (size_t i = end; i-- > first && !status;) {
        size_t from = i;
        while (r->layer[i].again && !r->layer[from].checkpoint) from--;
        status = add_forward(r, t, from, i);
        TRY(add_phase(t, &r->layer[i], INPUT, r->in.error));
        TRY(add_phase(t, &r->layer[i], WEIGHT, r->in.error));
    }
    return status;
}

/* ---- items beside computations ---- */

static training_stream stream_of(int which) {
    return which == WEIGHT ? TRAINING_STREAM_GRADS : TRAINING_STREAM_TENSOR;
}

static bough_status compute(const reader *r, training *t, size_t i, int which) {
    training_item item = {
        .size = r->layer[i].phase[which].compute, .line = r->layer[i].line, .what = TRAINING_COMPUTE};
    return item.size ? training_add(t, item, r->in.error) : BOUGH_OK;
}

/* Starts the collective of a layer, and behind it the update of its weights. */
static bough_status issue(const reader *r, training *t, size_t i, int which) {
    const layer *l = &r->layer[i];
    training_item item = l->phase[which].collective;
    training_item update = {.size = l->update, .line = l->line, .what = TRAINING_COMPUTE};
    if (l->phase[which].silent) return BOUGH_OK;
    item.aside = false;
    item.stream = update.stream = (uint8_t)stream_of(which);
    bough_status status = training_add(t, item, r->in.error);
    if (which == WEIGHT && l->update) TRY(training_add(t, update, r->in.error));
    return status;
}

/* Computations wait for the collectives so far of this kind, the last of which is that of layer i. */
static bough_status await(const reader *r, training *t, size_t i, int which) {
    const phase *p = &r->layer[i].phase[which];
    training_item item = {.line = r->layer[i].line, .what = TRAINING_WAIT, .group = p->collective.group};
    item.stream = (uint8_t)stream_of(which);
    return p->silent ? BOUGH_OK : training_add(t, item, r->in.error);
}

/* The end of the step waits for weight gradients. */
static bough_status await_weights(const reader *r, training *t) {
    for (size_t i = 0; i < r->layers; i++)
        if (!r->layer[i].phase[WEIGHT].silent) return await(r, t, i, WEIGHT);
    return BOUGH_OK;
}

static bough_status forward_blocking(const reader *r, training *t, size_t i) {
    bough_status status = compute(r, t, i, FORWARD);
    TRY(issue(r, t, i, FORWARD));
    TRY(await(r, t, i, FORWARD));
    return status;
}

static bough_status forward_dlrm(const reader *r, training *t, size_t i) {
    const bool exchanges = r->layer[i].phase[FORWARD].collective.what == TRAINING_ALLTOALL;
    bough_status status = compute(r, t, i, FORWARD);
    if (exchanges && !r->layer[i].phase[FORWARD].silent) return status ? status : issue(r, t, i, FORWARD);
    if (i == r->bottom && r->layer[0].phase[FORWARD].collective.what == TRAINING_ALLTOALL)
        TRY(await(r, t, 0, FORWARD));
    return status;
}

static bough_status forward_one(const reader *r, training *t, size_t i) {
    if (r->policy->order == ORDER_DLRM) return forward_dlrm(r, t, i);
    return r->policy->forward || r->policy->custom ? forward_blocking(r, t, i) : compute(r, t, i, FORWARD);
}

static bough_status backward_overlap(const reader *r, training *t, size_t i) {
    bough_status status = compute(r, t, i, INPUT);
    if (i > 0) TRY(issue(r, t, i, INPUT));
    TRY(compute(r, t, i, WEIGHT));
    TRY(issue(r, t, i, WEIGHT));
    if (i > 0) TRY(await(r, t, i, INPUT));
    return status;
}

/* DATA and DLRM. */
static bough_status backward_data(const reader *r, training *t, size_t i) {
    const bool dlrm = r->policy->order == ORDER_DLRM, exchanged = dlrm && r->bottom + 1 < r->layers;
    bough_status status = compute(r, t, i, WEIGHT);
    TRY(issue(r, t, i, WEIGHT));
    if (i == 0) return !status && exchanged && r->policy->waits ? await(r, t, 0, INPUT) : status;
    TRY(compute(r, t, i, INPUT));
    if (exchanged && i == r->bottom + 1) TRY(issue(r, t, 0, INPUT));
    return status;
}

static bough_status add_overlapping(const reader *r, training *t) {
    bough_status status = training_new_stage(t, r->in.error);
    const order o = (order)r->policy->order;
    t->streams = true;
    if (o == ORDER_MICRO)
        TRY(issue(r, t, 0, WEIGHT));
    else
        for (size_t i = 0; i < r->layers && !status; i++) status = forward_one(r, t, i);
    for (size_t i = o < ORDER_FORWARD ? r->layers : 0; i-- > 0 && !status;)
        status = o == ORDER_OVERLAP ? backward_overlap(r, t, i) : backward_data(r, t, i);
    TRY(await_weights(r, t));
    return status;
}

/* ---- pipelines ---- */

typedef struct pipeline {
    const reader *r;
    training *t;
    size_t first, each,
        end; /* layers of micro-batch m: first + m each .. first + (m + 1) each - 1, below end */
    uint32_t stage, stages;
} pipeline;

static bough_status find_batches(const reader *r, pipeline *p) {
    size_t found = 0, last = 0;
    for (size_t i = 0; i < r->layers; i++) {
        if (r->layer[i].role != FIRST_LAYER) continue;
        if (found == 0) p->first = i;
        if (found == 1) p->each = i - last;
        if (found > 1 && i - last != p->each)
            return FAIL_HERE("micro-batches of %zu and of %zu layers; expected the same layers in each",
                             p->each, i - last);
        last = i;
        found++;
    }
    if (found != r->batches)
        return FAIL_HERE("%zu layer%s embedding_layer, one for each micro-batch, but ga: %" PRIu64, found,
                         bough_s(found), r->batches);
    for (p->end = r->layers; p->end > last && r->layer[p->end - 1].role == AFTER_LAYERS;) p->end--;
    if (found == 1) p->each = p->end - last;
    if (last + p->each > p->end)
        return FAIL_HERE("the last micro-batch has %zu layer%s, the others %zu", p->end - last,
                         bough_s(p->end - last), p->each);
    p->end = last + p->each;
    return BOUGH_OK;
}

static bough_status add_message(const pipeline *p, training_what what, bool next) {
    training_item item = {.size = p->r->message, .line = 1, .what = (uint8_t)what, .next = next};
    item.group = TRAINING_PIPELINE;
    if (next ? p->stage + 1 == p->stages : p->stage == 0) return BOUGH_OK;
    return training_add(p->t, item, p->r->in.error);
}

static bough_status add_batch(const pipeline *p, uint64_t batch, bool forward) {
    size_t first = p->first + batch * p->each;
    bough_status status = add_message(p, TRAINING_RECV, !forward);
    if (forward)
        TRY(add_forward(p->r, p->t, first, first + p->each));
    else
        TRY(add_backward(p->r, p->t, first, first + p->each));
    TRY(add_message(p, TRAINING_SEND, forward));
    return status;
}

/* One forward, one backward: a stage is ahead by as many micro-batches as stages follow. */
static bough_status add_stage(const pipeline *p) {
    const reader *r = p->r;
    uint64_t ahead = p->stages - 1 - p->stage, batches = r->batches;
    if (ahead > batches) ahead = batches;
    bough_status status = training_new_stage(p->t, r->in.error);
    TRY(add_forward(r, p->t, 0, p->first));
    for (uint64_t i = 0; i < batches + ahead && !status; i++) {
        if (i < batches) status = add_batch(p, i, true);
        if (i < ahead) continue;
        if (i == ahead) { /* before the first backward pass */
            TRY(add_forward(r, p->t, p->end, r->layers));
            TRY(add_backward(r, p->t, p->end, r->layers));
        }
        TRY(add_batch(p, i - ahead, false));
    }
    TRY(add_backward(r, p->t, 0, p->first));
    return status;
}

static bough_status add_stages(const reader *r, training *t) {
    pipeline p = {.r = r, .t = t, .stages = t->pipeline};
    bough_status status = BOUGH_OK;
    if (r->policy->order != ORDER_BLOCKING) return add_overlapping(r, t);
    if (t->pipeline == 1) {
        status = training_new_stage(t, r->in.error);
        TRY(add_forward(r, t, 0, r->layers));
        TRY(add_backward(r, t, 0, r->layers));
        return status;
    }
    status = find_batches(r, &p);
    for (; p.stage < p.stages && !status; p.stage++) status = add_stage(&p);
    return status;
}

/* ---- the whole ---- */

/* The groups of policies whose header does not tell them. */
static bough_status bind_dimensions(reader *r, const training_room *room) {
    const tensor_group tensor = r->others ? TENSOR_OTHERS : (tensor_group)r->policy->tensor;
    const uint64_t all = room->ranks ? room->ranks : r->all ? r->all : room->at_most;
    r->expert = r->stages = 0;
    r->all = all;
    r->others = tensor == TENSOR_OTHERS;
    r->tensor = tensor == TENSOR_ALL ? all : 1;
    if (tensor < TENSOR_FIRST || (r->policy->custom && !r->first && !r->others)) return BOUGH_OK;
    if (room->first < 2)
        return FAIL_HERE("%s divides ranks by the first dimension of the network, which the file does not "
                         "give; add first=RANKS",
                         r->policy->name);
    if (all % room->first)
        return FAIL_HERE("%" PRIu64 " ranks are not a multiple of the %" PRIu32 " of the first dimension",
                         all, room->first);
    r->tensor = r->others ? all / room->first : room->first;
    return BOUGH_OK;
}

static bough_status check_bottom(reader *r) {
    if (r->policy->order == ORDER_MICRO && r->layers != 1)
        return FAIL_HERE("%zu layers; MICRO runs the first one only, remove the others", r->layers);
    if (r->policy->bottom && r->bottom >= r->layers)
        return FAIL_HERE("the last layer of the bottom is %" PRIu64 "; there are %zu, counted from 0",
                         r->bottom, r->layers);
    return BOUGH_OK;
}

static bough_status bind_sizes(reader *r, const training_room *room, training *t) {
    const uint32_t at_most = room->at_most;
    if (r->policy->tensor != TENSOR_GIVEN) {
        bough_status status = bind_dimensions(r, room);
        TRY(check_bottom(r));
        if (status) return status;
    }
    uint64_t all = room->ranks ? room->ranks : r->all;
    t->tensor = (uint32_t)r->tensor;
    t->expert = r->expert ? (uint32_t)r->expert : 1;
    uint64_t stages = r->stages ? r->stages : 1, least = bough_mul(stages, r->tensor);
    if (!all && least <= at_most) all = at_most / least * least;
    if (all == 0)
        return FAIL_HERE("tensor groups of %" PRIu32 " in %" PRIu64
                         " stages need as many ranks, and there is space for %" PRIu32,
                         t->tensor, stages, at_most);
    if (all > UINT32_MAX / 2 || all % least)
        return FAIL_HERE("%" PRIu64 " ranks are not a multiple of the tensor groups of %" PRIu32
                         " in %" PRIu64 " stages",
                         all, t->tensor, stages);
    t->ranks = (uint32_t)all;
    t->pipeline = (uint32_t)stages;
    t->data = t->ranks / t->tensor / t->pipeline;
    t->data_first = r->others;
    if (r->expert > t->data || t->data % t->expert)
        return FAIL_HERE("expert groups of %" PRIu64 " do not divide data groups of %" PRIu32, r->expert,
                         t->data);
    return BOUGH_OK;
}

bough_status training_read_simai(const bough_input *input, const training_room *room, training *t,
                                 bough_error *error) {
    reader r = {.in.error = error};
    bough_status status = bough_input_single(input, "SimAI workload", error);
    TRY(read_piece(&r, &input->piece[0]));
    if (!status) r.in.line = 1;
    TRY(bind_sizes(&r, room, t));
    TRY(bind_marks(&r));
    TRY(add_stages(&r, t));
    FREE_ALL(r.layer, r.marked[0], r.marked[1]);
    TRY(arena_copy(&t->memory, &t->file, input->piece[0].name, error));
    return status;
}
