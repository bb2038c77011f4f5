/* Keys of a question. One table says what the options of a command and the keys of bough_question_set are
 * called, what values they take, what the help says of them, and where they land in the question of a finder:
 *
 *     static const question_key keys[] = {
 *         {"slurm", 0, "FILE", "Slurm's topology.conf", 0, "FILE", KEY_TEXT, offsetof(question, slurm)},
 *         {"seed", 0, "S", "seed (default 1)", 0, NULL, KEY_WHOLE, offsetof(question, seed),
 *          .bounds = {0, INT64_MAX}, .fallback = 1},
 *         KEYS_END,
 *     };
 *     status = keys_read(keys, &settings, &memory, &question, error);
 *
 * Help, manual pages, completion and `bough list --json` read the same table. */
#ifndef BOUGH_BASE_TEXT_KEYS_H
#define BOUGH_BASE_TEXT_KEYS_H

#include "base/memory/arena.h"
#include "base/text/spec.h"

/* Where a value lands. */
typedef enum question_key_kind {
    KEY_NOWHERE, /* the command looks for it itself */
    KEY_TEXT,    /* const char * */
    KEY_LIST,    /* const char *const *, with its size_t at `count` */
    KEY_WHOLE,   /* uint64_t, within the bounds */
    KEY_SMALL,   /* unsigned, within the bounds */
    KEY_REAL,    /* double */
    KEY_FLAG,    /* bool: given, or 1 of 0 and 1 */
    KEY_TAKEN    /* where `take` puts it */
} question_key_kind;

#define KEY_REPEAT  1u  /* may be repeated, and accumulates */
#define KEY_LISTED  2u  /* several values, joined by commas */
#define KEY_WRITES  4u  /* names a file that is written: no other option may name it */
#define KEY_REPORT  8u  /* says what is printed or written, not what is asked */
#define KEY_COMMAND 16u /* of the command only */
#define KEY_PROGRAM 32u /* of programs (bough_question_set) only */
#define KEY_OWN     64u /* this and higher ones: of the command itself */

struct key_given;

typedef struct question_key {
    const char *name;     /* without the dashes; NULL ends the table */
    char letter;          /* -o; 0: none */
    const char *argument; /* "N"; NULL: a flag */
    const char *help;     /* one line; more lines after \n */
    unsigned flags;
    /* What the argument may be, for completion and `bough list --json`, joined by |: words ("auto|never");
     * FILE, DIRECTORY; a kind of `bough list` in capitals (ROUTINGS), of which specs are made; NAMES, of any
     * kind. NULL: numbers, or any text. */
    const char *values;
    question_key_kind kind;
    size_t at, count; /* offsets in the question */
    bough_bounds bounds;
    uint64_t fallback; /* WHOLE: of a key that is not set; 0: the question keeps what it has */
    bough_status (*take)(const struct key_given *given, void *question, bough_error *error); /* TAKEN */
    const char *after; /* options of a command beside a table of keys: the key that the help has before it */
} question_key;

#define KEYS_END                                                                                             \
    { 0 }

typedef struct key_setting {
    const question_key *key; /* of any table: names count */
    const char *value;       /* "" of a flag */
} key_setting;

/* What was said, in order. */
typedef struct key_settings {
    key_setting *item;
    size_t count;
    bool command; /* a command line: messages name options */
} key_settings;

/* One of them. */
typedef struct key_given {
    const char *value, *name; /* "--seed" of a command line, else "seed" */
    const key_settings *all;
    size_t at;     /* its place among them */
    arena *memory; /* of the question */
} key_given;

/* The key of a program of this name; NULL: there is none. */
const question_key *keys_find(const question_key *keys, const char *name);
/* The first value of a key; NULL: it was not set. */
const char *keys_value(const key_settings *settings, const char *name);

#define KEY_VALUE_MAX 32
/* Reads the next of `values` of a key; false beyond the last. */
bool key_next_value(const char **values, char value[KEY_VALUE_MAX]);
/* Whether a value is a word, to be written as it stands. */
bool key_value_is_word(const char *value);

/* Puts the settings of these keys into the question, in their order; others are left alone. Texts are
 * borrowed, lists are in the memory. Errors: INVALID with the name; NO_MEMORY; those of `take`. */
bough_status keys_read(const question_key *keys, const key_settings *settings, arena *memory, void *question,
                       bough_error *error);

/* Appends to an array of this memory, without copying the text. */
bough_status key_list_add(arena *memory, const char *const **list, size_t *count, const char *text,
                          bough_error *error);

#endif
