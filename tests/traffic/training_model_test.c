/* Steps made from a description of a model: what is refused, operations and bytes by hand, and times against
 * recursions over the order of passes, which share nothing with the schedule. */
#include "support/points.h"
#include "traffic/training/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bough_status read_text(const char *text, training_model *m, bough_error *error) {
    bough_input input;
    *error = (bough_error){0};
    if (bough_input_from("step.yaml", text, strlen(text), &input, error)) fail_msg("%s", error->reason);
    bough_status status = training_read_model(&input, m, error);
    bough_input_fini(&input);
    return status;
}

static training_model model_of(const char *text) {
    training_model m;
    bough_error error;
    if (read_text(text, &m, &error)) fail_msg("%s: %s", error.place, error.reason);
    return m;
}

static void refused(const char *text, const char *place, const char *reason) {
    training_model m;
    bough_error error;
    bough_status status = read_text(text, &m, &error);
    if (status != BOUGH_INVALID || strcmp(error.place, place) != 0 || !strstr(error.reason, reason) ||
        strchr(error.reason, '\n'))
        fail_msg("status %d, '%s: %s', expected '%s: %s'", status, error.place, error.reason, place, reason);
}

#define SMALL "model: {layers: 4, hidden: 512, heads: 8, kv_heads: 4, ffn: 1536, vocab: 4096, seq: 256}\n"
#define GPU   "gpu: {flops: 1e12, efficiency: 0.5, memory_bandwidth: 1e16}\n"
#define BATCH "batch: {global: 16}\n"

static void wrong_descriptions_are_refused(void **state) {
    (void)state;
    refused("", "step.yaml:1", "expected names and values");
    refused("[1]\n", "step.yaml:1", "expected names and values");
    refused("model: [1]\n", "step.yaml:1", "found a list");
    refused("model: {layers: {a: 1}}\n", "step.yaml:1", "found a mapping");
    refused("batch: {global: 8\n", "step.yaml:2", "not valid YAML");
    refused(SMALL "? [a]\n: b\n", "step.yaml:2", "expected a key");
    refused(SMALL SMALL, "step.yaml:2", "duplicate key 'layers' (first in line 1)");
    refused(SMALL "---\na: b\n", "step.yaml:3", "a second document");
    refused("modle: x\n", "step.yaml:1", "did you mean 'model'");
    refused("modle: {layers: 3}\n", "step.yaml:1", "did you mean 'model'");
    refused("model: {layer: 3}\n", "step.yaml:1", "did you mean 'layers'");
    refused("model: llama3-70\n", "step.yaml:1", "did you mean 'llama3-70b'");
    refused("batch: 8\n", "step.yaml:1", "expected a mapping");
    refused(SMALL BATCH, "step.yaml", "gpu.flops is missing, or a preset");
    refused(SMALL GPU, "step.yaml", "batch.global is missing");
    refused(SMALL GPU "batch: {global: x}\n", "step.yaml:3", "'x'; expected a whole number from 1");
    refused(SMALL GPU "batch: {global: 0}\n", "step.yaml:3", "'0'; expected a whole number from 1");
    refused(SMALL BATCH "gpu: {preset: h100, efficiency: 1.5}\n", "step.yaml:3", "from 0.001 to 1");
    refused(SMALL BATCH GPU "parallel: {sequence: maybe}\n", "step.yaml:4", "expected true or false");
    refused(SMALL BATCH GPU "parallel: {recompute: some}\n", "step.yaml:4", "none, selective or full");
    refused(SMALL BATCH GPU "parallel: {zero: 4}\n", "step.yaml:4", "from 0 to 3");
    refused(SMALL BATCH GPU "parallel: {data: 3}\n", "step.yaml:2", "not a multiple of parallel.data");
    refused(SMALL BATCH GPU "parallel: {tensor: 3}\n", "step.yaml:1", "not a multiple of parallel.tensor");
    refused(SMALL BATCH GPU "parallel: {pipeline: 8}\n", "step.yaml:1", "fewer than parallel.pipeline");
    refused(SMALL BATCH GPU "parallel: {interleave: 2}\n", "step.yaml:4", "nothing to interleave");
    refused(SMALL GPU "batch: {global: 3}\nparallel: {pipeline: 2, interleave: 2}\n", "step.yaml:4",
            "not a multiple of the pipeline stages");
    refused(SMALL BATCH GPU "parallel: {context: 3}\n", "step.yaml:1", "not a multiple of parallel.context");
    refused(SMALL BATCH GPU "parallel: {expert: 2, data: 2}\n", "step.yaml", "1 is not a multiple of");
    refused("model: {preset: mixtral-8x7b, top_k: 9}\n" BATCH GPU, "step.yaml:1", "more than model.experts");
    refused("model: mixtral-8x7b\n" BATCH GPU "parallel: {tensor: 2, expert: 2, data: 2}\n", "step.yaml:4",
            "need sequence: true");
}

