/* What `bough check`, bough_diagnose and the package bough for Python may ask: the keys, and the question
 * that they make. An option of `check` is a row of check_keys, and the member of the question that it fills.
 */
#ifndef BOUGH_FABRIC_CHECK_CHECK_KEYS_H
#define BOUGH_FABRIC_CHECK_CHECK_KEYS_H

#include "base/text/keys.h"
#include "fabric/check/check.h"
#include "network/spec_or_file.h"

/* A question, and the texts and lists of which it is made. Zero-initialise, and set question.registry. */
typedef struct check_asked {
    bough_check_question question;
    network_argument network, against; /* before they are specs */
    bool worst;                        /* to be found, however long it takes */
    arena memory;
} check_asked;

extern const question_key check_keys[]; /* of a check_asked */

/* Reads settings, which live as long as the question. The network is that of the key, or asked->network.text.
 * Tables that lie beside a fabric in a directory or an archive are its routings, unless the key lft is set.
 * The caller frees the memory, also after an error. Errors: INVALID with the key; NO_MEMORY. */
bough_status check_asked_read(const key_settings *settings, check_asked *asked, bough_error *error);

/* Adds forwarding tables as a routing. */
bough_status check_asked_add_tables(check_asked *asked, const char *path, bough_error *error);

#endif
