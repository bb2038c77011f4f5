/* Questions of bough.h: keys and values. */
#ifndef BOUGH_API_API_QUESTION_H
#define BOUGH_API_API_QUESTION_H

#include "api/api_arguments.h"
#include "base/text/spec.h"

typedef struct api_setting {
    const char *key; /* of the list of keys */
    char *value;
} api_setting;

struct bough_question {
    handle handle;
    api_setting *setting;
    size_t settings, capacity;
    bough_registry *registry; /* kept; NULL: none */
    bough_network *network;   /* kept; NULL: the key `network` names it */
    const char *dashes;       /* before keys in messages: "--" where they are options; NULL: none */
};

/* A registry with the names and the network of the question, which lives as long as the answer. */
bough_status api_question_names(const bough_question *question, bough_registry **registry,
                                bough_error *error);

/* The value of a key; NULL if it was not set. */
const char *api_value(const bough_question *question, const char *key);
/* All values of a key, borrowed, in an array that the caller frees. */
bough_status api_values(const bough_question *question, const char *key, const char ***value, size_t *count,
                        bough_error *error);
/* The number of a key, between low and high; unchanged if the key was not set. */
bough_status api_number(const bough_question *question, const char *key, bough_bounds bounds, uint64_t *value,
                        bough_error *error);
/* Whether it names a study. */
bool api_is_study(const bough_question *question);
/* Refuses keys that the verb does not have. verb: "bough_simulate". */
bough_status api_question_check(const bough_question *question, const char *verb, bough_error *error);

#endif
