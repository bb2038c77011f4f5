/* Keys of questions: wrong values, then every place where a value may land, from a command line and from a
 * program. */
#include "base/text/keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct question {
    const char *text;
    const char *const *list;
    size_t listed;
    uint64_t whole;
    unsigned small;
    double real;
    bool flag;
    const char *taken;
    size_t place;
} question;

static bough_status take(const key_given *given, void *to, bough_error *error) {
    question *q = to;
    if (!*given->value) return bough_fail(error, BOUGH_INVALID, NULL, "%s is empty", given->name);
    q->taken = given->value;
    q->place = given->at;
    return BOUGH_OK;
}

enum { TEXT, LIST, OTHER_LIST, WHOLE, SMALL, REAL, FLAG, TAKEN, COMMANDED, PROGRAMMED, NOWHERE };
static const question_key keys[] = {
    [TEXT] = {"text", 0, "T", "a text", 0, "a|FILE|b", KEY_TEXT, offsetof(question, text)},
    [LIST] = {"list", 0, "T", "texts", KEY_REPEAT, NULL, KEY_LIST, offsetof(question, list),
              offsetof(question, listed)},
    [OTHER_LIST] = {"other", 0, "T", "more", KEY_REPEAT, NULL, KEY_LIST, offsetof(question, list),
                    offsetof(question, listed)},
    [WHOLE] = {"whole", 0, "N", "a number", 0, NULL, KEY_WHOLE, offsetof(question, whole), .bounds = {2, 9},
               .fallback = 7},
    [SMALL] = {"small", 0, "N", "a number", 0, NULL, KEY_SMALL, offsetof(question, small), .bounds = {0, 3}},
    [REAL] = {"real", 0, "X", "a number", 0, NULL, KEY_REAL, offsetof(question, real)},
    [FLAG] = {"flag", 0, NULL, "a flag", 0, NULL, KEY_FLAG, offsetof(question, flag)},
    [TAKEN] = {"taken", 0, "T", "a text", 0, NULL, KEY_TAKEN, .take = take},
    [COMMANDED] = {"same", 0, NULL, "a flag", KEY_COMMAND, NULL, KEY_FLAG, offsetof(question, flag)},
    [PROGRAMMED] = {"same", 0, "T", "a text", KEY_PROGRAM, NULL, KEY_TEXT, offsetof(question, text)},
    [NOWHERE] = {"nowhere", 0, "T", "a text", 0},
    KEYS_END,
};

static arena memory;

static bough_status read_one(int key, const char *value, bool command, question *q, bough_error *error) {
    key_setting one = {&keys[key], value};
    *q = (question){0};
    return keys_read(keys, &(key_settings){&one, 1, command}, &memory, q, error);
}

static void wrong_values(void **state) {
    (void)state;
    static const struct {
        int key;
        const char *value, *reason;
    } wrong[] = {{WHOLE, "1", "--whole: 1 is out of range; it must lie between 2 and 9"},
                 {WHOLE, "x", "--whole"},
                 {SMALL, "4", "--small: 4 is out of range; it must lie between 0 and 3"},
                 {REAL, "x", "--real: 'x' is not a number"},
                 {TAKEN, "", "--taken is empty"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        for (int command = 0; command < 2; command++) {
            question q;
            bough_error error = {0};
            const char *reason = wrong[i].reason + (command ? 0 : 2);
            assert_int_equal(read_one(wrong[i].key, wrong[i].value, command, &q, &error), BOUGH_INVALID);
            if (strstr(error.reason, reason) != error.reason) fail_msg("%s", error.reason);
            arena_fini(&memory);
        }
    question q;
    bough_error error = {0};
    assert_int_equal(read_one(FLAG, "2", false, &q, &error), BOUGH_INVALID);
}

static void every_place(void **state) {
    (void)state;
    key_setting given[] = {{&keys[LIST], "a"},  {&keys[TEXT], "t"},    {&keys[OTHER_LIST], "b"},
                           {&keys[SMALL], "3"}, {&keys[LIST], "c"},    {&keys[REAL], "-2.5"},
                           {&keys[FLAG], ""},   {&keys[NOWHERE], "z"}, {&keys[TAKEN], "y"}};
    const key_settings all = {given, sizeof given / sizeof *given, true};
    question q = {0};
    bough_error error = {0};
    assert_int_equal(keys_read(keys, &all, &memory, &q, &error), BOUGH_OK);
    assert_string_equal(q.text, "t");
    assert_int_equal(q.listed, 3);
    for (int i = 0; i < 3; i++) assert_string_equal(q.list[i], i == 0 ? "a" : i == 1 ? "b" : "c");
    assert_true(q.whole == 7 && q.small == 3 && q.real == -2.5 && q.flag);
    assert_string_equal(q.taken, "y");
    assert_int_equal(q.place, 8);
    assert_string_equal(keys_value(&all, "list"), "a");
    assert_null(keys_value(&all, "whole"));
    arena_fini(&memory);
}

/* One name may be a flag of the command and a text of programs, which say of flags 0 or 1. */
static void commands_and_programs(void **state) {
    (void)state;
    question q;
    assert_int_equal(read_one(COMMANDED, "", true, &q, NULL), BOUGH_OK);
    assert_true(q.flag && !q.text);
    assert_int_equal(read_one(PROGRAMMED, "x", false, &q, NULL), BOUGH_OK);
    assert_true(!q.flag && strcmp(q.text, "x") == 0);
    assert_ptr_equal(keys_find(keys, "same"), &keys[PROGRAMMED]);
    assert_null(keys_find(keys, "nobody"));
    assert_int_equal(read_one(FLAG, "0", false, &q, NULL), BOUGH_OK);
    assert_false(q.flag);
    assert_int_equal(read_one(FLAG, "1", false, &q, NULL), BOUGH_OK);
    assert_true(q.flag);
}

static void values_for_completion(void **state) {
    (void)state;
    const char *values = keys[TEXT].values, *none = NULL;
    char value[KEY_VALUE_MAX];
    static const struct {
        const char *text;
        bool word;
    } expected[] = {{"a", true}, {"FILE", false}, {"b", true}};
    for (int i = 0; i < 3; i++) {
        assert_true(key_next_value(&values, value));
        assert_string_equal(value, expected[i].text);
        assert_int_equal(key_value_is_word(value), expected[i].word);
    }
    assert_false(key_next_value(&values, value));
    assert_false(key_next_value(&none, value));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_values),
        cmocka_unit_test(every_place),
        cmocka_unit_test(commands_and_programs),
        cmocka_unit_test(values_for_completion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
