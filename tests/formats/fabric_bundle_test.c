/* Directories and archives with a fabric, tables and other files: what is refused, and which file is what. */
#include "formats/fabrics/fabric_bundle.h"
#include "support/archives.h"
#include "support/diagnostic_files.h"
#include "support/fabric_texts.h"
#include "support/fabrics.h"
#include "support/own_directory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define NODES                                                                                                \
    "START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n\"S1\",8,2,0x100\n\"H1\",1,1,0x200\nEND_NODES\n"

static char *plain, *list, *info, *database, *lfts;
#define TABLE(lid, guid)                                                                                     \
    "Unicast lids [0x0-0x2] of switch Lid " lid " guid 0x" guid                                              \
    " (S):\n0x0001 000 :\n0x0002 001 :\n2 valid lids dumped \n"
static const char table_1[] = TABLE("1", "0000000000000100"), table_2[] = TABLE("2", "0000000000000200");

/* Two switches and two hosts, and tables of both. */
static int make_texts(void **state) {
    static const char *const lines[] = {"S1 lid 1",  "S2 lid 2",  "H1 lid 3",  "H2 lid 4",
                                        "S1:1 H1:1", "S2:1 H2:1", "S1:5 S2:5", NULL};
    static const char *const tables[] = {"S1 1>0 2>5 3>1 4>5", "S2 1>5 2>0 3>5 4>1", NULL};
    (void)state;
    plain = fabric_text(lines);
    bough_fabric f = fabric_from(plain);
    list = write_subnet_list(&f, true);
    info = write_link_info(&f, false);
    database = write_db_csv(&f, true);
    lfts = tables_text(lines, tables);
    bough_fabric_fini(&f);
    return 0;
}

static int free_texts(void **state) {
    (void)state;
    free(plain), free(list), free(info), free(database), free(lfts);
    return 0;
}

static void refused(const char *path, bough_status status, const char *place, const char *reason) {
    bough_fabric f;
    bough_error error = {0};
    bough_status found = bough_fabric_read_file(&(bough_fabric_file){path}, &f, &error);
    if (found != status || strcmp(error.place, place) != 0 || !strstr(error.reason, reason))
        fail_msg("%s: %d: %s: %s", path, found, error.place, error.reason);
    assert_null(f.node);
}

/* The fabric of a bundle, its note, and the tables beside it, joined by blanks. */
static void check_bundle(const char *path, const char *source, const char *note, const char *tables) {
    bough_fabric f;
    bough_error error = {0};
    char **table, all[1024] = "";
    arena memory = {0};
    size_t count;
    if (bough_fabric_read_file(&(bough_fabric_file){path}, &f, &error))
        fail_msg("%s: %s: %s", path, error.place, error.reason);
    assert_string_equal(f.source, source);
    bough_fabric want = fabric_from(plain);
    char *a = cables_of(&f), *b = cables_of(&want);
    assert_string_equal(a, b);
    free(a), free(b);
    assert_int_equal(fabric_findings(&f, "bundle", BOUGH_INFO), 1);
    assert_string_equal(fabric_finding(&f, "bundle")->text, note);
    assert_string_equal(fabric_finding(&f, "bundle")->where, path);
    assert_int_equal(bough_fabric_tables_beside(path, &memory, &table, &count, &error), BOUGH_OK);
    for (size_t i = 0; i < count; i++) {
        bough_tables t;
        bough_findings findings = {0};
        if (bough_tables_read(&(bough_tables_file){table[i]}, &f, &t, &findings, &error))
            fail_msg("%s: %s", error.place, error.reason);
        bough_tables_fini(&t);
        bough_findings_fini(&findings);
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? " " : "", table[i]);
    }
    arena_fini(&memory);
    assert_string_equal(all, tables);
    bough_fabric_fini(&want);
    bough_fabric_fini(&f);
}

/* ---- bad input ---- */

static void wrong_bundles_are_refused(void **state) {
    (void)state;
    const archive_member none[] = {{"a/log", "nothing\n"}, {"b", "\1\0\2", 3}},
                         twice[] = {{"new/f", plain}, {"old/f", plain}, {"list", list}},
                         broken[] = {{"a.db_csv", NODES}, {"fabric", plain}},
                         lists[] = {{"a.csv", "node,node\na,b\n"}, {"b.csv", "node,node\na,b\n"}};
    archive_pack("none.tar", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE, none, COUNT(none));
    refused("none.tar", BOUGH_INVALID, "none.tar",
            "contains no fabric file; there are a/log, b; expected output of");
    refused("none.tar/a", BOUGH_INVALID, "none.tar/a", "contains no fabric file");
    refused("none.tar/c", BOUGH_INVALID, "none.tar", "contains no file 'c'; there are a/log, b");
    archive_pack("twice.tar", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE, twice, COUNT(twice));
    refused("twice.tar", BOUGH_INVALID, "twice.tar",
            "contains several fabric files of one kind; give one of them: twice.tar/new/f, twice.tar/old/f");
    archive_pack("broken.zip", ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE, broken, COUNT(broken));
    refused("broken.zip", BOUGH_INVALID, "broken.zip/a.db_csv", "has no section PORTS");
    archive_pack("lists.zip", ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE, lists, COUNT(lists));
    refused("lists.zip", BOUGH_INVALID, "lists.zip", "several fabric files of one kind");
}

