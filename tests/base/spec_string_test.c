#include "base/text/spec.h"

#include "base/random/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* One parameter of every type; their order is used below. */
enum { P_N, P_R, P_S, P_B, P_T, P_V, P_F, P_C, P_X, P_L, P_OPEN, P_W };
static const bough_param params[] = {
    [P_N] = {"n", "a whole number", BOUGH_INT, "4"},
    [P_R] = {"r", "a number", BOUGH_REAL, "0.5"},
    [P_S] = {"share", "a share", BOUGH_SHARE, "0"},
    [P_B] = {"size", "a size", BOUGH_BYTES, "1KiB"},
    [P_T] = {"delay", "a time", BOUGH_TIME, "1ns"},
    [P_V] = {"rate", "a rate", BOUGH_RATE, "100Gb/s"},
    [P_F] = {"flag", "a flag", BOUGH_FLAG, "0"},
    [P_C] = {"mode", "a choice", BOUGH_CHOICE, "fifo", .choices = "fifo|random|longest"},
    [P_X] = {"text", "any text", BOUGH_TEXT, "none"},
    [P_L] = {"down", "a list", BOUGH_LIST, "2x2", 1, 64},
    [P_OPEN] = {"m", "decided later", BOUGH_INT, "", 1, 100},
    [P_W] = {"pitch", "a length", BOUGH_LENGTH, "100nm"},
    BOUGH_PARAMS_END,
};
static const bough_param required[] = {
    {"file", "the file to read", BOUGH_TEXT, NULL, .echo = true},
    {"k", "a bounded number", BOUGH_INT, "1", 1, 8, .echo = true},
    BOUGH_PARAMS_END,
};
static const bough_param none[] = {BOUGH_PARAMS_END};

static bough_status bind(const char *text, const bough_param *table, bough_args *args, bough_error *error) {
    bough_spec spec;
    *args = (bough_args){0};
    bough_status status = bough_spec_parse(text, &spec, error);
    if (status) return status;
    status = bough_args_bind(&spec, table, "thing", args, error);
    bough_spec_fini(&spec);
    return status;
}

static void refused(const char *text, const bough_param *table, const char *reason) {
    bough_args args;
    bough_error error = {0};
    bough_status status = bind(text, table, &args, &error);
    if (status != BOUGH_INVALID) fail_msg("'%s' is taken", text);
    if (!strstr(error.reason, reason)) fail_msg("'%s': '%s' does not say '%s'", text, error.reason, reason);
    assert_int_equal(bind(text, table, &args, NULL), BOUGH_INVALID);
}

static bough_args bound(const char *text, const bough_param *table) {
    bough_args args;
    bough_error error = {0};
    if (bind(text, table, &args, &error)) fail_msg("'%s': %s", text, error.reason);
    return args;
}

/* ---- bad input ---- */

static void what_is_no_spec_is_refused(void **state) {
    (void)state;
    refused("", params, "is not a spec");
    refused(":", params, "is not a spec");
    refused(":n=1", params, "is not a spec");
    refused("n=1", params, "is not a spec");
    refused("two words", params, "is not a spec");
    refused("x:n=1,", params, "ends with a comma");
    refused("x:1,", params, "ends with a comma");
    refused("x:n=1,,r=1", params, "has no key");
    refused("x:n=1,2", params, "'2' has no key");
    refused("x:1,2", params, "'2' has no key");
    refused("x:n=1,=2", params, "has no key");
    refused("x:text=\"open", params, "missing \" at the end of the quoted value");
    refused("x:text=\"open\\\"", params, "missing \" at the end of the quoted value");
    refused("x:text=\"a\"b", params, "comma after the quoted value");
    refused("x:1=,2=,3=,4=,5=,6=,7=,8=,9=,a=,b=,c=,d=,e=,f=,g=,h=,i=,j=,k=,l=,m=,n=,o=,p=,q=,r=,s=,t=,u=,v=,"
            "w=,x=,y=,z=,A=,B=,C=,D=,E=,F=",
            params, "more than 40 parameters");
}

