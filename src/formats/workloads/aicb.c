/* AICB workloads (github.com/aliyun/aicb): CSV with one line per collective of a rank, in order. A line in
 * brackets names the ranks, `[rank0 ~ rank127]` for all or `[ pp_stage0: [rank0, ..] ]` for a pipeline stage;
 * the column names follow. msg_size is the size after an allgather and before a reducescatter. epoch_end
 * lines separate the set-up and the steps. */
#include "formats/workloads/training_step.h"

#include "base/status/try.h"
#include "base/text/csv_reader.h"
#include "base/text/spec.h"
#include "base/text/text.h"

#include <inttypes.h>
#include <string.h>

enum { TYPE, GROUP, GROUP_SIZE, SIZE, SRC, MORE, COUNT, COLUMNS };
static const char *const column_name[COLUMNS] = {
    "comm_type", "comm_group", "comm_group_size", "msg_size", "src", "additional", "count"};
enum { RANKS_MAX = 1 << 24, REPEATS_MAX = 1 << 20 };

typedef struct reader {
    csv_reader csv;
    uint32_t line;                  /* of the last row */
    int column[COLUMNS];            /* position of each column; -1: missing */
    int columns;                    /* 0: before the column names */
    uint32_t epoch, wanted, epochs; /* of this stage; epochs: maximum over stages */
    uint32_t size[TRAINING_GROUPS]; /* of groups; 0: unknown */
    uint64_t size_line[TRAINING_GROUPS];
    training *t;
} reader;

/* ---- lines in brackets ---- */

/* Finds the smallest and largest number after "rank", and their count. */
static void ranks_named(const char *p, const char *end, uint64_t *least, uint64_t *most, uint64_t *count) {
    *least = UINT64_MAX;
    *most = *count = 0;
    for (; p + 5 <= end; p++) {
        uint64_t rank = 0;
        if (memcmp(p, "rank", 4) != 0 || p[4] < '0' || p[4] > '9') continue;
        for (p += 4; p < end && *p >= '0' && *p <= '9'; p++)
            if (rank < UINT32_MAX) rank = 10 * rank + (uint64_t)(*p - '0');
        if (rank < *least) *least = rank;
        if (rank > *most) *most = rank;
        ++*count;
        p--;
    }
}

static bough_status end_of_stage(reader *r) {
    if (r->t->stages && r->epochs <= r->wanted)
        return scan_fail(&r->csv.in,
                         "epoch %" PRIu32 " does not exist; there are %" PRIu32
                         " (0 is the set-up, 1 the first step)",
                         r->wanted, r->epochs);
    return BOUGH_OK;
}

static bough_status read_head(reader *r, const char *line, const char *end) {
    uint64_t least, most, count;
    bool all = memchr(line, '~', (size_t)(end - line));
    bough_status status = end_of_stage(r);
    if (status) return status;
    ranks_named(line, end, &least, &most, &count);
    if (count == 0) return scan_fail(&r->csv.in, "no ranks; expected [rank0 ~ rank7] or a list of ranks");
    if (most >= RANKS_MAX) return scan_fail(&r->csv.in, "rank %" PRIu64 " is beyond 2^24", most);
    if (least != r->t->ranks)
        return scan_fail(&r->csv.in,
                         "these ranks start at %" PRIu64 ", but the preceding stages end at %" PRIu32
                         "; stages have consecutive ranks, tensor fastest, then data",
                         least, r->t->ranks);
    if (!all && most - least + 1 != count)
        return scan_fail(&r->csv.in,
                         "%" PRIu64 " rank%s from %" PRIu64 " to %" PRIu64
                         "; the ranks of a stage must be consecutive",
                         count, bough_s(count), least, most);
    if (r->t->stages && (most - least + 1) * r->t->stages != r->t->ranks)
        return scan_fail(&r->csv.in, "%" PRIu64 " rank%s, but the preceding stages have %" PRIu32 " each",
                         most - least + 1, bough_s(most - least + 1), (uint32_t)(r->t->ranks / r->t->stages));
    r->t->ranks = (uint32_t)most + 1;
    r->columns = 0;
    r->epoch = r->epochs = 0;
    return training_new_stage(r->t, r->csv.in.error);
}