/* Packs a text and 300 MiB of line ends as NAME.zst; returns its bytes. */
static archive_member pack_bomb(const char *name, const char *text, char *room, size_t size) {
    static char blank[1 << 20];
    struct archive *a = archive_begin("bomb", ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_ZSTD);
    memset(blank, '\n', sizeof blank);
    memcpy(blank, text, strlen(text));
    archive_put(a, &(archive_member){name, blank, sizeof blank, 300});
    archive_finish(a);
    return (archive_member){name, room, file_read("bomb", room, size)};
}

/* What is left out is not expanded; what is read has the limits of all files. */
static void bombs(void **state) {
    (void)state;
    static char room[1 << 20];
    archive_member files[] = {
        {"fabric", plain}, {"log", "x"}, pack_bomb("log.zst", "log\n", room, sizeof room)};
    archive_pack("harmless.zip", ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE, files, COUNT(files));
    check_bundle("harmless.zip", "harmless.zip/fabric",
                 "the fabric is read from fabric (ibnetdiscover); not read: log, log.zst", "");
    files[2] = pack_bomb("b.zst", NODES, room, sizeof room);
    archive_pack("harmful.zip", ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE, files, COUNT(files));
    refused("harmful.zip", BOUGH_TOO_LARGE, "harmful.zip/b.zst", "expands to more than 250 times its size");
}

/* ---- bundles ---- */

static void formats_and_ranks(void **state) {
    (void)state;
    const archive_member files[] = {{"./d/x.lst", list},     {"./d/info", info},
                                    {"./d/net", plain},      {"./d/e/y.db", database},
                                    {"./d/lfts.dump", lfts}, {"./d/log", "nothing\n"},
                                    {"./d/.hidden", plain},  {"./latest", "d", .type = AE_IFLNK}};
    static const struct {
        const char *name;
        int format, filter;
    } kinds[] = {{"b.tar", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE},
                 {"b.tgz", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP},
                 {"b.txz", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_XZ},
                 {"b.zst", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_ZSTD},
                 {"b.zip", ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE}};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        char source[64], tables[64];
        archive_pack(kinds[i].name, kinds[i].format, kinds[i].filter, files, COUNT(files));
        snprintf(source, sizeof source, "%s/d/e/y.db", kinds[i].name);
        snprintf(tables, sizeof tables, "%s/d/lfts.dump", kinds[i].name);
        check_bundle(
            kinds[i].name, source,
            "the fabric is read from d/e/y.db (db_csv); tables, checked unless others are given: "
            "d/lfts.dump; "
            "not read, as they say less about the fabric: d/info, d/net, d/x.lst; not read: d/log, latest",
            tables);
    }
    for (size_t skip = 1; skip < 4; skip++) { /* without the best of them */
        static const char *const best[] = {"net (ibnetdiscover)", "x.lst (lst)", "info (iblinkinfo)"};
        archive_member some[] = {{"log", "no"}, {"info", info}, {"x.lst", list}, {"net", plain}};
        archive_pack("some.tar", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE, some, COUNT(some) - skip + 1);
        bough_fabric f;
        assert_int_equal(bough_fabric_read_file(&(bough_fabric_file){"some.tar"}, &f, NULL), BOUGH_OK);
        assert_non_null(strstr(fabric_finding(&f, "bundle")->text, best[skip - 1]));
        bough_fabric_fini(&f);
    }
}

/* The tables of single switches are one routing if their directory holds nothing else. */
static void parts(void **state) {
    (void)state;
    const archive_member files[] = {{"net", plain}, {"t/1", table_1}, {"t/2", table_2}, {"u/1", table_1},
                                    {"u/log", "x"}, {"v/1", table_1}, {"v/list", list}};
    archive_pack("parts.tar", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE, files, COUNT(files));
    check_bundle("parts.tar", "parts.tar/net",
                 "the fabric is read from net (ibnetdiscover); tables, checked unless others are given: t; "
                 "not read, as they say less about the fabric: v/list; not read: u/1, v/1, u/log",
                 "parts.tar/t");
    /* the table of the only switch is whole */
    const archive_member one[] = {{"net", plain}, {"a", table_1}, {"b", table_1}};
    archive_pack("one.tar", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE, one, COUNT(one));
    check_bundle("one.tar", "one.tar/net",
                 "the fabric is read from net (ibnetdiscover); tables, checked unless others are given: a, b",
                 "one.tar/a one.tar/b");
}

static void directories(void **state) {
    (void)state;
    const archive_member zeros = {"log.xz", "nothing\n", 8, 100000};
    assert_int_equal(mkdir("dir", 0700), 0);
    file_write("dir/net", plain, strlen(plain));
    file_write("dir/lfts", lfts, strlen(lfts));
    file_write("dir/log", "x", 1);
    archive_pack("dir/log.xz", ARCHIVE_FORMAT_RAW, ARCHIVE_FILTER_XZ, &zeros, 1);
    check_bundle(
        "dir", "dir/net",
        "the fabric is read from net (ibnetdiscover); tables, checked unless others are given: lfts; "
        "not read: log, log.xz",
        "dir/lfts");
    /* one file is no bundle */
    arena memory = {0};
    char **tables;
    size_t count;
    assert_int_equal(bough_fabric_tables_beside("dir/net", &memory, &tables, &count, NULL), BOUGH_OK);
    assert_int_equal(count, 0);
    assert_int_equal(bough_fabric_tables_beside("-", &memory, &tables, &count, NULL), BOUGH_OK);
    assert_int_equal(count, 0);
    arena_fini(&memory);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, own_directory_enter, own_directory_leave)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(wrong_bundles_are_refused), TEST(bombs), TEST(formats_and_ranks), TEST(parts), TEST(directories),
    };
    return cmocka_run_group_tests(tests, make_texts, free_texts);
}