static void unknown_and_repeated_keys_are_refused(void **state) {
    (void)state;
    refused("x:dealy=1ns", params, "did you mean 'delay'?); available");
    refused("x:dealy=1ns", params, "available: n, r, share, size");
    refused("x:zzzzzz=1", params, "has no parameter 'zzzzzz'");
    refused("x:N=1", params, "did you mean 'n'");
    refused("x:n=1,n=2", params, "n is given twice");
    refused("x:1,n=2", params, "n is given twice");
    refused("x:n=1", none, "has no parameters");
    refused("x:5", none, "has no parameters, but '5' was given");
    refused("x", required, "needs file=... (the file to read)");
    refused("x:k=2", required, "needs file=...");
}

static void values_of_the_wrong_type_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"x:n=", "not a whole number"},
        {"x:n=abc", "not a whole number"},
        {"x:n=1.5", "not a whole number"},
        {"x:n=10000000000.5", "not a whole number"},
        {"x:n=1125899906842624.5", "not a whole number"}, /* 2^50 and a half */
        {"x:n=0x10", "not a whole number"},
        {"x:n= 1", "not a whole number"},
        {"x:n=1 ", "not a whole number"},
        {"x:n=1Kix", "not a whole number"},
        {"x:n=1MB", "not a whole number"},
        {"x:n=2^", "not a whole number"},
        {"x:n=2^-1", "not a whole number"},
        {"x:n=9223372036854775808", "too large; 2^62 is the limit"},
        {"x:n=2^63", "too large; 2^62 is the limit"},
        {"x:n=1e300", "too large; 2^62 is the limit"},
        {"x:n=inf", "not a whole number"},
        {"x:n=nan", "not a whole number"},
        {"x:n=--1", "not a whole number"},
        {"x:r=1e999", "not a number"},
        {"x:r=-1e999", "not a number"},
        {"x:r=1e-999", "not a number"}, /* would be 0 */
        {"x:r=nan", "not a number"},
        {"x:r=inf", "not a number"},
        {"x:r=10^400", "not a number"},
        {"x:r=5%", "not a number"},
        {"x:share=1.01", "between 0 and 1"},
        {"x:share=101%", "between 0 and 1"},
        {"x:share=-1%", "between 0 and 1"},
        {"x:share=half", "not a fraction"},
        {"x:size=1mb", "not a size"},
        {"x:size=0.3B", "not a size"},
        {"x:size=10ns", "not a size"},
        {"x:pitch=100", "not a length with its unit"},
        {"x:pitch=0.5nm", "not a length"},
        {"x:delay=10", "a time with its unit"},
        {"x:delay=10x", "a time with its unit"},
        {"x:delay=0.1ps", "a time with its unit"},
        {"x:rate=100", "a rate with its unit"},
        {"x:rate=100Gb", "a rate with its unit"},
        {"x:rate=100GB", "a rate with its unit"},
        {"x:flag=2", "not 0 or 1"},
        {"x:flag=-1", "not 0 or 1"},
        {"x:flag=yes", "not 0 or 1"},
        {"x:mode=fifi", "did you mean 'fifo'"},
        {"x:mode=zzz", "one of fifo|random|longest"},
        {"x:mode=", "one of fifo|random|longest"},
        {"x:down=", "is not a list"},
        {"x:down=2x", "is not a list"},
        {"x:down=x2", "is not a list"},
        {"x:down=2xx2", "is not a list"},
        {"x:down=2y2", "not a whole number"},
        {"x:down=1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1", "up to 16"},
        {"x:down=11111111111111111111111111111111", "is not a list"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) refused(cases[i].text, params, cases[i].reason);
}

static void values_out_of_bounds_are_refused(void **state) {
    (void)state;
    refused("x:file=f,k=0", required, "k must lie between 1 and 8");
    refused("x:file=f,k=9", required, "k must lie between 1 and 8");
    refused("x:m=0", params, "between 1 and 100");
    refused("x:m=101", params, "between 1 and 100");
    refused("x:down=2x0x2", params, "down must lie between 1 and 64");
    refused("x:down=65", params, "down must lie between 1 and 64");
}

