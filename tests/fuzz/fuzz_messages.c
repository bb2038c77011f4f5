/* Any bytes as the CSV of `messages`, over a family and over a fabric with names: refused with a place and a
 * reason, or messages between endpoints that exist, in order of time. */
#include "fuzz/must.h"
#include "traffic/lists/message_csv.h"
#include "traffic/patterns/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char fabric[] = "Switch\t8 \"S-00000000000000a0\"\t\t# \"leaf\" base port 0 lid 1 lmc 0\n"
                             "[1]\t\"H-0000000000000100\"[1](101) \t\t# \"n4\" lid 4 4xQDR\n"
                             "[2]\t\"H-0000000000000200\"[1](201) \t\t# \"n, \\\"6\\\"\" lid 6 4xQDR\n"
                             "[3]\t\"H-0000000000000200\"[2](202) \t\t# \"n, \\\"6\\\"\" lid 7 4xQDR\n"
                             "Ca\t1 \"H-0000000000000100\"\t\t# \"n4\"\n"
                             "[1](101) \t\"S-00000000000000a0\"[1]\t\t# lid 4 lmc 1 \"leaf\" lid 1 4xQDR\n"
                             "Ca\t2 \"H-0000000000000200\"\t\t# \"n6\"\n"
                             "[1](201) \t\"S-00000000000000a0\"[2]\t\t# lid 6 lmc 0 \"leaf\" lid 1 4xQDR\n"
                             "[2](202) \t\"S-00000000000000a0\"[3]\t\t# lid 7 lmc 0 \"leaf\" lid 1 4xQDR\n";

static bough_net *net[2];

/* They live as long as the program. */
static void make_nets(void) {
    bough_fabric f;
    bough_error error;
    if (bough_net_create("kary:k=3,levels=2", &net[0], &error) ||
        bough_fabric_parse("fabric", fabric, sizeof fabric - 1, &f, &error) ||
        bough_net_from_fabric(&f, NULL, "ibnet", &net[1], &error)) {
        fprintf(stderr, "%s\n", error.reason);
        abort();
    }
}

static void look_at(const bough_traffic *t) {
    bough_source *source;
    bough_error error;
    bough_message m[8];
    uint64_t count = 0, last = 0, now;
    MUST(!t->kind->open(t, bough_key_make(1, 0), NULL, &source, &error));
    while ((now = source->next_time(source)) != BOUGH_NONE) {
        uint32_t got = source->pop(source, now, m, 8);
        MUST(got > 0);
        for (uint32_t i = 0; i < got; i++, count++) {
            MUST(m[i].id == count && m[i].size > 0 && m[i].time >= last && m[i].time <= now);
            MUST(m[i].source < t->net->endpoints && m[i].address < t->net->addresses);
            MUST(bough_address_node(t->net, m[i].address) != m[i].source);
            last = m[i].time;
        }
    }
    MUST(count == t->messages && (last > 0) == (t->shape == BOUGH_STREAM));
    source->close(source);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    if (!net[0]) make_nets();
    for (int i = 0; i < 2; i++) {
        bough_input input;
        bough_error error = {0};
        bough_traffic t = {.net = net[i], .kind = &bough_traffic_messages};
        if (bough_input_from("fuzz.csv", data, size, &input, &error)) return 0;
        if (messages_read(&input, net[i], &t, &error))
            MUST(*error.place && *error.reason && !strchr(error.reason, '\n'));
        else
            look_at(&t);
        t.kind->fini(&t);
        bough_input_fini(&input);
    }
    return 0;
}