/* ---- operations and bytes ---- */

typedef struct sums {
    double params, work;
} sums;

/* The parameters on all ranks of a data group, and the operations, of all chunks. */
static sums sum_up(const training_model *m, uint32_t merge) {
    sums all = {0};
    model_piece *piece = calloc(model_pieces_max(m), sizeof *piece);
    assert_non_null(piece);
    for (uint32_t c = 0; c < m->pipeline * m->interleave; c++) {
        uint32_t count = model_pieces(m, c, merge, piece);
        for (uint32_t i = 0; i < count; i++) {
            all.params += piece[i].params * m->tensor + piece[i].expert_params * m->tensor * m->expert;
            all.work += piece[i].core + piece[i].matrices;
        }
    }
    free(piece);
    return all;
}

static void presets_have_their_parameters(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double parameters, tolerance;
    } table[] = {
        {"llama3-8b", 8030261248.0, 0}, /* as counted in its published weights */
        {"llama3-70b", 70553706496.0, 0},
        {"llama3-405b", 405853388800.0, 0},
        {"mixtral-8x7b", 46702792704.0, 0},
        {"gpt3-175b", 174.6e9, 0.006}, /* without its biases and positions, but with a head of its own */
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[256];
        snprintf(text, sizeof text, "model: %s\n" BATCH "gpu: b200\n", table[i].name);
        training_model m = model_of(text);
        double have = sum_up(&m, 1).params;
        if (fabs(have / table[i].parameters - 1) > table[i].tolerance)
            fail_msg("%s: %.0f parameters, not %.0f", table[i].name, have, table[i].parameters);
    }
}

/* 6 operations for a parameter in a matrix and a token, and 6 s h for a layer of causal attention and a
 * token. */
static void six_operations_a_parameter(void **state) {
    (void)state;
    training_model m = model_of("model: llama3-70b\n" BATCH "gpu: h100\n");
    double tokens = 16.0 * 8192, unused = (double)m.vocab * m.hidden + (2.0 * m.layers + 1) * m.hidden;
    double want = 6 * tokens * (sum_up(&m, 1).params - unused) + 6 * tokens * m.layers * 8192.0 * 8192;
    assert_true(fabs(model_flops(&m) / want - 1) < 1e-12);
}

/* The pieces of all chunks of all ranks have the parameters and operations of the model, merged or not. */
static void pieces_add_up(void **state) {
    (void)state;
    training_model m =
        model_of("model: {preset: mixtral-8x7b, seq: 2048}\nbatch: {global: 64, micro: 2}\n"
                 "gpu: h100\nparallel: {tensor: 4, context: 2, data: 4, pipeline: 4, expert: 4, "
                 "interleave: 3, sequence: true}\n");
    training_model whole = model_of("model: {preset: mixtral-8x7b, seq: 2048}\n" BATCH "gpu: h100\n");
    const double parameters = sum_up(&whole, 1).params;
    for (uint32_t merge = 1; merge < 12; merge++) {
        sums all = sum_up(&m, merge);
        /* norms and routers are on all ranks of a tensor group */
        double copies = (m.tensor - 1.0) * m.hidden * (m.layers * (2.0 + m.experts) + 1);
        assert_true(fabs((all.params - copies) / parameters - 1) < 1e-12);
        all.work *= 3.0 * m.tensor * m.context * m.data * model_microbatches(&m);
        assert_true(fabs(all.work / model_flops(&m) - 1) < 1e-12);
    }
}

