/* Node names: short if possible, always unique.
 *
 * Adapters describe themselves as "HOST HCA-1" or "HOST mlx5_0". An adapter is named after its host if no
 * other node has that name, else "HOST/HCA-1", else "HOST HCA-1-GUID". All other nodes are named after their
 * description, with the GUID appended if not unique ("-0002c903000a1b2c"), and "S-GUID", "H-GUID" or "R-GUID"
 * (as in ibnetdiscover) if there is none. Ports of a host are named "HOST:9", so a name that equals another
 * name with such a suffix is not unique either. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/utf8.h"
#include "network/imported/parsed_fabric.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOST, HOST_AND_DEVICE, WITH_GUID, LEVELS };

static size_t trimmed(const char *text, size_t length) {
    while (length && (unsigned char)text[length - 1] <= ' ') length--;
    return length;
}

/* Returns whether word is a device name of a driver or tool: HCA-1, mlx5_0, qib0, hfi1_0, ibp65s0. */
static bool device(const char *word, size_t length) {
    static const char *const stems[] = {"HCA-", "mlx",  "mthca", "qib",  "hfi",   "ipath",   "ehca", "ibp",
                                        "ib",   "roce", "rocep", "opap", "irdma", "bnxt_re", "mana_"};
    for (size_t s = 0; s < sizeof stems / sizeof *stems; s++) {
        size_t stem = strlen(stems[s]);
        if (length > stem && memcmp(word, stems[s], stem) == 0 && word[stem] >= '0' && word[stem] <= '9')
            return true;
    }
    return false;
}

/* Splits "HOST DEVICE" into lengths; false if the text has another form. */
static bool split(const char *text, size_t *host, size_t *start, size_t *end) {
    *end = trimmed(text, strlen(text));
    *start = *end;
    while (*start && text[*start - 1] != ' ') (*start)--;
    *host = trimmed(text, *start);
    return *host && !memchr(text, ' ', *host) && device(text + *start, *end - *start);
}

/* Sets name to text + tail, truncating text to fit. */
static void join(char *name, const char *text, size_t length, const char *tail) {
    size_t used =
        bough_copy_printable(text, length, name, sizeof((bough_fabric_node *)0)->name - strlen(tail));
    memcpy(name + used, tail, strlen(tail) + 1);
}

static void make(bough_fabric_node *node, int level) {
    char guid[24], tail[64] = "/";
    const char *text = node->description;
    while (*text && (unsigned char)*text <= ' ') text++;
    size_t host, start, end;
    if (!*text) {
        static const char letter[] = {'S', 'H', 'R'};
        snprintf(node->name, sizeof node->name, "%c-%016" PRIx64, letter[node->kind], node->guid);
        return;
    }
    bool is_host = node->kind != BOUGH_FABRIC_SWITCH && split(text, &host, &start, &end);
    snprintf(guid, sizeof guid, "-%016" PRIx64, node->guid);
    if (level == HOST && is_host) {
        join(node->name, text, host, "");
    } else if (level == HOST_AND_DEVICE && is_host) {
        bough_copy_printable(text + start, end - start, tail + 1, sizeof tail - 1);
        join(node->name, text, host, tail);
    } else if (level < WITH_GUID) {
        join(node->name, text, strlen(text), "");
    } else {
        join(node->name, text, strlen(text), guid);
    }
}

static uint64_t hash(const char *text, size_t length) {
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* A set of names: table contains 1 + the index of the first node with the name. */
typedef struct name_set {
    const bough_fabric_node *node;
    uint32_t *table;
    size_t mask;
} name_set;

/* The slot of a name in the table, occupied or free. */
static size_t slot(const name_set *set, const char *name, size_t length) {
    size_t i = hash(name, length) & set->mask;
    for (; set->table[i]; i = (i + 1) & set->mask) {
        const char *own = set->node[set->table[i] - 1].name;
        if (strncmp(own, name, length) == 0 && own[length] == 0) break;
    }
    return i;
}

/* Returns the first node with this name, or node if it is new. */
static uint32_t enter(name_set *set, uint32_t node, const char *name) {
    size_t i = slot(set, name, strlen(name));
    if (!set->table[i]) set->table[i] = node + 1;
    return set->table[i] - 1;
}

/* Returns whether the name denotes a port of a node in the set. */
static bool names_port(const name_set *set, const char *name) {
    const char *colon = strrchr(name, ':');
    return colon && colon[1] && colon[1 + strspn(colon + 1, "0123456789")] == 0 &&
           set->table[slot(set, name, (size_t)(colon - name))];
}

enum { REPEATED = 1, PORT_NAME };

/* Marks nodes whose name equals that of another node or of one of its ports; returns whether there are
 * any. */
static bool mark_repeated(name_set *set, size_t count, uint8_t *repeated) {
    bool any = false;
    memset(set->table, 0, (set->mask + 1) * sizeof *set->table);
    memset(repeated, 0, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = enter(set, i, set->node[i].name);
        if (first == i) continue;
        repeated[first] = repeated[i] = REPEATED;
        any = true;
    }
    for (size_t i = 0; i < count; i++)
        if (names_port(set, set->node[i].name)) {
            repeated[i] = PORT_NAME;
            any = true;
        }
    return any;
}

/* Appends numbers where even the GUID does not make a name unique (duplicate GUIDs, or a description that
 * equals another name). Numbers only increase, so the total time is linear. */
static void number_rest(name_set *set, bough_fabric_node *node, size_t count, const uint8_t *repeated) {
    uint64_t next = 2;
    memset(set->table, 0, (set->mask + 1) * sizeof *set->table);
    for (uint32_t i = 0; i < count; i++) {
        if (repeated[i] != PORT_NAME && enter(set, i, node[i].name) == i) continue;
        char old[sizeof node->name], tail[24];
        memcpy(old, node[i].name, sizeof old);
        do {
            snprintf(tail, sizeof tail, "~%" PRIu64, next++);
            join(node[i].name, old, strlen(old), tail);
        } while (enter(set, i, node[i].name) != i);
    }
}

bough_status bough_fabric_names(bough_fabric_node *node, size_t count, bough_error *error) {
    name_set set = {.node = node, .mask = 63};
    uint8_t *repeated = NULL;
    while (set.mask + 1 < count * 2) set.mask = set.mask * 2 + 1;
    bough_status status = bough_alloc(&set.table, set.mask + 1, sizeof *set.table, error);
    TRY(bough_alloc(&repeated, count, 1, error));
    if (status) goto done;
    for (size_t i = 0; i < count; i++) make(&node[i], HOST);
    bool clash = mark_repeated(&set, count, repeated);
    for (int level = HOST_AND_DEVICE; level < LEVELS && clash; level++) {
        for (size_t i = 0; i < count; i++)
            if (repeated[i]) make(&node[i], level);
        clash = mark_repeated(&set, count, repeated);
    }
    if (clash) number_rest(&set, node, count, repeated);
done:
    free(set.table);
    free(repeated);
    return status;
}
