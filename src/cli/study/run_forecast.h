/* `bough run --dry-run --json`. */
#ifndef BOUGH_CLI_STUDY_RUN_FORECAST_H
#define BOUGH_CLI_STUDY_RUN_FORECAST_H

#include "study/study.h"

/* Prints the planned run and its estimated time and memory as one JSON object. Errors: NO_MEMORY. */
bough_status cli_forecast_json(const bough_study *study, const bough_forecast *forecast,
                               const char *directory, bough_error *error);

#endif