static bough_schedule *schedule_of(const training_model *m, uint32_t merge) {
    char file[] = "step.yaml";
    training t = {.file = file};
    bough_error error = {0};
    bough_schedule *s = NULL;
    training_options options = {"ring", 0, 1};
    if (training_from_model(m, merge, &t, &error)) fail_msg("%s", error.reason);
    if (training_schedule(&t, &options, &s, &error)) fail_msg("%s: %s", error.place, error.reason);
    arena_fini(&t.memory);
    assert_int_equal(s->sends, s->recvs);
    return s;
}

static double bytes_labelled(const bough_schedule *s, const char *label) {
    double sum = 0;
    for (uint32_t o = 0; o < s->ops; o++)
        if (s->op[o].kind == BOUGH_OP_SEND && strcmp(s->labels[s->op[o].label], label) == 0)
            sum += (double)s->op[o].size;
    return sum;
}

static void carries(const char *parallel, const char *label, double want) {
    char text[512];
    snprintf(text, sizeof text,
             "model: {layers: 4, hidden: 512, heads: 8, ffn: 1536, vocab: 4096, seq: 256, gated: false, "
             "experts: 4}"
             "\nbatch: {global: 64, micro: 2}\n" GPU "precision: {weights: 2, grads: 4}\nparallel: {%s}\n",
             parallel);
    training_model m = model_of(text);
    for (uint32_t merge = 1; merge < 12; merge += 5) {
        bough_schedule *s = schedule_of(&m, merge);
        double have = bytes_labelled(s, label);
        if (fabs(have - want) > 1e-3 * want)
            fail_msg("%s, merge=%u: %.0f bytes of %s, not %.0f", parallel, merge, have, label, want);
        bough_schedule_destroy(s);
    }
}

/* The bytes of each kind of parallelism: a ring over n ranks sends (n - 1) times the vector for an allgather
 * or reducescatter, twice that for an allreduce. */
static void bytes_by_hand(void **state) {
    (void)state;
    double act = 2.0 * 256 * 512 * 2, micro = 32, tensor = 3 * act;
    /* allreduces: 8 half layers forward and backward, after the embedding and before the head; no repeats */
    carries("tensor: 4, data: 4", "tensor", 18 * 2 * tensor * micro);
    /* 9 gathers and 9 scatters forward; backward each once more, and 9 inputs gathered again */
    carries("tensor: 4, data: 4, sequence: true", "tensor", (18 + 18 + 9) * tensor * micro);
    /* the 8 half layers again, not the embedding */
    carries("tensor: 4, data: 4, recompute: full", "tensor", (18 + 8) * 2 * tensor * micro);
    /* each of the 4 ranks of a tensor group sends a quarter up, and one down; 32 microbatches, 3 boundaries
     */
    carries("tensor: 4, pipeline: 4, sequence: true", "pipeline", 2 * 3 * act * micro + 4 * 6 * 8);
    carries("pipeline: 2, interleave: 2", "pipeline", 2 * 3 * act * micro + 2 * 8);
    /* keys and values: gathered forward and backward, their gradients scattered; 4 attentions */
    carries("context: 4", "context", 4 * 3 * 3 * 2 * act * micro);
    /* 4 feed-forward parts, to experts and back, forward and backward; the part of a rank stays */
    carries("data: 4, expert: 4", "expert", 4 * 4 * act * 3.0 / 4 * micro);

    double dense = 4 * (4.0 * 512 * 512 + 512 + 512 + 4 * 512) + 2.0 * 4096 * 512 + 512;
    double experts = 4 * 4 * 2.0 * 512 * 1536;
    carries("data: 4, expert: 1", "data", 3 * 2 * dense * 4);
    carries("data: 4, expert: 1", "expert data", 3 * 2 * experts * 4);
    carries("data: 4, expert: 2", "expert data", 2 * 2 * experts / 2 * 4);
    carries("data: 4, zero: 1", "data", 3 * dense * (4 + 2));
    carries("data: 4, zero: 1, overlap: false", "data", 3 * dense * (4 + 2));
    carries("data: 4, zero: 2", "data", 3 * dense * (4.0 * 8 + 2)); /* 8 microbatches */
    carries("data: 4, zero: 2, overlap: false", "data", 3 * dense * (4.0 * 8 + 2));
}

