/* Node names: short if possible, always unique.
 *
 * Adapters describe themselves as "HOST HCA-1" or "HOST mlx5_0". An adapter is named after its host if no
 * other node has that name, else "HOST/HCA-1", else "HOST HCA-1-GUID". Managed Mellanox switches describe
 * themselves as "MF0;NAME:MODEL/U1", parts of a director as "MF0;NAME:MODEL/L01/U1"; they are named NAME and
 * "NAME/L01/U1" if no other node has that name. All other nodes are named after their
 * description, with the GUID appended if not unique ("-0002c903000a1b2c"), and "S-GUID", "H-GUID" or "R-GUID"
 * (as in ibnetdiscover) if there is none. Ports of a host are named "HOST:9", so a name that equals another
 * name with such a suffix is not unique either. */
#include "base/memory/memory.h"
#include "base/memory/name_map.h"
#include "base/status/try.h"
#include "base/text/utf8.h"
#include "formats/fabrics/parsed_fabric.h"
#include "formats/slurm/host_map.h"

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

/* The length of HOST in the description "HOST DEVICE" of an adapter; else of the description without blanks
 * at its end. */
static size_t host_length(const char *description) {
    size_t host, start, end;
    return split(description, &host, &start, &end) ? host : end;
}

char *bough_fabric_host_name(const bough_fabric_node *node, char *buffer, size_t size) {
    if (node->server) {
        snprintf(buffer, size, "server%" PRIu32, node->server - 1);
        return buffer;
    }
    const char *text = node->description;
    while (*text && (unsigned char)*text <= ' ') text++;
    size_t whole = strlen(text), length = host_length(text);
    while (whole && (unsigned char)text[whole - 1] <= ' ') whole--;
    if (length == whole) { /* no "HOST DEVICE": the adapter is the host */
        text = node->name;
        length = strlen(text);
    }
    if (node->short_host) length = host_name_short(text, length);
    if (length >= size) length = size - 1;
    memcpy(buffer, text, length);
    buffer[length] = 0;
    return buffer;
}

/* Splits "MF0;NAME:MODEL/UNIT" into the length of NAME after the first four characters and the start of
 * "/UNIT", which is the end of the text for "/U1"; false if the text has another form. */
static bool split_switch(const char *text, size_t *name, size_t *unit) {
    const char *colon = strrchr(text, ':'), *slash = colon ? strchr(colon, '/') : NULL;
    const size_t end = trimmed(text, strlen(text));
    if (strncmp(text, "MF0;", 4) != 0 || !slash || colon == text + 4) return false;
    *name = (size_t)(colon - text) - 4;
    *unit = (size_t)(slash - text);
    if (end - *unit == 3 && memcmp(slash, "/U1", 3) == 0) *unit = end;
    return true;
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
    size_t host, start, end, unit;
    if (!*text) {
        static const char letter[] = {'S', 'H', 'R'};
        snprintf(node->name, sizeof node->name, "%c-%016" PRIx64, letter[node->kind], node->guid);
        return;
    }
    bool is_host = node->kind != BOUGH_FABRIC_SWITCH && split(text, &host, &start, &end);
    if (is_host && node->short_host) host = host_name_short(text, host);
    if (level == HOST && is_host) {
        join(node->name, text, host, "");
    } else if (level == HOST_AND_DEVICE && is_host) {
        bough_copy_printable(text + start, end - start, tail + 1, sizeof tail - 1);
        join(node->name, text, host, tail);
    } else if (level == HOST && node->kind == BOUGH_FABRIC_SWITCH && split_switch(text, &host, &unit)) {
        bough_copy_printable(text + unit, trimmed(text + unit, strlen(text + unit)), tail, sizeof tail);
        join(node->name, text + 4, host, tail);
    } else if (level < WITH_GUID) {
        join(node->name, text, strlen(text), "");
    } else {
        snprintf(guid, sizeof guid, "-%016" PRIx64, node->guid);
        join(node->name, text, strlen(text), guid);
    }
}

/* Names, and the first node that has each. */
typedef struct name_set {
    bough_fabric_node *node;
    uint32_t count;
    uint8_t *repeated; /* per node */
    bough_name_map first;
    bough_error *error;
} name_set;

enum { REPEATED = 1, PORT_NAME };

