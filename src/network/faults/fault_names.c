/* Faults by name: a node, the cable at a port or between two ends, a member of a module, all adapters of a
 * host, all nodes with a name and a dot as prefix, or all nodes whose names match an expression. What only
 * one name has in it stands for it: its words, as rack#3-leaf for MF0;rack#3-leaf:MSB7700/U1, or, where no
 * name has such words, a part of it in any case, which cuts no number: LEAF1 is not in leaf10. */
#include "network/faults/fault_marks.h"

#include "base/memory/memory.h"
#include "base/text/regular_expression.h"
#include "base/text/text.h"
#include "network/hosts.h"
#include "network/node_identifiers.h"
#include "network/wiring.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 160, BATCH = 64 };
#define META "*+?[](){}|^$\\" /* what makes a text an expression; a dot alone does not */

/* ---- in a name ---- */

typedef enum name_match { WORDS, PART } name_match;

/* Whether nothing of this kind may end between two characters. */
static bool together(char before, char behind, name_match how) {
    int (*const kind)(int) = how == WORDS ? isalnum : isdigit;
    return kind((unsigned char)before) && kind((unsigned char)behind);
}

static bool same_text(const char *at, const char *text, size_t length, name_match how) {
    if (how == WORDS) return strncmp(at, text, length) == 0;
    for (size_t i = 0; i < length; i++)
        if (tolower((unsigned char)at[i]) != tolower((unsigned char)text[i])) return false;
    return true;
}

static bool is_in(const char *name, const char *text, name_match how) {
    const size_t size = strlen(name), length = strlen(text);
    for (size_t i = 0; i + length <= size; i++) {
        if (!same_text(name + i, text, length, how)) continue;
        if (i && together(name[i - 1], *text, how)) continue;
        if (!together(text[length - 1], name[i + length], how)) return true;
    }
    return false;
}

typedef struct names_with {
    uint64_t node; /* the only one; else BOUGH_NONE */
    uint64_t count;
    name_match how;
} names_with;

static names_with find_names(const bough_net *net, const char *text) {
    names_with found = {.node = BOUGH_NONE};
    char name[NAME];
    for (name_match how = WORDS; how <= PART && *text && !found.count; how++)
        for (uint64_t v = 0; v < net->nodes; v++) {
            if (!is_in(bough_node_name(net, v, name, sizeof name), text, how)) continue;
            found.how = how;
            found.node = found.count++ ? BOUGH_NONE : v;
        }
    return found;
}

/* The node of a name, or of what only its name has in it. */
static uint64_t node_called(const bough_net *net, const char *text) {
    const uint64_t node = net_node_named(net, text);
    return node != BOUGH_NONE ? node : find_names(net, text).node;
}

/* ---- a port ---- */

/* Networks without port numbers count ports in the order of groups and links. */
static uint64_t port_of(const bough_net *net, uint64_t link, uint64_t place) {
    return net->ops->link_port ? bough_port_number(net, net->ops->link_port(net, link)) : place;
}

static bool is_number(const char *text) {
    return *text && !text[strspn(text, "0123456789")];
}

/* port: its name in the file, or its number. */
static uint64_t link_at_port(const bough_net *net, uint64_t node, const char *port) {
    const uint64_t number = is_number(port) ? strtoull(port, NULL, 10) : UINT64_MAX;
    uint64_t next = 0, numbered = BOUGH_NONE;
    for (node_links at = node_links_of(net, node); node_links_next(&at); next++) {
        const char *name =
            net->ops->port_name ? net->ops->port_name(net, node, net->ops->link_port(net, at.link)) : NULL;
        if (name && strcmp(name, port) == 0) return at.link;
        if (port_of(net, at.link, next) == number) numbered = at.link;
    }
    return numbered;
}

static bough_status no_such_port(const bough_fault_marks *m, uint64_t node, const char *port,
                                 bough_error *error) {
    const bough_net *net = m->net;
    char name[NAME];
    uint64_t ports = 0, lowest = UINT64_MAX, highest = 0;
    for (node_links at = node_links_of(net, node); node_links_next(&at); ports++) {
        uint64_t number = port_of(net, at.link, ports);
        if (number < lowest) lowest = number;
        if (number > highest) highest = number;
    }
    bough_node_name(net, node, name, sizeof name);
    if (!ports) return bough_fail(error, BOUGH_INVALID, NULL, "%s: %s has no cables", m->text, name);
    if (net->ops->port_name && net->ops->port_name(net, node, (uint32_t)lowest))
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "%s: no cable leaves %s by port %s; it has %" PRIu64 " such as %s", m->text, name,
                          port, ports, net->ops->port_name(net, node, (uint32_t)lowest));
    return bough_fail(error, BOUGH_INVALID, NULL,
                      "%s: no cable leaves %s by port %s; it has %" PRIu64 ", ports %" PRIu64 " to %" PRIu64,
                      m->text, name, port, ports, lowest, highest);
}