static double computes(const char *recompute, uint32_t merge) {
    char text[512];
    snprintf(text, sizeof text,
             "model: {layers: 4, hidden: 512, heads: 8, ffn: 1536, vocab: 65536, seq: 256, gated: false, "
             "causal: false}\nbatch: {global: 8, micro: 2}\n" GPU "parallel: {pipeline: 2, recompute: %s}\n",
             recompute);
    training_model m = model_of(text);
    bough_schedule *s = schedule_of(&m, merge);
    double ns = 0;
    for (uint32_t o = 0; o < s->ops; o++) ns += s->op[o].kind == BOUGH_OP_CALC ? (double)s->op[o].size : 0;
    bough_schedule_destroy(s);
    return ns / 1e9;
}

/* recompute: full repeats the forward pass of layers, not the large output layer; selective, attention. */
static void repeats_layers(void **state) {
    (void)state;
    double tokens = 8 * 256, core = 4 * tokens * 256 * 512,
           matrices = 2 * tokens * (4 * 512 * 512 + 2 * 512 * 1536);
    for (uint32_t merge = 1; merge < 7; merge++) {
        double none = computes("none", merge), full = computes("full", merge) - none,
               selective = computes("selective", merge) - none;
        if (fabs(full / (4 * (core + matrices) / 0.5e12) - 1) > 1e-3) fail_msg("full: %g s more", full);
        if (fabs(selective / (4 * core / 0.5e12) - 1) > 1e-3) fail_msg("selective: %g s more", selective);
    }
}

/* ---- times ---- */

#define FREE_HOSTS "o=0ns,g=0ns,O=0ps,S=0"

typedef struct timing {
    double time, compute, wait; /* seconds */
} timing;

static timing run(const char *text, const char *options, const char *net, const char *method) {
    char spec[256];
    FILE *f = fopen("training_model.yaml", "w");
    if (!f || fputs(text, f) < 0 || fclose(f)) fail_msg("cannot write training_model.yaml");
    snprintf(spec, sizeof spec, "train:training_model.yaml,%s", options);
    bough_point p = point_make(net, "dmodk", spec);
    bough_rows rows = rows_of(&p, method);
    assert_int_equal(rows.outcome, BOUGH_RUN_OK);
    timing t = {.time = row_value(&rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX)};
    for (size_t i = 0; i < rows.count; i++) {
        if (rows.row[i].metric == BOUGH_METRIC_LABEL_COMPUTE) t.compute += rows.row[i].value;
        if (rows.row[i].metric == BOUGH_METRIC_LABEL_WAIT) t.wait += rows.row[i].value;
    }
    bough_rows_fini(&rows);
    point_free(&p);
    return t;
}

/* Up to the update of parameters, some 10 ns here, and computations in whole nanoseconds. */
static void near(const char *what, double have, double want) {
    if (fabs(have - want) > 1e-7 + 1e-6 * want) fail_msg("%s: %.12g s, not %.12g", what, have, want);
}

/* Seconds, in whole nanoseconds, of operations on the GPU of these tests. */
static double work(double operations) {
    return floor(operations / 0.5e12 * 1e9 + 0.5) / 1e9;
}

/* Passes of SMALL: [attention, feed-forward, head]; backward they take twice as long, in two parts. */
typedef struct durations {
    double forward[3], backward[3];
} durations;

static durations durations_of(double tensor) {
    double s = 256, h = 512, kv = 256;
    double matrices[3] = {2 * s * (2 * h * h + 2 * h * kv), 2 * s * 3 * h * 1536, 2 * s * h * 4096};
    double core = 4 * s * s * h / 2;
    durations d;
    for (int i = 0; i < 3; i++) {
        double c = i == 0 ? core : 0;
        d.forward[i] = work((matrices[i] + c) / tensor);
        d.backward[i] = work((matrices[i] + 2 * c) / tensor) + work(matrices[i] / tensor);
    }
    return d;
}

enum { MOST = 4096 };

typedef struct slot {
    uint32_t micro, chunk; /* of the model */
    bool forward;
    double end;
} slot;

/* The passes of a stage, from the description of the orders: forward passes of p microbatches through one
 * chunk after the other, backward ones through the chunks in reverse; `ahead` forward passes first, then both
 * in turn. */
