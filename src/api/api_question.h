/* Questions of bough.h: keys and values. */
#ifndef BOUGH_API_API_QUESTION_H
#define BOUGH_API_API_QUESTION_H

#include "api/api_arguments.h"
#include "base/text/keys.h"

struct bough_question {
    handle handle;
    key_settings settings; /* values are owned */
    size_t capacity;
    bough_registry *registry; /* kept; NULL: none */
    bough_network *network;   /* kept; NULL: the key `network` names it */
};

/* A registry with the names and the network of the question, which lives as long as the answer. */
bough_status api_question_names(const bough_question *question, bough_registry **registry,
                                bough_error *error);
/* Whether it names a study. */
bool api_is_study(const bough_question *question);
/* Refuses keys that the verb does not have. verb: "bough_simulate". */
bough_status api_question_check(const bough_question *question, const char *verb, bough_error *error);

#endif
