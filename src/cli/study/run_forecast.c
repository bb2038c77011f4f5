#include "cli/study/run_forecast.h"

#include "base/text/text.h"
#include "cli/cli.h"
#include "report/tables/result_json.h"

#include <math.h>

static void put_effort(json_writer *w, const bough_effort *e) {
    bool precise = e->precision > 0;
    json_put_whole(w, "trials", (int64_t)(e->trials ? e->trials : (uint64_t)BOUGH_PRECISION_TRIALS));
    json_put_real(w, "precision", precise ? e->precision : NAN);
    if (precise)
        json_put_text(w, "watch", e->watch < BOUGH_METRIC_COUNT ? bough_metrics[e->watch].name : NULL);
}

static void put_forecast(json_writer *w, const bough_forecast *f) {
    json_begin_object(w, "forecast", true);
    json_put_whole(w, "threads", f->threads);
    json_put_whole(w, "bytes", (int64_t)f->memory);
    json_put_real(w, "seconds", f->least ? NAN : f->seconds);
    json_put_whole(w, "trials", (int64_t)f->trials);
    json_end_object(w);
}

static void put_answer(json_writer *w, const bough_study_point *p, const bough_answer *a) {
    json_begin_object(w, NULL, true);
    json_put_text(w, "method", a->method);
    json_put_text(w, "routing", a->routed ? p->routing[a->routing].spec : NULL);
    json_put_whole(w, "bytes", (int64_t)a->bytes);
    json_put_flag(w, "exact", a->exact);
    result_put_premises(w, a);
    json_end_object(w);
}

static void put_point(json_writer *w, const bough_study *study, const bough_study_point *p) {
    json_begin_object(w, NULL, false);
    json_begin_object(w, "axes", true);
    for (size_t i = 0; i < study->axes; i++) json_put_axis(w, study->axis[i], p->value[i]);
    json_end_object(w);
    result_put_inputs(w, p);
    json_begin_array(w, "answers", false);
    for (size_t i = 0; i < p->answers; i++) put_answer(w, p, &p->answer[i]);
    json_end_array(w);
    json_end_object(w);
}

bough_status cli_forecast_json(const bough_study *study, const bough_forecast *forecast,
                               const char *directory, bough_error *error) {
    bough_text out = {0};
    json_writer w = {.out = &out};
    json_begin_document(&w);
    json_put_text(&w, "study", study->title);
    json_put_whole(&w, "seed", (int64_t)study->seed);
    put_effort(&w, &study->effort);
    json_put_text(&w, "results", directory);
    put_forecast(&w, forecast);
    json_begin_array(&w, "points", false);
    for (size_t i = 0; i < study->points; i++) put_point(&w, study, &study->point[i]);
    json_end_array(&w);
    json_end_document(&w);
    return cli_print_text(&out, error);
}