static uint32_t list_slots(uint32_t stage, uint32_t p, uint32_t v, uint32_t m, slot *out) {
    slot up[MOST], down[MOST];
    uint32_t n = 0, count = 0, group = v > 1 ? p : m;
    for (uint32_t first = 0; first < m; first += group)
        for (uint32_t c = 0; c < v; c++)
            for (uint32_t i = first; i < first + group; i++, n++) {
                up[n] = (slot){.micro = i, .chunk = stage + p * c, .forward = true};
                down[n] = (slot){.micro = i, .chunk = stage + p * (v - 1 - c)};
            }
    uint32_t ahead = v > 1 ? 2 * (p - 1 - stage) + (v - 1) * p : p - 1 - stage;
    for (uint32_t u = 0, d = 0; d < n;) {
        while (u < n && u < d + ahead + 1) out[count++] = up[u++];
        out[count++] = down[d++];
    }
    return count;
}

static double end_of(slot *const *stage, uint32_t p, uint32_t count, slot want) {
    const slot *s = stage[want.chunk % p];
    for (uint32_t i = 0; i < count; i++)
        if (s[i].micro == want.micro && s[i].chunk == want.chunk && s[i].forward == want.forward)
            return s[i].end;
    fail_msg("no such pass");
    return 0;
}

/* Repeats until no end changes. */
static double pipeline_time(uint32_t p, uint32_t v, uint32_t m, double latency) {
    slot *stage[8];
    durations d = durations_of(1);
    uint32_t count = 0, chunks = p * v, layers = 4 / chunks;
    for (uint32_t s = 0; s < p; s++) {
        stage[s] = calloc(MOST, sizeof **stage);
        count = list_slots(s, p, v, m, stage[s]);
    }
    double last = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t s = 0; s < p; s++)
            for (uint32_t i = 0; i < count; i++) {
                slot *x = &stage[s][i], from = *x;
                double start = i ? stage[s][i - 1].end : 0, come = 0;
                from.chunk += x->forward ? -1u : 1u;
                if (x->forward ? x->chunk > 0 : x->chunk + 1 < chunks)
                    come = end_of(stage, p, count, from) + latency;
                const double *of = x->forward ? d.forward : d.backward;
                double takes = layers * (of[0] + of[1]) + (x->chunk + 1 == chunks ? of[2] : 0);
                double end = fmax(start, come) + takes;
                changed |= end > x->end + 1e-15;
                x->end = end;
                last = fmax(last, end);
            }
    }
    for (uint32_t s = 0; s < p; s++) free(stage[s]);
    return last;
}

static void pipelines_take_their_time(void **state) {
    (void)state;
    static const uint32_t shape[][3] = {{1, 1, 4}, {2, 1, 1}, {2, 1, 16}, {4, 1, 2},
                                        {4, 1, 9}, {2, 2, 2}, {2, 2, 6},  {2, 2, 8}};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        for (int slow = 0; slow < 2; slow++) {
            char text[512], options[128];
            uint32_t p = shape[i][0], v = shape[i][1], m = shape[i][2];
            double latency = slow ? 500e-6 : 1e-9;
            snprintf(text, sizeof text,
                     SMALL GPU "batch: {global: %u}\nparallel: {pipeline: %u, interleave: %u}\n", m, p, v);
            snprintf(options, sizeof options, FREE_HOSTS ",L=%s,G=0ps,merge=1", slow ? "500us" : "1ns");
            timing t = run(text, options, "xgft:down=4,up=1", "loggops");
            /* at the end the norm of the gradients goes around */
            near(text, t.time, pipeline_time(p, v, m, latency) + 2 * (p - 1) * latency);
        }
}

/* Without a head that slows the last stage, the bubble is (p - 1) of the m + p - 1 passes: nearly so here,
 * where the vocabulary is one word. */
static void bubble_by_hand(void **state) {
    (void)state;
    for (uint32_t m = 1; m < 20; m += 6) {
        char text[512];
        snprintf(text, sizeof text,
                 "model: {layers: 8, hidden: 512, heads: 8, ffn: 1536, vocab: 1, seq: 256}\n" GPU
                 "batch: {global: %u}\nparallel: {pipeline: 4}\n",
                 m);
        timing t = run(text, FREE_HOSTS ",L=0ns,G=0ps", "xgft:down=4,up=1", "loggops");
        assert_true(fabs(t.time / t.compute / ((m + 3.0) / m) - 1) < 1e-3);
        near("compute and waiting", t.compute + t.wait, t.time);
    }
}

/* Tensor groups on one switch: a ring takes 3/4 of the vector, and of the backward exchanges one covers the
 * gradient of the input and one that of the weights. */