static bough_status read_columns(reader *r) {
    char *const *cell = r->csv.cell;
    const int cells = (int)r->csv.cells;
    for (int c = 0; c < COLUMNS; c++) {
        r->column[c] = -1;
        for (int i = 0; i < cells; i++)
            if (strcmp(cell[i], column_name[c]) == 0) r->column[c] = i;
        if (r->column[c] < 0 && c <= SIZE)
            return scan_fail(&r->csv.in,
                             "missing column %s; expected comm_type,comm_group,comm_group_size,msg_size,...",
                             column_name[c]);
    }
    r->columns = cells;
    return BOUGH_OK;
}

/* ---- lines ---- */

static const struct {
    const char *name;
    training_what what;
} types[] = {
    {"all_reduce", TRAINING_ALLREDUCE},
    {"all_gather", TRAINING_ALLGATHER},
    {"all_gather_into_tensor", TRAINING_ALLGATHER},
    {"reduce_scatter", TRAINING_REDUCESCATTER},
    {"reduce_scatter_tensor", TRAINING_REDUCESCATTER},
    {"all_to_all", TRAINING_ALLTOALL},
    {"broadcast", TRAINING_BROADCAST},
    {"reduce", TRAINING_REDUCE},
    {"barrier", TRAINING_BARRIER},
    {"isend", TRAINING_SEND},
    {"irecv", TRAINING_RECV},
};

static const struct {
    const char *name;
    training_group group;
} groups[] = {
    {"tp_group", TRAINING_TENSOR},
    {"dp_group", TRAINING_DATA},
    {"pp_group", TRAINING_PIPELINE},
    {"ep_group", TRAINING_EXPERT},
    {"all", TRAINING_ALL},
    {"ep_dp_group", TRAINING_EXPERT_DATA},
    {"embedding_group", TRAINING_EMBEDDING},
};

/* The word after "CommType." or "CommGroup.". */
static const char *bare(const char *text) {
    const char *dot = strrchr(text, '.');
    return dot ? dot + 1 : text;
}

static bough_status read_number(reader *r, const char *text, int column, uint64_t most, uint64_t *value) {
    return scan_whole(&r->csv.in, text, column_name[column], most, value);
}

static bough_status read_type(reader *r, const char *text, training_item *item) {
    const char *names[sizeof types / sizeof *types];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(bare(text), types[i].name) == 0) {
            item->what = types[i].what;
            return BOUGH_OK;
        }
        names[i] = types[i].name;
    }
    char hint[BOUGH_HINT_MAX];
    return scan_fail(&r->csv.in, "unknown comm_type '%.40s'%s", text,
                     bough_hint(hint, bare(text), names, sizeof types / sizeof *types));
}

/* Reads the group, whose size must be the same on all lines. */
static bough_status read_group(reader *r, const char *text, const char *size, training_item *item) {
    uint64_t n;
    bough_status status;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (strcmp(bare(text), groups[i].name) != 0) continue;
        training_group g = groups[i].group;
        item->group = g;
        if (item->what >= TRAINING_COLLECTIVES) return BOUGH_OK; /* the size is 1 there */
        status = read_number(r, size, GROUP_SIZE, RANKS_MAX, &n);
        if (status) return status;
        if (n == 0) return scan_fail(&r->csv.in, "a group must have ranks");
        if (r->size[g] && r->size[g] != n)
            return scan_fail(&r->csv.in, "%s has %" PRIu64 " rank%s here and %" PRIu32 " in line %" PRIu64,
                             groups[i].name, n, bough_s(n), r->size[g], r->size_line[g]);
        r->size[g] = (uint32_t)n;
        r->size_line[g] = r->csv.in.line;
        return BOUGH_OK;
    }
    return scan_fail(
        &r->csv.in,
        "unknown comm_group '%.40s'; expected tp_group, dp_group, pp_group, ep_group, ep_dp_group, "
        "embedding_group, all",
        text);
}

