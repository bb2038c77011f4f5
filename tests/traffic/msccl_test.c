/* Algorithms of MSCCL: what is refused, that the data flow is checked, and schedules against those of
 * siblings. Two GPUs by hand; rings are made for any number. */
#include "base/text/text.h"
#include "formats/workloads/msccl.h"
#include "support/points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define STEP(s, type, src, from, dst, to, block, step)                                                       \
    "<step s='" #s "' type='" type "' srcbuf='" src "' srcoff='" #from "' dstbuf='" dst "' dstoff='" #to     \
    "' cnt='1' depid='" #block "' deps='" #step "' hasdep='0'/>\n"
#define HEAD(coll, places)   "<algo name='by hand' coll='" coll "' ngpus='2' " places ">\n"
#define OUT                  "inplace='0' outofplace='1'"
#define GPU(id, chunks, ...) "<gpu id='" #id "' " chunks ">\n" __VA_ARGS__ "</gpu>\n"
#define TB(id, peer, ...)                                                                                    \
    "<tb id='" #id "' send='" #peer "' recv='" #peer "' chan='0'>\n" __VA_ARGS__ "</tb>\n"
#define END "</algo>\n"

#define SEND(s)    STEP(s, "s", "i", 0, "o", 0, -1, -1)
#define RECEIVE(s) STEP(s, "r", "o", 0, "o", 0, -1, -1)

/* Each GPU copies its chunk, sends it, and receives the other. */
#define GATHER(r, q)                                                                                         \
    GPU(r, "i_chunks='1' o_chunks='2'",                                                                      \
        TB(0, q,                                                                                             \
           STEP(0, "cpy", "i", 0, "o", r, -1, -1) STEP(1, "s", "i", 0, "o", r, -1, -1)                       \
               STEP(2, "r", "o", q, "o", q, -1, -1)))
#define SCATTER(r, q)                                                                                        \
    GPU(r, "i_chunks='2' o_chunks='1'",                                                                      \
        TB(0, q, STEP(0, "s", "i", q, "o", 0, -1, -1) STEP(1, "rrc", "i", r, "o", 0, -1, -1)))
#define ALLTOALL(r, q)                                                                                       \
    GPU(r, "i_chunks='2' o_chunks='2'",                                                                      \
        TB(0, q,                                                                                             \
           STEP(0, "cpy", "i", r, "o", r, -1, -1) STEP(1, "s", "i", q, "o", r, -1, -1)                       \
               STEP(2, "r", "o", q, "o", q, -1, -1)))
/* The other's vector comes to the scratch buffer, from which a second block adds it. */
#define REDUCE(r, q, block, step)                                                                            \
    GPU(r, "i_chunks='1' o_chunks='1' s_chunks='1'",                                                         \
        TB(0, q, STEP(0, "s", "i", 0, "s", 0, -1, -1) STEP(1, "r", "s", 0, "s", 0, -1, -1))                  \
            TB(1, -1, STEP(0, "cpy", "i", 0, "o", 0, -1, -1) STEP(1, "re", "s", 0, "o", 0, block, step)))

static const char gather[] = HEAD("allgather", OUT) GATHER(0, 1) GATHER(1, 0) END;
static const char scatter[] = HEAD("reduce_scatter", "") SCATTER(0, 1) SCATTER(1, 0) END;
static const char alltoall[] = HEAD("alltoall", OUT) ALLTOALL(0, 1) ALLTOALL(1, 0) END;
static const char reduce[] = HEAD("allreduce", OUT) REDUCE(0, 1, 0, 1) REDUCE(1, 0, 0, 1) END;

static bough_status read_text(const char *text, msccl *m, bough_error *error) {
    bough_input input;
    *m = (msccl){0};
    *error = (bough_error){0};
    assert_int_equal(bough_input_from("a.xml", text, strlen(text), &input, error), BOUGH_OK);
    bough_status status = msccl_read(&input, m, error);
    bough_input_fini(&input);
    return status;
}

/* bough may have been built without libxml2. */
static void need_xml(void) {
    msccl m;
    bough_error error;
    const bool there = read_text(gather, &m, &error) != BOUGH_UNSUPPORTED;
    arena_fini(&m.memory);
    if (!there) skip();
}

static void refused(const char *text, const char *place, const char *reason) {
    msccl m;
    bough_error error;
    bough_status status = read_text(text, &m, &error);
    arena_fini(&m.memory);
    if (status != BOUGH_INVALID || strcmp(error.place, place) != 0 || !strstr(error.reason, reason))
        fail_msg("status %d, '%s: %s', expected '%s: %s' of:\n%s", status, error.place, error.reason, place,
                 reason, text);
}

