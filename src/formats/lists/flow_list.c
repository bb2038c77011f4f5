#include "formats/lists/flow_list.h"

#include "base/memory/index_map.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/scanner.h"
#include "base/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 1 << 28 };

typedef struct reader {
    scanner in;
    uint64_t unit;
    uint64_t flows, triggers; /* as announced in the header */
    uint32_t nodes;           /* overrides the file; 0: no override */
    bool head;                /* Nodes, or the number of flows, was read */
    uint64_t priority;        /* of the first flow */
    bough_index_map trigger;  /* by id: its index */
    flow_list *l;
} reader;

void flow_list_fini(flow_list *l) {
    FREE_ALL(l->flow, l->trigger);
    *l = (flow_list){0};
}

enum { WORD = 64 };

/* Words are separated by blanks and commas. */
static bool next_word(reader *r, char word[WORD]) {
    return scan_next(&r->in, " \t\r,", word, WORD);
}

/* Starts may be fractional. */
static bough_status read_start(reader *r, const char *text, uint64_t *value) {
    char *stop;
    if (*text >= '0' && *text <= '9') {
        double number = strtod(text, &stop) * (double)r->unit;
        if (!*stop && number < 0x1p53) {
            *value = (uint64_t)llround(number);
            return BOUGH_OK;
        }
        if (!*stop) return FAIL_HERE("start %.40s is too late; at most 2^53 ps", text);
    }
    return FAIL_HERE("start '%.40s' is not a number", text);
}

static bough_status add_flow(reader *r, flow_list_flow flow) {
    flow_list *l = r->l;
    if (l->flows == UINT32_MAX - 1) return FAIL_HERE("more than 2^32 - 2 messages");
    bough_status status = bough_grow(&l->flow, &l->flow_capacity, l->flows + 1, sizeof *l->flow, r->in.error);
    if (!status) l->flow[l->flows++] = flow;
    return status;
}

/* ---- connection matrices ---- */

static bough_status find_trigger(reader *r, uint64_t id, uint32_t *found) {
    flow_list *l = r->l;
    if (id == 0) return FAIL_HERE("trigger ids must not be 0");
    *found = bough_index_map_get(&r->trigger, id);
    if (*found != UINT32_MAX) return BOUGH_OK;
    bough_status status = bough_index_map_put(&r->trigger, id, (uint32_t)l->triggers, r->in.error);
    if (status) return status;
    status = bough_grow(&l->trigger, &l->trigger_capacity, l->triggers + 1, sizeof *l->trigger, r->in.error);
    if (status) return status;
    *found = (uint32_t)l->triggers;
    l->trigger[l->triggers++] = (flow_list_trigger){.id = id, .line = r->in.line};
    return BOUGH_OK;
}

static bough_status read_ends(reader *r, const char *word, flow_list_flow *flow) {
    char *stop;
    uint64_t from = strtoull(word, &stop, 10);
    const char *text = stop + 2;
    uint64_t to = strtoull(text, &stop, 10);
    if (*text < '0' || *text > '9' || *stop || strlen(word) > 30)
        return FAIL_HERE("invalid message '%.40s'; expected SOURCE->DESTINATION", word);
    if (from >= r->l->nodes || to >= r->l->nodes)
        return FAIL_HERE("%s: node %" PRIu64 " does not exist; there are %" PRIu32 ", counted from 0", word,
                         from >= r->l->nodes ? from : to, r->l->nodes);
    flow->source = (uint32_t)from;
    flow->destination = (uint32_t)to;
    return BOUGH_OK;
}

/* A message as far as its line was read. */
typedef struct message_line {
    flow_list_flow flow;
    bool starts, sized; /* has these fields */
} message_line;