/* A line of a message must stay one line, and short, whatever the input holds. */
static void messages_stay_one_line(void **state) {
    (void)state;
    static char text[5000];
    bough_args args;
    bough_error error;
    assert_int_equal(bind("x:n=1\n2\x1b[31m", params, &args, &error), BOUGH_INVALID);
    for (const char *c = error.reason; *c; c++) assert_true((unsigned char)*c >= 0x20 && *c != 0x7f);
    memset(text, 'y', sizeof text - 1);
    memcpy(text, "x:n=", 4);
    assert_int_equal(bind(text, params, &args, &error), BOUGH_INVALID);
    assert_true(strlen(error.reason) < sizeof error.reason);
}

/* ---- values ---- */

static void assert_integer(const char *text, unsigned param, int64_t want) {
    bough_args args = bound(text, params);
    if (args.value[param].integer != want)
        fail_msg("%s gives %lld, not %lld", text, (long long)args.value[param].integer, (long long)want);
    assert_true(args.value[param].given && args.value[param].set);
    bough_args_fini(&args);
}

static void assert_real(const char *text, unsigned param, double want) {
    bough_args args = bound(text, params);
    if (args.value[param].real != want)
        fail_msg("%s gives %.17g, not %.17g", text, args.value[param].real, want);
    bough_args_fini(&args);
}

static void numbers_come_in_many_spellings(void **state) {
    (void)state;
    assert_integer("x:n=1024", P_N, 1024);
    assert_integer("x:n=007", P_N, 7);
    assert_integer("x:n=+5", P_N, 5);
    assert_integer("x:n=-5", P_N, -5);
    assert_integer("x:n=1Ki", P_N, 1024);
    assert_integer("x:n=1.5Ki", P_N, 1536);
    assert_integer("x:n=4Mi", P_N, 4 << 20);
    assert_integer("x:n=2Gi", P_N, INT64_C(2) << 30);
    assert_integer("x:n=1Ti", P_N, INT64_C(1) << 40);
    assert_integer("x:n=2^20", P_N, 1 << 20);
    assert_integer("x:n=2^62", P_N, INT64_C(1) << 62);
    assert_integer("x:n=1e6", P_N, 1000000);
    assert_integer("x:n=2.5e3", P_N, 2500);
    assert_integer("x:n=9007199254740993", P_N, INT64_C(9007199254740993)); /* no double holds it */
    assert_integer("x:n=9223372036854775807", P_N, INT64_MAX);
    assert_real("x:r=.25", P_R, 0.25);
    assert_real("x:r=-1e-3", P_R, -0.001);
    assert_real("x:r=2^0.5", P_R, 1.4142135623730951);
    assert_real("x:r=1Ki", P_R, 1024);
    assert_real("x:r=1e-310", P_R, 1e-310); /* below the normal doubles, but a number */
}

static void units_stand_where_they_are_due(void **state) {
    (void)state;
    assert_integer("x:size=4096", P_B, 4096);
    assert_integer("x:size=1B", P_B, 1);
    assert_integer("x:size=1.5kB", P_B, 1500);
    assert_integer("x:size=1MB", P_B, 1000000);
    assert_integer("x:size=2GB", P_B, 2000000000);
    assert_integer("x:size=1TB", P_B, 1000000000000);
    assert_integer("x:size=2PB", P_B, 2000000000000000);
    assert_integer("x:size=64KiB", P_B, 65536);
    assert_integer("x:size=1PiB", P_B, INT64_C(1) << 50);
    assert_integer("x:size=1MiB", P_B, 1 << 20);
    assert_integer("x:size=1GiB", P_B, 1 << 30);
    assert_integer("x:size=0.1GB", P_B, 100000000);
    assert_integer("x:size=2^10KiB", P_B, 1 << 20);
    assert_integer("x:delay=3ps", P_T, 3);
    assert_integer("x:delay=10ns", P_T, 10000);
    assert_integer("x:pitch=2.5um", P_W, 2500);
    assert_integer("x:pitch=3cm", P_W, 30000000);
    assert_integer("x:delay=1.1ns", P_T, 1100);
    assert_integer("x:delay=0.3us", P_T, 300000);
    assert_integer("x:delay=2ms", P_T, INT64_C(2000000000));
    assert_integer("x:delay=1s", P_T, INT64_C(1000000000000));
    assert_integer("x:rate=1b/s", P_V, 1);
    assert_integer("x:rate=100Gb/s", P_V, INT64_C(100000000000));
    assert_integer("x:rate=14.0625Gb/s", P_V, INT64_C(14062500000));
    assert_integer("x:rate=12.5GB/s", P_V, INT64_C(100000000000)); /* bytes */
    assert_integer("x:rate=100Gbps", P_V, INT64_C(100000000000));
    assert_integer("x:rate=1.6Tb/s", P_V, INT64_C(1600000000000));
    assert_real("x:share=5%", P_S, 0.05);
    assert_real("x:share=0.05", P_S, 0.05);
    assert_real("x:share=100%", P_S, 1);
    assert_real("x:share=0", P_S, 0);
}