#define ALGO(...) "<algo coll='allreduce' ngpus='2'>\n" __VA_ARGS__ "</algo>"
#define FIRST     "<gpu id='0' i_chunks='1' o_chunks='1' s_chunks='0'>\n"
#define BLOCK     "<tb id='0' send='1' recv='-1' chan='0'>\n"

static void wrong_files_are_refused(void **state) {
    (void)state;
    need_xml();
    refused("0 1\n", "a.xml", "is no MSCCL algorithm; expected XML with <algo");
    refused("<algo coll='allreduce'", "a.xml:1", "no well-formed XML");
    refused("<algo coll='broadcast' ngpus='2'/>", "a.xml:1", "coll=\"broadcast\" is not supported");
    refused("<algo coll='allreduce'/>", "a.xml:1", "ngpus= is missing");
    refused("<algo coll='allreduce' ngpus='0'/>", "a.xml:1", "ngpus=\"0\"");
    refused("<algo coll='allreduce' ngpus='two'/>", "a.xml:1",
            "ngpus=\"two\"; expected a whole number from 0 to 4096");
    refused(ALGO("<algo coll='allreduce' ngpus='2'/>"), "a.xml:2", "a second algorithm");
    refused("<?xml version='1.0'?><x><algo coll='allreduce' ngpus='2'/><gpu id='2'/></x>", "a.xml:1",
            "id=\"2\"; expected");
    refused(ALGO("<tb/>"), "a.xml:2", "<tb> outside of <gpu>");
    refused(ALGO("<step/>"), "a.xml:2", "<step> outside of <tb>");
    refused(ALGO(FIRST "</gpu>\n"), "a.xml", "GPU 1 of 2 is missing");
    refused(ALGO(FIRST "</gpu>\n" FIRST "</gpu>\n"), "a.xml:4", "GPU 0 is described twice");
    refused(ALGO(FIRST "<tb id='1'/></gpu>"), "a.xml:3", "thread block 1; expected 0");
    refused(ALGO(FIRST "<tb id='0' send='0'/></gpu>"), "a.xml:3", "GPU 0 sends to itself");
    refused(ALGO(FIRST BLOCK "<step s='1' type='nop'/></tb></gpu>"), "a.xml:4", "step 1; expected 0");
    refused(ALGO(FIRST BLOCK "<step s='0' type='rrss'/></tb></gpu>"), "a.xml:4",
            "type=\"rrss\" is unknown (did you mean 'rrs'?)");
    refused(ALGO(FIRST BLOCK "<step s='0' type='s' srcbuf='io'/></tb></gpu>"), "a.xml:4",
            "srcbuf=\"io\"; expected i, o or s");
    refused(ALGO(FIRST BLOCK "<step s='0' type='s' srcbuf='i'/></tb></gpu>"), "a.xml:4",
            "srcoff= is missing");
    refused(ALGO(FIRST BLOCK STEP(0, "r", "i", 0, "o", 0, -1, -1) "</tb></gpu>"), "a.xml:4",
            "receives, but its thread block has no GPU");
    refused(ALGO(FIRST BLOCK STEP(0, "s", "i", 0, "o", 0, 0, 1) "</tb></gpu>"), "a.xml:4",
            "waits for step 1 of thread block 0, which does not exist");
}