static bough_status read_field(reader *r, const char *key, const char *value, message_line *m) {
    uint64_t number = 0;
    flow_list_flow *flow = &m->flow;
    if (strcmp(key, "start") == 0) {
        m->starts = true;
        return read_start(r, value, &flow->start);
    }
    bough_status status = scan_whole(&r->in, value, key, INT64_MAX, &number);
    if (status) return status;
    if (strcmp(key, "size") == 0) {
        if (number == 0)
            return FAIL_HERE("size 0 is an endless flow of htsim, which is not supported; expected bytes");
        m->sized = true;
        flow->size = number;
        return BOUGH_OK;
    }
    if (strcmp(key, "prio") == 0) r->l->prioritised |= number > 0;
    if (strcmp(key, "id") == 0 || strcmp(key, "prio") == 0) return BOUGH_OK;
    if (strcmp(key, "trigger") == 0) return find_trigger(r, number, &flow->trigger);
    if (strcmp(key, "send_done_trigger") == 0) return find_trigger(r, number, &flow->done[0]);
    if (strcmp(key, "recv_done_trigger") == 0) return find_trigger(r, number, &flow->done[1]);
    return FAIL_HERE("unknown key '%.40s'; expected id, msg, start, size, trigger, send_done_trigger, "
                     "recv_done_trigger, prio",
                     key);
}

/* Lines of spcl/HTSIM may have "msg", with the number of a message of the connection or without. */
static bough_status skip_message_number(reader *r) {
    char word[WORD];
    uint64_t number = 1;
    const scanner before = r->in;
    if (next_word(r, word) && *word >= '0' && *word <= '9') {
        bough_status status = scan_whole(&r->in, word, "msg", INT64_MAX, &number);
        return status || number ? status : FAIL_HERE("msg 0; messages count from 1");
    }
    r->in = before;
    return BOUGH_OK;
}

static bough_status read_flow(reader *r, const char *first) {
    char key[WORD], value[WORD];
    message_line m = {
        .flow = {.trigger = FLOW_LIST_NONE, .done = {FLOW_LIST_NONE, FLOW_LIST_NONE}, .line = r->in.line}};
    if (!r->head) return FAIL_HERE("message before the Nodes line");
    bough_status status = read_ends(r, first, &m.flow);
    while (!status && next_word(r, key)) {
        if (strcmp(key, "msg") == 0) {
            status = skip_message_number(r);
            continue;
        }
        if (!next_word(r, value)) return FAIL_HERE("'%.40s' has no value", key);
        status = read_field(r, key, value, &m);
    }
    if (status) return status;
    if (!m.sized) return FAIL_HERE("the message has no size");
    if (m.starts == (m.flow.trigger != FLOW_LIST_NONE))
        return FAIL_HERE("a message must have either a start or a trigger");
    return add_flow(r, m.flow);
}

static bough_status read_trigger(reader *r) {
    char word[WORD], value[WORD];
    uint64_t id = 0, count = 0;
    uint32_t found;
    bool once = false, barrier = false;
    bough_status status = BOUGH_OK;
    while (!status && next_word(r, word)) {
        if (strcmp(word, "oneshot") == 0)
            once = true;
        else if (strcmp(word, "barrier") == 0)
            barrier = true;
        else if (strcmp(word, "id") != 0 && strcmp(word, "count") != 0)
            return FAIL_HERE("unknown key '%.40s' of a trigger; expected id, oneshot, barrier, count", word);
        else if (!next_word(r, value))
            return FAIL_HERE("'%.40s' has no value", word);
        else
            status = scan_whole(&r->in, value, word, UINT32_MAX, strcmp(word, "id") == 0 ? &id : &count);
    }
    TRY(find_trigger(r, id, &found));
    if (status) return status;
    if (once == barrier) return FAIL_HERE("a trigger must be either oneshot or barrier");
    if (barrier && count == 0) return FAIL_HERE("a barrier requires a count of signals");
    if (r->l->trigger[found].count) return FAIL_HERE("trigger %" PRIu64 " is described twice", id);
    r->l->trigger[found].count = once ? 1 : (uint32_t)count;
    r->triggers++;
    return BOUGH_OK;
}

static bough_status read_cm_line(reader *r) {
    char word[WORD], value[WORD];
    uint64_t number;
    if (!next_word(r, word) || *word == '#') return BOUGH_OK;
    if (strstr(word, "->")) return read_flow(r, word);
    if (strcmp(word, "trigger") == 0) return read_trigger(r);
    bool nodes = strcmp(word, "Nodes") == 0, flows = strcmp(word, "Connections") == 0;
    if (!nodes && !flows && strcmp(word, "Triggers") != 0)
        return FAIL_HERE("unknown key '%.40s'; expected Nodes, Connections, Triggers, trigger, or "
                         "SOURCE->DESTINATION start .. size ..",
                         word);
    if (!next_word(r, value)) return FAIL_HERE("'%s' has no value", word);
    bough_status status = scan_whole(&r->in, value, word, nodes ? NODES_MAX : UINT32_MAX - 2, &number);
    if (status) return status;
    if (nodes && r->head) return FAIL_HERE("Nodes is given twice");
    if (nodes) r->l->nodes = r->nodes ? r->nodes : (uint32_t)number;
    if (flows) r->flows = number;
    r->head |= nodes;
    return BOUGH_OK;
}

