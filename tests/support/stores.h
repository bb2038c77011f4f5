/* Studies with a store in a directory of their own. */
#ifndef BOUGH_TEST_STORES_H
#define BOUGH_TEST_STORES_H

#include "study/study.h"

extern char store_directory[64], store_file[96]; /* of the running test; the file in it */

int store_directory_make(void **state);
int store_directory_remove(void **state);
#define WITH_DIRECTORY(test)                                                                                 \
    cmocka_unit_test_setup_teardown(test, store_directory_make, store_directory_remove)

/* A resolved study. */
void store_study(bough_study *study, const char *text);
/* Runs a study in the store. csv (may be NULL): its results; damage (may be NULL): what bough_store_damage
 * says. Both heap strings. */
bough_status store_run(const char *text, unsigned threads, char **csv, char **damage, bough_error *error);
/* The results without a store. */
char *store_fresh(const char *text);
/* The store as `bough report` reads it. */
bough_status store_read(char **csv, bough_error *error);
/* Runs in the store and checks that the result is that of a run without one. */
void store_run_and_compare(const char *text, unsigned threads);
void store_sql(const char *text);

#endif