static void tensor_exchanges_are_exposed(void **state) {
    (void)state;
    for (int fast = 0; fast < 2; fast++) {
        const char *rate = fast ? "100Gb/s" : "1Gb/s";
        char method[64];
        double ring = 0.75 * 256 * 512 * 2 * 8 / (fast ? 100e9 : 1e9), want = 2 * ring; /* the embedding */
        double s = 256, h = 512,
               m[3] = {2 * s * (2 * h * h + 2 * h * 256), 2 * s * 3 * h * 1536, 2 * s * h * 4096};
        durations d = durations_of(4);
        for (int i = 0; i < 3; i++) {
            double weights = work(m[i] / 4), input = d.backward[i] - weights;
            double backward = (i < 2 ? ring : 0) + fmax(ring, input) + fmax(ring, weights);
            want += (i < 2 ? 4 : 1) * ((i < 2 ? 2 : 1) * ring + d.forward[i] + backward);
        }
        snprintf(method, sizeof method, "flow:delay=0ps,ideal=0,rate=%s", rate);
        timing t = run(SMALL GPU "batch: {global: 1}\nparallel: {tensor: 4, sequence: true}\n", FREE_HOSTS,
                       "xgft:down=4,up=1", method);
        near(rate, t.time, want);
        near("compute and waiting", t.compute + t.wait, t.time);
    }
}

/* ---- overlap: latencies only, two replicas ---- */

static const int order[] = {3, 0, 1, 0, 1, 0, 1, 0, 1, 2}; /* embedding, 4 layers, head */
enum { PIECES = sizeof order / sizeof *order };

static double takes(const durations *d, uint32_t i, bool forward) {
    return order[i] == 3 ? 0 : (forward ? d->forward : d->backward)[order[i]];
}

static void gradients_overlap(void **state) {
    (void)state;
    durations d = durations_of(1);
    for (int slow = 0; slow < 2; slow++) {
        double latency = slow ? 20e-3 : 100e-6, now = 0, sent = 0, late;
        for (int micro = 0; micro < 2; micro++) {
            for (uint32_t i = 0; i < PIECES; i++) now += takes(&d, i, true);
            for (uint32_t i = PIECES; i-- > 0;) {
                now += takes(&d, i, false);
                if (micro == 1) sent = fmax(sent, now) + 2 * latency; /* allreduce of two */
            }
        }
        late = now + 2 * latency;
        char options[128], text[512];
        snprintf(options, sizeof options, FREE_HOSTS ",G=0ps,merge=3,L=%s", slow ? "20ms" : "100us");
        snprintf(text, sizeof text, SMALL GPU "batch: {global: 4}\nparallel: {data: 2}\n");
        near("overlap", run(text, options, "xgft:down=2,up=1", "loggops").time, fmax(now, sent));
        snprintf(text, sizeof text, SMALL GPU "batch: {global: 4}\nparallel: {data: 2, overlap: false}\n");
        near("no overlap", run(text, options, "xgft:down=2,up=1", "loggops").time, late);
    }
}

/* Weights come one piece ahead, where the previous piece is another; gradients leave every microbatch. */
static void weights_come_ahead(void **state) {
    (void)state;
    durations d = durations_of(1);
    for (int slow = 0; slow < 2; slow++) {
        double latency = slow ? 20e-3 : 100e-6, now = 0, before = 0, here = 0, sent = 0;
        uint32_t last = UINT32_MAX, visit = 0;
        for (int pass = 0; pass < 4; pass++)
            for (uint32_t k = 0; k < PIECES; k++) {
                bool forward = pass % 2 == 0;
                uint32_t i = forward ? k : PIECES - 1 - k;
                if (i != last)
                    here = fmax(here, visit ? before : 0) + latency; /* begun with the previous visit */
                double start = fmax(now, here);
                before = start;
                now = start + takes(&d, i, forward);
                if (!forward) sent = fmax(sent, now) + latency;
                last = i;
                visit++;
            }
        char options[128];
        snprintf(options, sizeof options, FREE_HOSTS ",G=0ps,merge=1,L=%s", slow ? "20ms" : "100us");
        timing t = run(SMALL GPU "batch: {global: 4}\nparallel: {data: 2, zero: 3}\n", options,
                       "xgft:down=2,up=1", "loggops");
        near("ZeRO-3", t.time, fmax(now, sent));
    }
}