static int by_start(const void *a, const void *b) {
    const flow_list_flow *x = a, *y = b;
    bool later = x->trigger != FLOW_LIST_NONE;
    if (later != (y->trigger != FLOW_LIST_NONE)) return later ? 1 : -1;
    if (!later && x->start != y->start) return x->start < y->start ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static bough_status each_line(reader *r, const bough_input *input, bough_status (*read)(reader *r)) {
    bough_status status = bough_input_single(input, "list of messages", r->in.error);
    r->in = scan_piece(&input->piece[0], r->in.error);
    while (!status && scan_line(&r->in)) {
        if (memchr(r->in.at, 0, (size_t)(r->in.stop - r->in.at)))
            return FAIL_HERE("contains a NUL byte; expected a text file");
        status = read(r);
    }
    return status;
}

bough_status flow_list_read_cm(const bough_input *input, uint64_t start_unit, uint32_t nodes, flow_list *l,
                               bough_error *error) {
    reader reads = {.unit = start_unit, .flows = UINT64_MAX, .nodes = nodes, .l = l, .in.error = error},
           *r = &reads;
    bough_status status = each_line(r, input, read_cm_line);
    bough_index_map_fini(&r->trigger);
    if (status) return status;
    if (!r->head)
        return FAIL_HERE(
            "the file has no Nodes line; expected Nodes N, Connections M, and a line for each connection");
    if (r->flows != UINT64_MAX && r->flows != l->flows)
        return FAIL_HERE("%zu message%s, but Connections gives %" PRIu64 "; the file may be truncated",
                         l->flows, bough_s(l->flows), r->flows);
    for (size_t i = 0; i < l->triggers; i++) {
        if (l->trigger[i].count) continue;
        r->in.line = l->trigger[i].line;
        return FAIL_HERE("trigger %" PRIu64 " is used but never described", l->trigger[i].id);
    }
    if (l->flows) qsort(l->flow, l->flows, sizeof *l->flow, by_start);
    while (l->timed < l->flows && l->flow[l->timed].trigger == FLOW_LIST_NONE) l->timed++;
    return BOUGH_OK;
}

/* ---- flows of ns-3 models ---- */

#define FLOW_FIELDS                                                                                          \
    "a flow has source, destination, priority group, port, bytes, start in seconds (or all but the port)"

enum { SOURCE, DESTINATION, PRIORITY, FIELDS_LEAST = 5, FIELDS_MOST = 6 };

bool flow_list_is_ns3(const bough_input *input) {
    scanner s = scan_piece(&input->piece[0], NULL);
    uint64_t number;
    while (scan_line(&s) && scan_done(&s)) {
    }
    scan_blanks(&s);
    if (!scan_number(&s, &number)) return false;
    scan_blanks(&s);
    return scan_done(&s) || (s.stop - s.at == 1 && *s.at == '\r');
}

static bough_status add_ns3_flow(reader *r, char word[FIELDS_MOST + 1][WORD], unsigned words) {
    uint64_t value[PRIORITY + 1], size = 0, start = 0;
    static const char *const names[] = {"source", "destination", "priority group"};
    bough_status status = BOUGH_OK;
    for (unsigned i = 0; i <= PRIORITY && !status; i++)
        status = scan_whole(&r->in, word[i], names[i], i < PRIORITY ? NODES_MAX - 1 : UINT32_MAX, &value[i]);
    if (!status && strspn(word[words - 2], "0123456789") < strlen(word[words - 2]))
        return FAIL_HERE("bytes '%.40s' is not a whole number; " FLOW_FIELDS, word[words - 2]);
    TRY(scan_whole(&r->in, word[words - 2], "bytes", INT64_MAX, &size));
    TRY(read_start(r, word[words - 1], &start));
    if (status) return status;
    if (size == 0) return FAIL_HERE("a flow of 0 bytes");
    if (r->l->flows == 0) r->priority = value[PRIORITY];
    r->l->prioritised |= value[PRIORITY] != r->priority;
    for (unsigned i = 0; i < PRIORITY; i++)
        if (value[i] >= r->l->nodes) r->l->nodes = (uint32_t)value[i] + 1;
    return add_flow(r, (flow_list_flow){.start = start,
                                        .size = size,
                                        .source = (uint32_t)value[SOURCE],
                                        .destination = (uint32_t)value[DESTINATION],
                                        .trigger = FLOW_LIST_NONE,
                                        .done = {FLOW_LIST_NONE, FLOW_LIST_NONE},
                                        .line = r->in.line});
}

/* The number of flows, then the flows; what follows them is not read, as there. */
static bough_status read_ns3_line(reader *r) {
    char word[FIELDS_MOST + 1][WORD];
    unsigned words = 0;
    if (r->head && r->l->flows == r->flows) return BOUGH_OK;
    while (words <= FIELDS_MOST && next_word(r, word[words])) words++;
    if (words == 0) return BOUGH_OK;
    if (r->head && words >= FIELDS_LEAST && words <= FIELDS_MOST) return add_ns3_flow(r, word, words);
    if (r->head) return FAIL_HERE("%u fields; " FLOW_FIELDS, words);
    if (words > 1)
        return FAIL_HERE("%u field%s; expected the number of flows, then a line for each", words,
                         bough_s(words));
    r->head = true;
    return scan_whole(&r->in, word[0], "number of flows", UINT32_MAX - 2, &r->flows);
}

bough_status flow_list_read_ns3(const bough_input *input, flow_list *l, bough_error *error) {
    reader reads = {.unit = UINT64_C(1000000000000), .l = l, .in.error = error}, *r = &reads;
    bough_status status = each_line(r, input, read_ns3_line);
    if (status) return status;
    if (!r->head) return FAIL_HERE("an empty file; expected the number of flows, then a line for each");
    if (l->flows < r->flows)
        return FAIL_HERE("%zu flow%s, but the first line gives %" PRIu64 "; the file may be truncated",
                         l->flows, bough_s(l->flows), r->flows);
    if (l->flows) qsort(l->flow, l->flows, sizeof *l->flow, by_start);
    for (size_t i = l->flows; i-- > 0;) l->flow[i].start -= l->flow[0].start;
    l->timed = l->flows;
    return BOUGH_OK;
}

/* ---- matrices ---- */

static bough_status read_row(reader *r) {
    char word[WORD];
    uint32_t column = 0, row = r->l->nodes;
    uint64_t bytes;
    while (next_word(r, word)) {
        if (column == 0 && *word == '#') return BOUGH_OK;
        bough_status status =
            scan_whole(&r->in, word, "in N lines of N numbers of bytes,", INT64_MAX, &bytes);
        flow_list_flow flow = {.size = bytes,
                               .source = row,
                               .destination = column++,
                               .trigger = FLOW_LIST_NONE,
                               .done = {FLOW_LIST_NONE, FLOW_LIST_NONE},
                               .line = r->in.line};
        if (!status && column > NODES_MAX) return FAIL_HERE("more than 2^28 columns");
        if (!status && bytes && flow.destination != row) status = add_flow(r, flow);
        if (status) return status;
    }
    if (column == 0) return BOUGH_OK;
    if (row == 0) r->flows = column;
    if (column != r->flows)
        return FAIL_HERE("%" PRIu32 " %s, but the first line has %" PRIu64, column,
                         column == 1 ? "entry" : "entries", r->flows);
    if (row == column) return FAIL_HERE("more lines than the %" PRIu32 " columns", column);
    r->l->nodes++;
    return BOUGH_OK;
}

bough_status flow_list_read_matrix(const bough_input *input, flow_list *l, bough_error *error) {
    reader reads = {.l = l, .in.error = error}, *r = &reads;
    bough_status status = each_line(r, input, read_row);
    if (!status && l->nodes == 0) return FAIL_HERE("an empty file; expected N lines of N numbers of bytes");
    if (!status && l->nodes != r->flows)
        status = FAIL_HERE("%" PRIu32 " line%s of %" PRIu64 " entries; the matrix must be square", l->nodes,
                           bough_s(l->nodes), r->flows);
    l->timed = l->flows;
    return status;
}