static void lists_and_choices(void **state) {
    (void)state;
    bough_args args = bound("x:down=16x2^4x1,mode=longest", params);
    assert_int_equal(args.value[P_L].count, 3);
    assert_int_equal(args.value[P_L].list[0], 16);
    assert_int_equal(args.value[P_L].list[1], 16);
    assert_int_equal(args.value[P_L].list[2], 1);
    assert_int_equal(args.value[P_C].integer, 2);
    assert_string_equal(args.value[P_C].text, "longest");
    bough_args_fini(&args);
    args = bound("x:down=1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x64", params);
    assert_int_equal(args.value[P_L].count, 16);
    assert_int_equal(args.value[P_L].list[15], 64);
    bough_args_fini(&args);
}

static void one_leading_bare_value_is_the_first_parameter(void **state) {
    (void)state;
    bough_args args = bound("x:7,flag=1", params);
    assert_int_equal(args.value[P_N].integer, 7);
    assert_int_equal(args.value[P_F].integer, 1);
    bough_args_fini(&args);
    args = bound("x:/tmp/a:b/run.goal,k=3", required);
    assert_string_equal(args.value[0].text, "/tmp/a:b/run.goal");
    assert_int_equal(args.value[1].integer, 3);
    bough_args_fini(&args);
    args = bound("x:\"a,b=c\",k=3", required);
    assert_string_equal(args.value[0].text, "a,b=c");
    bough_args_fini(&args);
}

static void what_is_not_given_has_its_default(void **state) {
    (void)state;
    for (int colon = 0; colon < 2; colon++) {
        bough_args args = bound(colon ? "x:" : "x", params);
        assert_int_equal(args.value[P_N].integer, 4);
        assert_true(args.value[P_R].real == 0.5);
        assert_int_equal(args.value[P_B].integer, 1024);
        assert_int_equal(args.value[P_T].integer, 1000);
        assert_int_equal(args.value[P_V].integer, INT64_C(100000000000));
        assert_string_equal(args.value[P_C].text, "fifo");
        assert_string_equal(args.value[P_X].text, "none");
        assert_int_equal(args.value[P_L].count, 2);
        assert_false(args.value[P_N].given);
        assert_true(args.value[P_N].set);
        assert_false(args.value[P_OPEN].set);
        bough_args_fini(&args);
    }
}

/* ---- printing ---- */

static void assert_prints(const char *text, const bough_param *table, const char *want) {
    bough_args args = bound(text, table);
    char *have = bough_args_format("x", &args);
    assert_string_equal(have, want);
    free(have);
    bough_args_fini(&args);
}