/* ---- merging ---- */

/* Merged items have the same bytes and operations, but fewer messages, and an exchange covers a sum instead
 * of each term: the time may differ by the latency of the messages left out, and by what covers what. */
static void merging_changes_little(void **state) {
    (void)state;
    static const char *const parallel[] = {"tensor: 2, pipeline: 2, data: 2, sequence: true, zero: 1",
                                           "tensor: 2, pipeline: 2, data: 2", "tensor: 4, data: 2, zero: 2"};
    for (size_t i = 0; i < sizeof parallel / sizeof *parallel; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 SMALL "gpu: {flops: 1e13, efficiency: 0.5, memory_bandwidth: 1e12}\n"
                       "batch: {global: 32}\nparallel: {%s}\n",
                 parallel[i]);
        timing whole = run(text, "merge=1", "xgft:down=4x2,up=1x4", "flow:ideal=0");
        for (int merge = 2; merge < 11; merge += 4) {
            char options[32];
            snprintf(options, sizeof options, "merge=%d", merge);
            timing merged = run(text, options, "xgft:down=4x2,up=1x4", "flow:ideal=0");
            /* of a rank: 16 microbatches, 10 pieces, 6 exchanges of 3 steps of two overheads and four links
             */
            double latency = 16 * 10 * 6 * 3 * (2 * 1.5e-6 + 4e-7);
            near("compute", merged.compute, whole.compute);
            if (fabs(merged.time - whole.time) > latency || merged.time > whole.time * 1.02)
                fail_msg("%s, merge=%d: %g s, not %g", parallel[i], merge, merged.time, whole.time);
        }
    }
}

static void large_steps_are_merged(void **state) {
    (void)state;
    training_model m = model_of("model: llama3-70b\nbatch: {global: 1024}\ngpu: h100\n"
                                "parallel: {tensor: 8, pipeline: 8, data: 8, sequence: true, zero: 1}\n");
    uint32_t merge = training_model_merge(&m, 12e6, 1);
    assert_true(merge > 1 && training_model_size(&m, merge, 1) <= 12e6 &&
                training_model_size(&m, merge - 1, 1) > 12e6);
    m.global = 64;
    bough_schedule *s = schedule_of(&m, 4);
    if (s->ops > training_model_size(&m, 4, 1))
        fail_msg("%u operations, at most %g expected", s->ops, training_model_size(&m, 4, 1));
    bough_schedule_destroy(s);
}

static uint64_t sends_of(const bough_net *net, const char *options) {
    char spec[400];
    bough_traffic *t;
    bough_error error;
    snprintf(spec, sizeof spec, "train:" SOURCE_DIR "/examples/training/llama3-8b-fsdp.yaml,merge=16,%s",
             options);
    if (bough_traffic_create(net, spec, &t, &error)) fail_msg("%s: %s", spec, error.reason);
    uint64_t sends = t->workload->schedule->sends;
    bough_traffic_destroy(t);
    return sends;
}

/* 64 ranks on 8 nodes: 7 + 7 steps of a ring instead of 63. */
static void groups_know_their_nodes(void **state) {
    (void)state;
    bough_net *net;
    bough_error error;
    assert_int_equal(bough_net_create("xgft:down=64,up=1", &net, &error), BOUGH_OK);
    uint64_t ring = sends_of(net, "algo=ring,gpus=8,rails=8");
    assert_true(ring > 0);
    assert_int_equal(sends_of(net, "gpus=1"), ring);
    assert_int_equal(sends_of(net, "gpus=8,rails=8") * 63, ring * 14);
    bough_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_know_their_nodes),
        cmocka_unit_test(wrong_descriptions_are_refused),
        cmocka_unit_test(presets_have_their_parameters),
        cmocka_unit_test(six_operations_a_parameter),
        cmocka_unit_test(pieces_add_up),
        cmocka_unit_test(bytes_by_hand),
        cmocka_unit_test(repeats_layers),
        cmocka_unit_test(pipelines_take_their_time),
        cmocka_unit_test(bubble_by_hand),
        cmocka_unit_test(tensor_exchanges_are_exposed),
        cmocka_unit_test(gradients_overlap),
        cmocka_unit_test(weights_come_ahead),
        cmocka_unit_test(merging_changes_little),
        cmocka_unit_test(large_steps_are_merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
