/* Any text as a spec: it is refused with a reason, or it prints to a spec that means the same. */
#include "base/text/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One parameter of every type; the first is free text, so that bare values reach it. */
static const bough_param params[] = {
    {"text", "", BOUGH_TEXT, "none"},
    {"n", "", BOUGH_INT, "4"},
    {"r", "", BOUGH_REAL, "0.5"},
    {"share", "", BOUGH_SHARE, "0"},
    {"size", "", BOUGH_BYTES, "1KiB"},
    {"delay", "", BOUGH_TIME, "1ns"},
    {"rate", "", BOUGH_RATE, "100Gb/s"},
    {"flag", "", BOUGH_FLAG, "0"},
    {"mode", "", BOUGH_CHOICE, "fifo", .choices = "fifo|random|longest"},
    {"down", "", BOUGH_LIST, "2x2", 1, 65536},
    {"pitch", "", BOUGH_LENGTH, "100nm"},
    {"m", "", BOUGH_INT, "", 1, 100, .echo = true},
    BOUGH_PARAMS_END,
};

static bool same(const bough_value *a, const bough_value *b) {
    return a->set == b->set && a->integer == b->integer && a->real == b->real && a->count == b->count &&
           !a->text == !b->text && (!a->text || strcmp(a->text, b->text) == 0) &&
           memcmp(a->list, b->list, a->count * sizeof *a->list) == 0;
}

static void fail(const char *what, const char *text, const char *printed) {
    fprintf(stderr, "%s: '%s' prints as '%s'\n", what, text, printed ? printed : "");
    abort();
}

static void round_trip(const char *text, const char *name, const bough_args *args) {
    bough_spec spec;
    bough_args again;
    bough_error error;
    char *printed = bough_args_format(name, args);
    if (!printed || bough_spec_parse(printed, &spec, &error))
        fail("it cannot be parsed again", text, printed);
    if (strcmp(spec.name, name) != 0) fail("the name changes", text, printed);
    if (bough_args_bind(&spec, params, "thing", &again, &error)) fail(error.reason, text, printed);
    for (unsigned k = 0; params[k].key; k++)
        if (!same(&args->value[k], &again.value[k])) fail(params[k].key, text, printed);
    char *twice = bough_args_format(name, &again);
    if (!twice || strcmp(printed, twice) != 0) fail("it prints otherwise the second time", text, printed);
    free(printed);
    free(twice);
    bough_args_fini(&again);
    bough_spec_fini(&spec);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    text[size] = 0;
    bough_spec spec;
    bough_args args;
    bough_error error = {0};
    if (bough_spec_parse(text, &spec, &error) == BOUGH_OK) {
        if (bough_args_bind(&spec, params, "thing", &args, &error) == BOUGH_OK) {
            round_trip(text, spec.name, &args);
            bough_args_fini(&args);
        }
        bough_spec_fini(&spec);
    }
    if (error.status && !*error.reason) fail("refused without a reason", text, NULL);
    free(text);
    return 0;
}