static void only_what_differs_is_printed(void **state) {
    (void)state;
    assert_prints("x", params, "x");
    assert_prints("x:n=4,r=0.5,size=1024,delay=1000ps,rate=1e11b/s,mode=fifo,down=2x2", params, "x");
    assert_prints("x:n=5", params, "x:n=5");
    assert_prints("x:flag=1,n=5", params, "x:n=5,flag=1"); /* in the order of the table */
    assert_prints("x:m=7", params, "x:m=7");
    assert_prints("x:pitch=2000um", params, "x:pitch=2mm");
    assert_prints("x:share=5%,size=1MB,delay=10ns,rate=1Gb/s,down=16x16", params,
                  "x:share=0.05,size=1MB,delay=10ns,rate=1Gb/s,down=16x16");
    assert_prints("x:size=1500,delay=0ps,rate=14.0625Gb/s", params,
                  "x:size=1500,delay=0ps,rate=14062500kb/s");     /* in the largest unit that divides it */
    assert_prints("x:run.goal", required, "x:file=run.goal,k=1"); /* echoed also at its default */
}

static void awkward_text_is_quoted(void **state) {
    (void)state;
    assert_prints("x:text=\"a,b\"", params, "x:text=\"a,b\"");
    assert_prints("x:text=\"\"", params, "x:text=\"\"");
    assert_prints("x:text=", params, "x:text=\"\"");
    assert_prints("x:text=\"a b\"", params, "x:text=a b");
    assert_prints("x:text=\"say \\\"hi\\\" \\\\ \\n\"", params, "x:text=\"say \\\"hi\\\" \\\\ \\\\n\"");
}

static void values_set_by_code_are_printed(void **state) {
    (void)state;
    bough_args args = bound("x", params);
    bough_args_set_int(&args, "m", 42);
    assert_int_equal(bough_args_set_text(&args, "text", "later", NULL), BOUGH_OK);
    assert_int_equal(bough_args_set_text(&args, "text", "even later", NULL), BOUGH_OK);
    assert_int_equal(bough_args_get(&args, "m")->integer, 42);
    assert_int_equal(bough_args_index(&args, "down"), P_L);
    char *text = bough_args_format("x", &args);
    assert_string_equal(text, "x:text=even later,m=42");
    free(text);
    bough_args_fini(&args);
    bough_args_fini(&args); /* twice is fine */
}

static void assert_same_values(const bough_args *a, const bough_args *b, const char *text) {
    for (unsigned k = 0; params[k].key; k++) {
        const bough_value *x = &a->value[k], *y = &b->value[k];
        bool same = x->set == y->set && x->integer == y->integer && x->real == y->real &&
                    x->count == y->count && !x->text == !y->text &&
                    (!x->text || strcmp(x->text, y->text) == 0) &&
                    memcmp(x->list, y->list, x->count * sizeof *x->list) == 0;
        if (!same) fail_msg("'%s': %s does not round-trip", text, params[k].key);
    }
}

/* 2000 random specs: what is printed parses to the same values, and prints the same again. */
static void printing_and_parsing_round_trip(void **state) {
    (void)state;
    static const char awkward[] = "ab,=\"\\ :x%^.";
    bough_stream s = bough_stream_make(bough_key_make(1, 0), BOUGH_DRAW_TEST, 0, 0);
    for (int i = 0; i < 2000; i++) {
        bough_args args = bound("x", params), again;
        for (unsigned k = 0; params[k].key; k++) {
            if (bough_stream_below(&s, 2)) continue;
            bough_value *v = &args.value[k];
            v->set = true;
            switch (params[k].type) {
            case BOUGH_REAL:
                v->real = (bough_unit(bough_stream_next(&s)) - 0.5) * (double)bough_stream_below(&s, 1000000);
                break;
            case BOUGH_SHARE:
                v->real = bough_unit(bough_stream_next(&s));
                break;
            case BOUGH_FLAG:
                v->integer = (int64_t)bough_stream_below(&s, 2);
                break;
            case BOUGH_TEXT: {
                char text[12] = "";
                size_t length = bough_stream_below(&s, sizeof text);
                for (size_t c = 0; c < length; c++)
                    text[c] = awkward[bough_stream_below(&s, sizeof awkward - 1)];
                text[length] = 0;
                assert_int_equal(bough_args_set_text(&args, params[k].key, text, NULL), BOUGH_OK);
                break;
            }
            case BOUGH_CHOICE:
                v->integer = 1;
                assert_int_equal(bough_args_set_text(&args, params[k].key, "random", NULL), BOUGH_OK);
                break;
            case BOUGH_LIST:
                v->count = 1 + (unsigned)bough_stream_below(&s, BOUGH_LIST_MAX);
                for (unsigned e = 0; e < v->count; e++) v->list[e] = 1 + (int64_t)bough_stream_below(&s, 64);
                break;
            default: /* up to 2^53; "decided later" has bounds */
                v->integer =
                    (int64_t)bough_stream_below(&s, k == P_OPEN ? 100 : UINT64_C(1) << 53) + (k == P_OPEN);
            }
        }
        char *text = bough_args_format("x", &args);
        again = bound(text, params);
        assert_same_values(&args, &again, text);
        char *twice = bough_args_format("x", &again);
        assert_string_equal(text, twice);
        free(text);
        free(twice);
        bough_args_fini(&args);
        bough_args_fini(&again);
    }
}