/* "leaf1/19": both directions of the cable. */
static bough_status by_port(bough_fault_marks *m, uint64_t node, const char *port, fault_mode mode,
                            bough_error *error) {
    const bough_net *net = m->net;
    uint64_t link = link_at_port(net, node, port);
    if (link == BOUGH_NONE) return no_such_port(m, node, port, error);
    uint64_t twin = bough_link_twin(net, link);
    marks_link(m, link, mode);
    if (twin != BOUGH_NONE) marks_link(m, twin, mode);
    return BOUGH_OK;
}

/* The node before a slash, if a number or the name of one of its ports follows it. Names of ports have
 * slashes, too: "leaf1/Ethernet1/1". */
static uint64_t node_of_port(const bough_net *net, const char *name, const char **port) {
    char before[NAME];
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        if ((size_t)(slash - name) >= sizeof before) break;
        const bool last = !strchr(slash + 1, '/') && is_number(slash + 1);
        if (!last && !net->ops->port_name) continue;
        snprintf(before, sizeof before, "%.*s", (int)(slash - name), name);
        const uint64_t node = node_called(net, before);
        *port = slash + 1;
        if (node != BOUGH_NONE && (last || link_at_port(net, node, *port) != BOUGH_NONE)) return node;
    }
    return BOUGH_NONE;
}

/* ---- a cable, as reports write it: "leaf1/19 -> spine2/1", "leaf1 - spine2" ---- */

typedef struct cable_end {
    uint64_t node; /* BOUGH_NONE: nothing has this name */
    uint64_t link; /* that leaves by the port; BOUGH_NONE: no port is named, or none has a cable */
    const char *port;
} cable_end;

static cable_end end_named(const bough_net *net, const char *name) {
    cable_end end = {net_node_named(net, name), BOUGH_NONE, NULL};
    if (end.node != BOUGH_NONE) return end;
    end.node = node_of_port(net, name, &end.port);
    if (end.node != BOUGH_NONE)
        end.link = link_at_port(net, end.node, end.port);
    else
        end.node = node_called(net, name);
    return end;
}

/* All cables between the ends; with ports the one. */
static bough_status by_ends(bough_fault_marks *m, cable_end a, cable_end b, fault_mode mode,
                            bough_error *error) {
    const bough_net *net = m->net;
    bool found = false;
    for (node_links at = node_links_of(net, a.node); node_links_next(&at);) {
        const uint64_t twin = bough_link_twin(net, at.link);
        if (net->ops->link_end(net, at.link).node != b.node) continue;
        if ((a.port && at.link != a.link) || (b.port && (twin == BOUGH_NONE || twin != b.link))) continue;
        marks_link(m, at.link, mode);
        if (twin != BOUGH_NONE) marks_link(m, twin, mode);
        found = true;
    }
    return found ? BOUGH_OK : bough_fail(error, BOUGH_INVALID, NULL, "%s: no cable joins these two", m->text);
}

/* Sets *found if the name has the form of a cable and both ends exist. */
static bough_status by_cable(bough_fault_marks *m, const char *name, fault_mode mode, bool *found,
                             bough_error *error) {
    static const char *const between[] = {" -> ", " - "};
    char first[NAME];
    for (size_t i = 0; i < sizeof between / sizeof *between; i++) {
        const char *at = strstr(name, between[i]);
        if (!at || (size_t)(at - name) >= sizeof first) continue;
        snprintf(first, sizeof first, "%.*s", (int)(at - name), name);
        const cable_end a = end_named(m->net, first), b = end_named(m->net, at + strlen(between[i]));
        *found = a.node != BOUGH_NONE && b.node != BOUGH_NONE;
        if (*found) return by_ends(m, a, b, mode, error);
    }
    return BOUGH_OK;
}

/* ---- modules: "stack3" ---- */

static bool by_part(bough_fault_marks *m, const char *name, fault_mode mode) {
    const bough_net *net = m->net;
    bool found = false;
    for (unsigned k = 0; net->modules && net->modules[k].name; k++) {
        size_t length = strlen(net->modules[k].name);
        char *end;
        if (strncmp(name, net->modules[k].name, length) != 0 || !isdigit((unsigned char)name[length]))
            continue;
        uint64_t number = strtoull(name + length, &end, 10);
        if (*end || number >= net->modules[k].count) continue;
        for (uint64_t v = 0; v < net->nodes; v++)
            if (net->ops->node_module(net, k, v) == number) marks_node(m, v, mode), found = true;
    }
    return found; /* members may be empty */
}