/* The stage to which a message goes, or from which it comes. */
static bough_status read_towards(reader *r, const char *more, training_item *item) {
    bool send = item->what == TRAINING_SEND;
    item->next = strcmp(more, send ? "send_next" : "recv_next") == 0;
    if (item->group != TRAINING_PIPELINE)
        return scan_fail(&r->csv.in, "%s outside of pp_group", send ? "isend" : "irecv");
    if (item->next || strcmp(more, send ? "send_prev" : "recv_prev") == 0) return BOUGH_OK;
    return scan_fail(&r->csv.in, "additional '%.40s' does not name a stage; expected %s", more,
                     send ? "send_next or send_prev" : "recv_next or recv_prev");
}

static bough_status read_item(reader *r, char *const *cell) {
    training_item item = {.line = r->csv.in.line};
    const char *count = r->column[COUNT] >= 0 ? cell[r->column[COUNT]] : "1";
    const char *src = r->column[SRC] >= 0 ? cell[r->column[SRC]] : "None";
    uint64_t times = 1, root = 0;
    bough_status status = read_type(r, cell[r->column[TYPE]], &item);
    TRY(read_group(r, cell[r->column[GROUP]], cell[r->column[GROUP_SIZE]], &item));
    if (!status && item.what >= TRAINING_SEND)
        status = read_towards(r, r->column[MORE] >= 0 ? cell[r->column[MORE]] : "", &item);
    TRY(read_number(r, cell[r->column[SIZE]], SIZE, UINT64_C(1) << 50, &item.size));
    if (!status && *count && strcmp(count, "None") != 0)
        status = read_number(r, count, COUNT, REPEATS_MAX, &times);
    if (!status && item.what == TRAINING_BROADCAST && *src && strcmp(src, "None") != 0)
        status = read_number(r, src, SRC, RANKS_MAX, &root);
    if (!status && item.what == TRAINING_BROADCAST && root >= r->size[item.group])
        status = scan_fail(&r->csv.in, "src %" PRIu64 " in a group of %" PRIu32, root, r->size[item.group]);
    item.root = (uint32_t)root;
    for (uint64_t i = 0; i < times && !status; i++) status = training_add(r->t, item, r->csv.in.error);
    return status;
}

static bough_status read_row(reader *r) {
    const csv_reader *csv = &r->csv;
    r->line = csv->in.line;
    char *const *cell = csv->cell;
    const int cells = csv->cells < INT32_MAX ? (int)csv->cells : INT32_MAX;
    if (*csv->in.at == '[') return read_head(r, csv->in.at, csv->in.stop);
    if (!r->t->stages)
        return scan_fail(&r->csv.in, "expected a line in brackets with the ranks, as in [rank0 ~ rank7]");
    if (!r->columns) return read_columns(r);
    for (int c = 0; c < COLUMNS; c++)
        if (r->column[c] >= cells)
            return scan_fail(&r->csv.in, "%d cells; the columns require %d", cells, r->column[c] + 1);
    if (strcmp(bare(cell[r->column[TYPE]]), "epoch_end") == 0) {
        r->epochs = ++r->epoch;
        return BOUGH_OK;
    }
    if (r->epoch != r->wanted) return BOUGH_OK;
    r->epochs = r->epoch + 1;
    return read_item(r, cell);
}