/* ---- numbers alone, suggestions ---- */

static void numbers_outside_specs(void **state) {
    (void)state;
    int64_t whole = 0;
    double real = 0;
    bough_error error;
    assert_int_equal(bough_parse_int("x", "trials", &whole, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "trials: 'x'"));
    assert_int_equal(bough_parse_int("", "trials", &whole, &error), BOUGH_INVALID);
    assert_int_equal(bough_parse_real("1,5", "eps", &real, &error), BOUGH_INVALID);
    assert_non_null(strstr(error.reason, "eps: '1,5'"));
    assert_int_equal(bough_parse_int("2^10", "trials", &whole, NULL), BOUGH_OK);
    assert_int_equal(whole, 1024);
    assert_int_equal(bough_parse_real("1e-2", "eps", &real, NULL), BOUGH_OK);
    assert_true(real == 0.01);
}

static void suggestions_are_near(void **state) {
    (void)state;
    static const char *const names[] = {"fattree", "xgft", "kary", "clos", "transpose", "ab"};
    const size_t count = sizeof names / sizeof *names;
    assert_null(bough_suggest("fattree", names, 0));
    assert_null(bough_suggest("zebra", names, count));
    assert_null(bough_suggest("", names, count));
    assert_null(bough_suggest("qq", names, count));
    assert_string_equal(bough_suggest("fatree", names, count), "fattree");
    assert_string_equal(bough_suggest("fattere", names, count), "fattree"); /* neighbours swapped */
    assert_string_equal(bough_suggest("FatTree", names, count), "fattree"); /* case is no distance */
    assert_string_equal(bough_suggest("trans", names, count), "transpose"); /* a beginning */
    assert_string_equal(bough_suggest("close", names, count), "clos");
    assert_string_equal(bough_suggest("xgtf", names, count), "xgft");
    char long_word[200];
    memset(long_word, 'f', sizeof long_word - 1);
    long_word[sizeof long_word - 1] = 0;
    assert_null(bough_suggest(long_word, names, count));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_spec_is_refused),
        cmocka_unit_test(unknown_and_repeated_keys_are_refused),
        cmocka_unit_test(values_of_the_wrong_type_are_refused),
        cmocka_unit_test(values_out_of_bounds_are_refused),
        cmocka_unit_test(messages_stay_one_line),
        cmocka_unit_test(numbers_come_in_many_spellings),
        cmocka_unit_test(units_stand_where_they_are_due),
        cmocka_unit_test(lists_and_choices),
        cmocka_unit_test(one_leading_bare_value_is_the_first_parameter),
        cmocka_unit_test(what_is_not_given_has_its_default),
        cmocka_unit_test(only_what_differs_is_printed),
        cmocka_unit_test(awkward_text_is_quoted),
        cmocka_unit_test(values_set_by_code_are_printed),
        cmocka_unit_test(printing_and_parsing_round_trip),
        cmocka_unit_test(numbers_outside_specs),
        cmocka_unit_test(suggestions_are_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