/* ---- prefixes before a dot: "s2.u5", with or without the dot; a chip with several switches: "r3" of r3a and
 * r3b ---- */

/* Names of imported fabrics have no such prefixes: their dots belong to domain names. */
static bool by_prefix(bough_fault_marks *m, const char *prefix, fault_mode mode) {
    const bough_net *net = m->net;
    size_t length = strlen(prefix);
    char name[NAME];
    bool found = false;
    if (length && prefix[length - 1] == '.') length--;
    for (uint64_t v = 0; v < net->nodes && !net->fabric && length; v++) {
        bough_node_name(net, v, name, sizeof name);
        if (strncmp(name, prefix, length) != 0) continue;
        bool of_chip = net->ops->node_chip && isalpha((unsigned char)name[length]) && !name[length + 1];
        if (name[length] != '.' && (!of_chip || prefix[length])) continue;
        marks_node(m, v, mode);
        found = true;
    }
    return found;
}

/* ---- hosts with several adapters ---- */

static bool by_host(bough_fault_marks *m, const char *host, fault_mode mode) {
    char name[NAME];
    bool found = false;
    for (uint64_t e = 0; e < m->net->endpoints && m->net->fabric; e++) {
        if (strcmp(net_host_name(m->net, e, name, sizeof name), host) != 0) continue;
        marks_node(m, e, mode);
        found = true;
    }
    return found;
}

/* ---- patterns ---- */

static bough_status by_pattern(bough_fault_marks *m, const char *pattern, fault_mode mode, bool *found,
                               bough_error *error) {
    char name[NAME];
    bough_pattern *expression;
    bough_error why;
    *found = false;
    if (!pattern[strcspn(pattern, META)]) return BOUGH_OK;
    bough_status status = bough_pattern_create(pattern, true, &expression, &why);
    if (status)
        return bough_fail(error, status, NULL, "%s: no node has this name, and %s", m->text, why.reason);
    for (uint64_t v = 0; v < m->net->nodes && !status; v++) {
        bool matches;
        status =
            bough_pattern_match(expression, bough_node_name(m->net, v, name, sizeof name), &matches, &why);
        if (status || !matches) continue;
        marks_node(m, v, mode);
        *found = true;
    }
    bough_pattern_destroy(expression);
    return status ? bough_fail(error, status, NULL, "%s: %s", m->text, why.reason) : BOUGH_OK;
}

/* ---- errors ---- */

/* Finds the nearest of many names, in batches. */
typedef struct nearest {
    const char *word;
    char name[BATCH + 1][NAME]; /* the last one: the nearest so far */
    unsigned count;
    bool any;
} nearest;

static void settle(nearest *n) {
    const char *names[BATCH + 1];
    size_t count = 0;
    if (n->any) names[count++] = n->name[BATCH];
    for (unsigned i = 0; i < n->count; i++) names[count++] = n->name[i];
    const char *near = bough_suggest(n->word, names, count);
    if (near && near != n->name[BATCH]) {
        memcpy(n->name[BATCH], near, NAME);
        n->any = true;
    }
    n->count = 0;
}

static char *next_name(nearest *n) {
    if (n->count == BATCH) settle(n);
    return n->name[n->count++];
}

/* Of "MF0;rack#3-leaf:MSB7700/U1" the rack#3-leaf, which stands for the name. */
static void add_words(nearest *n, const char *name) {
    for (const char *at = name; *at; at += strspn(at, ";:/ ")) {
        const size_t length = strcspn(at, ";:/ ");
        if (length > 3 && length < strlen(name)) snprintf(next_name(n), NAME, "%.*s", (int)length, at);
        at += length;
    }
}

/* Adds a node name and its prefixes before dots, if they are new. */
static void add_names(nearest *n, const bough_net *net, uint64_t node, char *before) {
    char name[NAME], *own = next_name(n);
    bough_node_name(net, node, own, NAME);
    memcpy(name, own, NAME);
    if (net->fabric) add_words(n, name);
    for (size_t i = 0; name[i] && !net->fabric; i++)
        if (name[i] == '.' && (strncmp(name, before, i) != 0 || before[i] != '.'))
            snprintf(next_name(n), NAME, "%.*s", (int)i, name);
    memcpy(before, name, NAME);
}

