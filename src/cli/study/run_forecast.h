/* `bough run --dry-run --json`. */
#ifndef BOUGH_CLI_STUDY_RUN_FORECAST_H
#define BOUGH_CLI_STUDY_RUN_FORECAST_H

#include "bough/study.h"

/* Prints what would run, and what it takes, as one JSON object. Errors: NO_MEMORY. */
bough_status cli_forecast_json(const bough_study *study, const bough_forecast *forecast,
                               const char *directory, bough_error *error);

#endif
