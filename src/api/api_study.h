/* The study that answers a question. */
#ifndef BOUGH_API_API_STUDY_H
#define BOUGH_API_API_STUDY_H

#include "api/api_question.h"
#include "study/study.h"

/* Fills a study, zeroed but for its registry. The caller calls bough_study_fini, also after an error. */
bough_status api_study_make(const bough_question *question, bough_study *study, bough_error *error);

#endif