/* "n5.gpu0", "n5.nvswitch", "n5.pcie": the names of network/compute_nodes/compute_nodes.h. */
static bool of_compute_node(const char *name) {
    const char *dot = name + 1 + strspn(name + 1, "0123456789");
    if (*name != 'n' || dot == name + 1) return false;
    return strcmp(dot, ".nvswitch") == 0 || strcmp(dot, ".pcie") == 0 || strncmp(dot, ".gpu", 4) == 0;
}

static bough_status no_such_name(const bough_fault_marks *m, const char *name, bough_error *error) {
    const bough_net *net = m->net;
    nearest *n;
    char first[NAME], last[NAME] = "";
    if (of_compute_node(name))
        return bough_fail(
            error, BOUGH_INVALID, NULL,
            "%s: faults are those of the network between NICs; '%s' is a part of a compute node. "
            "Name its NIC, one of the endpoints %s .. %s of the network",
            m->text, name, bough_node_name(net, 0, first, sizeof first),
            bough_node_name(net, net->endpoints - 1, last, sizeof last));
    bough_status status = bough_alloc(&n, 1, sizeof *n, error);
    if (status) return status;
    n->word = name;
    for (uint64_t v = 0; v < net->nodes; v++) add_names(n, net, v, last);
    for (unsigned k = 0; net->modules && net->modules[k].name; k++)
        for (uint64_t i = 0; i < net->modules[k].count && i < 4096; i++) {
            char *own = next_name(n);
            snprintf(own, NAME, "%s%" PRIu64, net->modules[k].name, i);
            if (strcmp(own, name) == 0) n->count--; /* it is empty */
        }
    settle(n);
    if (n->any)
        bough_fail(error, BOUGH_INVALID, NULL, "%s: %s contains nothing named '%s' (did you mean '%s'?)",
                   m->text, net->spec, name, n->name[BATCH]);
    else
        bough_fail(error, BOUGH_INVALID, NULL,
                   "%s: %s contains nothing that is named '%s' or matches it; nodes are named %s .. %s, "
                   "their cables NODE/PORT",
                   m->text, net->spec, name, bough_node_name(net, 0, first, sizeof first),
                   bough_node_name(net, net->nodes - 1, last, sizeof last));
    free(n);
    return BOUGH_INVALID;
}

static bough_status several_names(const bough_fault_marks *m, const char *text, const names_with *found,
                                  bough_error *error) {
    enum { SHOWN_NAMES = 4 };
    bough_text list = {0};
    char name[NAME];
    unsigned shown = 0;
    bough_text_printf(&list, "%s: %" PRIu64 " names contain '%s': ", m->text, found->count, text);
    for (uint64_t v = 0; v < m->net->nodes && shown < SHOWN_NAMES; v++)
        if (is_in(bough_node_name(m->net, v, name, sizeof name), text, found->how))
            bough_text_printf(&list, "%s%s", shown++ ? ", " : "", name);
    if (found->count > SHOWN_NAMES) bough_text_put(&list, ", ...");
    bough_text_put(&list, "; give one of them, or an expression that matches whole names");
    if (!text[strcspn(text, META)]) bough_text_printf(&list, ", as .*%s.*", text);
    return bough_fail_text(error, BOUGH_INVALID, NULL, &list);
}

/* A node by what its name has in it. */
static bough_status by_words(bough_fault_marks *m, const char *text, fault_mode mode, bough_error *error) {
    const names_with found = find_names(m->net, text);
    if (found.count > 1) return several_names(m, text, &found, error);
    if (found.node == BOUGH_NONE) return no_such_name(m, text, error);
    marks_node(m, found.node, mode);
    return BOUGH_OK;
}

bough_status fault_by_name(const bough_args *args, bough_fault_marks *m, bough_error *error) {
    const char *name = bough_args_get(args, "name")->text, *port = NULL;
    fault_mode mode = fault_mode_of(args);
    bool found = false;
    uint64_t node = net_node_named(m->net, name);
    if (node != BOUGH_NONE) {
        marks_node(m, node, mode);
        return BOUGH_OK;
    }
    node = node_of_port(m->net, name, &port);
    if (node != BOUGH_NONE) return by_port(m, node, port, mode, error);
    if (by_part(m, name, mode) || by_prefix(m, name, mode) || by_host(m, name, mode)) return BOUGH_OK;
    bough_status status = by_cable(m, name, mode, &found, error);
    if (!status && !found) status = by_pattern(m, name, mode, &found, error);
    return status || found ? status : by_words(m, name, mode, error);
}