/* The dimensions from the group sizes must multiply to the number of ranks. */
static bough_status bind_sizes(reader *r) {
    training *t = r->t;
    t->pipeline = (uint32_t)t->stages;
    t->tensor = r->size[TRAINING_TENSOR] ? r->size[TRAINING_TENSOR] : 1;
    t->expert = r->size[TRAINING_EXPERT] ? r->size[TRAINING_EXPERT] : 1;
    uint64_t each = t->ranks / t->pipeline;
    t->data = r->size[TRAINING_DATA] ? r->size[TRAINING_DATA] : (uint32_t)(each / t->tensor);
    if ((uint64_t)t->tensor * t->data != each)
        return scan_fail(&r->csv.in,
                         "tensor groups of %" PRIu32 " and data groups of %" PRIu32
                         " do not multiply to the %" PRIu64 " ranks of a stage",
                         t->tensor, t->data, each);
    if (t->data % t->expert != 0)
        return scan_fail(&r->csv.in, "expert groups of %" PRIu32 " do not divide data groups of %" PRIu32,
                         t->expert, t->data);
    uint64_t experts = r->size[TRAINING_EXPERT_DATA], all = r->size[TRAINING_ALL];
    if (experts && experts != t->data / t->expert)
        return scan_fail(&r->csv.in,
                         "ep_dp_group has %" PRIu64 " rank%s, expected data %" PRIu32 " / expert %" PRIu32,
                         experts, bough_s(experts), t->data, t->expert);
    if (all && all != t->ranks)
        return scan_fail(&r->csv.in, "the group of all has %" PRIu64 " rank%s of %" PRIu32, all, bough_s(all),
                         t->ranks);
    if (r->size[TRAINING_EMBEDDING] > 1 && (r->size[TRAINING_EMBEDDING] != 2 || t->pipeline == 1))
        return scan_fail(&r->csv.in,
                         "embedding_group has %" PRIu32 " rank%s in %" PRIu32
                         " stage%s; it is of the first and the last one of several",
                         r->size[TRAINING_EMBEDDING], bough_s(r->size[TRAINING_EMBEDDING]), t->pipeline,
                         bough_s(t->pipeline));
    if (r->size[TRAINING_PIPELINE] && r->size[TRAINING_PIPELINE] != t->pipeline)
        return scan_fail(&r->csv.in, "pp_group has %" PRIu32 " rank%s, but there are %" PRIu32 " stage%s",
                         r->size[TRAINING_PIPELINE], bough_s(r->size[TRAINING_PIPELINE]), t->pipeline,
                         bough_s(t->pipeline));
    return BOUGH_OK;
}

/* The first stage takes part in the collectives of the embedding group after all of its own. */
static bough_status add_embedding(training *t, bough_error *error) {
    const training_stage *last = &t->stage[t->stages - 1];
    training_stage *first = &t->stage[0];
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < first->count && t->stages > 1; i++)
        if (first->item[i].group == TRAINING_EMBEDDING) return BOUGH_OK; /* listed there */
    for (size_t i = 0; i < last->count && t->stages > 1 && !status; i++) {
        if (last->item[i].group != TRAINING_EMBEDDING) continue;
        status = arena_grow(&t->memory, &first->item, first->count + 1, sizeof *first->item, error);
        if (!status) first->item[first->count++] = last->item[i];
    }
    return status;
}

bough_status training_read_aicb(const bough_input *input, uint32_t epoch, training *t, bough_error *error) {
    reader reads = {.wanted = epoch, .t = t, .csv.in.error = error}, *r = &reads;
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < input->count && !status; i++) {
        csv_open(&r->csv, input->piece[i].name, input->piece[i].data, input->piece[i].size);
        r->line = 0;
        while (!status && !(status = csv_row(&r->csv)) && r->csv.cells) status = read_row(r);
        r->csv.in.line = status ? r->csv.in.line : r->line;
    }
    csv_close(&r->csv);
    TRY(end_of_stage(r));
    if (!status && !t->stages)
        status =
            scan_fail(&r->csv.in, "the file names no ranks; expected a line in brackets, as [rank0 ~ rank7]");
    TRY(bind_sizes(r));
    TRY(add_embedding(t, error));
    TRY(arena_copy(&t->memory, &t->file, input->piece[0].name, error));
    return status;
}