/* Texts whose steps do not fit together, or do not do what is demanded. */
static void data_flow_is_checked(void **state) {
    (void)state;
    need_xml();
    refused(HEAD("allreduce", "") GPU(0, "") GPU(1, "") END, "a.xml", "the vector has 0 chunks");
    refused(HEAD("alltoall", "") GPU(0, "i_chunks='3'") GPU(1, "") END, "a.xml",
            "3 chunks of the vector cannot be");
    refused(HEAD("allgather", "") GPU(0, "i_chunks='1'") GPU(1, "") END, "a.xml",
            "is no allgather: GPU 0 ends without chunk 0 of its output");
    refused(HEAD("allreduce", "inplace='1'") GPU(0, "i_chunks='1'") GPU(1, "") END, "a.xml",
            "is no allreduce in place: GPU 0 ends with another chunk 0 of its output");
    refused(HEAD("alltoall", OUT) ALLTOALL(0, 1) GPU(1, "", TB(0, 0, STEP(0, "s", "i", 2, "o", 0, -1, -1)))
                END,
            "a.xml:11", "beyond the end of their buffer");
    refused(HEAD("allgather", OUT) GATHER(0, 1) GPU(1, "") END, "a.xml:3",
            "no thread block, or one that another");
    refused(HEAD("allgather", OUT) GPU(0, "i_chunks='1'", TB(0, 1, STEP(0, "s", "i", 0, "o", 0, -1, -1)))
                GPU(1, "") END,
            "a.xml:3", "no thread block receives what is sent to GPU 1 on channel 0");
    refused(HEAD("allgather", OUT) GPU(0, "i_chunks='1'", TB(0, 1, SEND(0) SEND(1)))
                GPU(1, "", TB(0, 0, RECEIVE(0))) END,
            "a.xml:5", "sends more messages than are received");
    refused(HEAD("allgather", OUT) GPU(0, "i_chunks='1'", TB(0, 1, SEND(0)))
                GPU(1, "", TB(0, 0, RECEIVE(0) RECEIVE(1))) END,
            "a.xml:10", "receives more messages than are sent");
    refused(HEAD("allreduce", OUT) REDUCE(0, 1, 0, 1) REDUCE(1, 0, -1, -1) END, "a.xml:19",
            "uses a chunk in which there is nothing, or not yet");
    /* twice the same part: GPU 1 adds what it has, not what came */
    refused(
        HEAD("reduce_scatter", "") SCATTER(0, 1)
            GPU(1, "", TB(0, 0, STEP(0, "s", "i", 0, "o", 0, -1, -1) STEP(1, "r", "o", 0, "o", 0, -1, -1)))
                END,
        "a.xml",
        "GPU 1 ends with another chunk 0 of its output: a part is missing, is another's, or counts twice");
    /* both receive first */
    refused(HEAD("allgather",
                 OUT) GPU(0, "i_chunks='1'",
                          TB(0, 1, STEP(0, "r", "o", 1, "o", 1, -1, -1) STEP(1, "s", "i", 0, "o", 0, -1, -1)))
                GPU(1, "",
                    TB(0, 0, STEP(0, "r", "o", 0, "o", 0, -1, -1) STEP(1, "s", "i", 0, "o", 1, -1, -1))) END,
            "a.xml:4", "never starts: steps wait for each other");
}

static void files_are_read(void **state) {
    (void)state;
    static const struct {
        const char *text;
        msccl_collective what;
        uint32_t vector;
    } good[] = {{gather, MSCCL_ALLGATHER, 2},
                {scatter, MSCCL_REDUCESCATTER, 2},
                {alltoall, MSCCL_ALLTOALL, 2},
                {reduce, MSCCL_ALLREDUCE, 1}};
    need_xml();
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        msccl m;
        bough_error error;
        if (read_text(good[i].text, &m, &error)) fail_msg("%zu: %s: %s", i, error.place, error.reason);
        assert_int_equal(m.collective, good[i].what);
        assert_int_equal(m.vector, good[i].vector);
        assert_int_equal(m.gpus, 2);
        assert_string_equal(m.name, "by hand");
        arena_fini(&m.memory);
    }
}

/* ---- schedules ---- */

static char path[] = "msccl_test.XXXXXX";

static void write_file(const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    fclose(f);
}

static void put_step(bough_text *t, unsigned s, const char *type, unsigned chunk) {
    bough_text_printf(
        t,
        "<step s='%u' type='%s' srcbuf='i' srcoff='%u' dstbuf='i' dstoff='%u' cnt='1' depid='-1' "
        "deps='-1'/>",
        s, type, chunk, chunk);
}

/* The ring of Patarasuk and Yuan: n - 1 steps that add, n - 1 that copy, on each of some channels. */
static void write_ring(unsigned n, unsigned channels) {
    bough_text t = {0};
    bough_text_printf(&t, "<algo name='ring' coll='allreduce' ngpus='%u' inplace='1' outofplace='0'>", n);
    for (unsigned r = 0; r < n; r++) {
        bough_text_printf(&t, "<gpu id='%u' i_chunks='%u'>", r, n * channels);
        for (unsigned c = 0; c < channels; c++) {
            unsigned s = 0;
            bough_text_printf(&t, "<tb id='%u' send='%u' recv='%u' chan='%u'>", c, (r + 1) % n,
                              (r + n - 1) % n, c);
            put_step(&t, s++, "s", r * channels + c);
            for (unsigned j = 1; j < n - 1; j++) put_step(&t, s++, "rrs", (r + n - j) % n * channels + c);
            put_step(&t, s++, "rrcs", (r + 1) % n * channels + c);
            for (unsigned j = 0; j + 2 < n; j++) put_step(&t, s++, "rcs", (r + n - j) % n * channels + c);
            put_step(&t, s++, "r", (r + 2) % n * channels + c);
            bough_text_put(&t, "</tb>");
        }
        bough_text_put(&t, "</gpu>");
    }
    bough_text_put(&t, "</algo>");
    assert_false(t.failed);
    write_file(t.data);
    bough_text_fini(&t);
}

