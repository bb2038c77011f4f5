#include "support/cable_lists.h"

#include "network/export/network_exports.h"
#include "support/fabric_texts.h"
#include "support/specs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static listed_end read_end(char **at) {
    listed_end e = {0};
    snprintf(e.node, sizeof e.node, "%s", strsep(at, ","));
    e.host = strcmp(strsep(at, ","), "host") == 0;
    e.port = (unsigned)strtoul(strsep(at, ","), NULL, 10);
    return e;
}

listed_cable *cable_list_add(cable_list *list, listed_end a, listed_end b) {
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 64;
        list->cable = realloc(list->cable, list->capacity * sizeof *list->cable);
        assert_non_null(list->cable);
    }
    list->cable[list->count] = (listed_cable){.end = {a, b}, .rate = 100};
    return &list->cable[list->count++];
}

cable_list cable_list_of(const char *spec) {
    cable_list list = {.next_port = 200};
    bough_text text = {0};
    bough_error error;
    bough_net *net = net_make(spec);
    if (export_csv(net, &text, &error)) fail_msg("%s", error.reason);
    char *at = text.data, *line = strsep(&at, "\n"); /* the names of columns */
    assert_string_equal(line, "node,kind,port,node,kind,port,rate");
    while ((line = strsep(&at, "\n")) && *line) {
        listed_end a = read_end(&line), b = read_end(&line);
        cable_list_add(&list, a, b);
    }
    bough_text_fini(&text);
    bough_net_destroy(net);
    return list;
}

void cable_list_free(cable_list *list) {
    free(list->cable);
    *list = (cable_list){0};
}

listed_end free_port(cable_list *list, listed_end end) {
    end.port = list->next_port++;
    return end;
}

static void put_end(bough_text *text, const listed_end *e, bool ports) {
    bough_text_printf(text, "%s,%s,", e->node, e->host ? "host" : "switch");
    if (ports) bough_text_printf(text, "%u", e->port);
    bough_text_put(text, ",");
}

bough_fabric cable_list_fabric(const cable_list *list, bool ports) {
    bough_text text = {0};
    bough_text_put(&text, "node,kind,port,node,kind,port,rate\n");
    for (size_t i = 0; i < list->count; i++) {
        const listed_cable *c = &list->cable[i];
        if (c->gone) continue;
        put_end(&text, &c->end[0], ports);
        put_end(&text, &c->end[1], ports);
        bough_text_printf(&text, "%uGb/s\n", c->rate);
    }
    assert_false(text.failed);
    bough_fabric fabric = fabric_from(text.data);
    bough_text_fini(&text);
    return fabric;
}

void cable_name(char *buffer, size_t size, const listed_cable *cable, bool ports) {
    const listed_end *a = &cable->end[0], *b = &cable->end[1];
    char x[40], y[40];
    snprintf(x, sizeof x, ports ? "%s/%u" : "%s", a->node, a->port);
    snprintf(y, sizeof y, ports ? "%s/%u" : "%s", b->node, b->port);
    bool in_order = strcmp(x, y) < 0;
    snprintf(buffer, size, "%s -> %s", in_order ? x : y, in_order ? y : x);
}