/* Finds the first node with the name of this node: itself if the name is new. */
static bough_status enter(name_set *set, uint32_t node, uint32_t *first) {
    const char *name = set->node[node].name;
    *first = bough_name_map_get(&set->first, name, strlen(name));
    if (*first != BOUGH_NO_INDEX) return BOUGH_OK;
    *first = node;
    return bough_name_map_add(&set->first, name, strlen(name), node, set->error);
}

/* Returns whether the name denotes a port of a node in the set. */
static bool names_port(const name_set *set, const char *name) {
    const char *colon = strrchr(name, ':');
    return colon && colon[1] && colon[1 + strspn(colon + 1, "0123456789")] == 0 &&
           bough_name_map_get(&set->first, name, (size_t)(colon - name)) != BOUGH_NO_INDEX;
}

/* Marks nodes whose name equals that of another node or of one of its ports. any: there are some. */
static bough_status mark_repeated(name_set *set, bool *any) {
    bough_status status = BOUGH_OK;
    *any = false;
    bough_name_map_clear(&set->first);
    memset(set->repeated, 0, set->count);
    for (uint32_t i = 0, first; i < set->count && !status; i++) {
        status = enter(set, i, &first);
        if (first == i) continue;
        set->repeated[first] = set->repeated[i] = REPEATED;
        *any = true;
    }
    for (uint32_t i = 0; i < set->count; i++)
        if (names_port(set, set->node[i].name)) {
            set->repeated[i] = PORT_NAME;
            *any = true;
        }
    return status;
}

/* Appends numbers where even the GUID does not make a name unique (duplicate GUIDs, or a description that
 * equals another name). Numbers only increase, so the total time is linear. */
static bough_status number_rest(name_set *set) {
    uint64_t next = 2;
    bough_status status = BOUGH_OK;
    bough_name_map_clear(&set->first);
    for (uint32_t i = 0, first = 0; i < set->count && !status; i++) {
        bough_fabric_node *node = &set->node[i];
        if (set->repeated[i] != PORT_NAME) {
            status = enter(set, i, &first);
            if (first == i) continue;
        }
        char old[sizeof node->name], tail[24];
        memcpy(old, node->name, sizeof old);
        do {
            snprintf(tail, sizeof tail, "~%" PRIu64, next++);
            join(node->name, old, strlen(old), tail);
            TRY(enter(set, i, &first));
        } while (first != i && !status);
    }
    return status;
}

/* ---- domains ---- */

/* The name of the host of an adapter that is described as HOST DEVICE; without text for others. */
static bough_slice host_of(const bough_fabric_node *node) {
    const char *text = node->description;
    size_t host, start, end;
    while (*text && (unsigned char)*text <= ' ') text++;
    if (node->kind == BOUGH_FABRIC_SWITCH || !split(text, &host, &start, &end)) return (bough_slice){NULL, 0};
    return (bough_slice){text, host};
}

/* Marks adapters whose host others name without its domain. */
static bough_status mark_short_hosts(bough_fabric_node *node, size_t count, bough_error *error) {
    host_map map = {{0}};
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < count && !status; i++) {
        const bough_slice host = host_of(&node[i]);
        if (host.text) status = host_map_add(&map, host.text, host.length, (uint32_t)i, error);
    }
    for (size_t i = 0; i < count && !status; i++) {
        const bough_slice host = host_of(&node[i]);
        node[i].short_host = host.text && host_map_has_short(&map, host.text, host.length);
    }
    host_map_fini(&map);
    return status;
}

bough_status bough_fabric_names(bough_fabric_node *node, size_t count, bough_error *error) {
    name_set set = {.node = node, .count = (uint32_t)count, .error = error};
    bool clash = false;
    bough_status status = bough_alloc(&set.repeated, count, 1, error);
    TRY(bough_name_map_reserve(&set.first, count, error));
    TRY(mark_short_hosts(node, count, error));
    for (size_t i = 0; i < count && !status; i++) make(&node[i], HOST);
    TRY(mark_repeated(&set, &clash));
    for (int level = HOST_AND_DEVICE; level < LEVELS && clash && !status; level++) {
        for (size_t i = 0; i < count; i++)
            if (set.repeated[i]) make(&node[i], level);
        status = mark_repeated(&set, &clash);
    }
    if (clash) TRY(number_rest(&set));
    bough_name_map_fini(&set.first);
    free(set.repeated);
    return status;
}