static double takes(const char *net, const char *traffic, const char *method) {
    bough_point p = point_make(net, "dmodk", traffic);
    bough_rows rows = rows_of(&p, method);
    assert_int_equal(rows.outcome, BOUGH_RUN_OK);
    const double time = row_value(&rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX);
    bough_rows_fini(&rows);
    point_free(&p);
    return time;
}

/* As long as the built-in ring, in all methods; with two channels, whose blocks share the links, no longer,
 * but for the delays: the same bytes. */
static void a_ring_is_a_ring(void **state) {
    (void)state;
    static const char *const methods[] = {"flow", "loggops"};
    static const char hosts[] = "size=840000,o=0ns,g=0ns,S=1,reduce=3ps";
    need_xml();
    for (unsigned n = 2; n <= 8; n++)
        for (size_t m = 0; m < 2; m++) {
            char net[64], traffic[160];
            snprintf(net, sizeof net, "xgft:down=%u,up=1", n);
            snprintf(traffic, sizeof traffic, "allreduce:ring,%s", hosts);
            const double ring = takes(net, traffic, methods[m]);
            snprintf(traffic, sizeof traffic, "allreduce:msccl:%s,%s", path, hosts);
            write_ring(n, 1);
            assert_close(takes(net, traffic, methods[m]), ring, 1e-9);
            if (m) continue;
            write_ring(n, 2);
            assert_close(takes(net, traffic, methods[m]), ring, 2e-2);
        }
}

/* The closed forms on a switch: 1 MB takes 80 us, of which a rank sends one half. */
static void times_by_hand(void **state) {
    (void)state;
    static const struct {
        const char *text, *traffic;
        double us;
    } table[] = {{gather, "allgather", 40},
                 {scatter, "reducescatter", 40},
                 {alltoall, "alltoall", 40},
                 {reduce, "allreduce", 80},
                 {reduce, "allreduce:rounds=3", 240}};
    need_xml();
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char traffic[160];
        const char *more = strchr(table[i].traffic, ':');
        const int length = (int)strcspn(table[i].traffic, ":");
        write_file(table[i].text);
        snprintf(traffic, sizeof traffic, "%.*s:algo=msccl:%s,size=1MB,o=0ns,g=0ns%s%s", length,
                 table[i].traffic, path, more ? "," : "", more ? more + 1 : "");
        assert_close(takes("xgft:down=2,up=1", traffic, "flow:delay=0ns"), table[i].us * 1e-6, 1e-9);
    }
}

static void traffic_is_refused(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"allgather:algo=msccl:%s", "is an algorithm of allreduce, but the traffic is allgather"},
        {"allreduce:algo=msccl:%s,ranks=3", "is for 2 ranks, but ranks=3"},
        {"allreduce:algo=msccl:%s,channels=2", "channels= applies to the algorithms of GPU libraries"},
        {"allreduce:algo=msccl:", "algo=msccl: is unknown"},
        {"broadcast:algo=msccl:%s", "is unknown"},
    };
    need_xml();
    write_file(reduce);
    bough_net *net;
    bough_error error;
    assert_int_equal(bough_net_create("xgft:down=4,up=1", &net, &error), BOUGH_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char spec[128];
        bough_traffic *t;
        snprintf(spec, sizeof spec, "%.*s%s%s", (int)strcspn(bad[i][0], "%"), bad[i][0],
                 strchr(bad[i][0], '%') ? path : "",
                 strchr(bad[i][0], '%') ? strchr(bad[i][0], '%') + 2 : "");
        assert_int_equal(bough_traffic_create(net, spec, &t, &error), BOUGH_INVALID);
        if (!strstr(error.reason, bad[i][1])) fail_msg("%s: '%s'", spec, error.reason);
    }
    bough_net_destroy(net);
}

static int make_path(void **state) {
    (void)state;
    const int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_path(void **state) {
    (void)state;
    return unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_files_are_refused), cmocka_unit_test(data_flow_is_checked),
        cmocka_unit_test(files_are_read),          cmocka_unit_test(a_ring_is_a_ring),
        cmocka_unit_test(times_by_hand),           cmocka_unit_test(traffic_is_refused),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
