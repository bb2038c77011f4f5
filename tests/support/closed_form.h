/* greenberg1997, section 3, as it stands there, with its marginal corrections: the oracle of `queueing`. */
#ifndef BOUGH_TESTS_CLOSED_FORM_H
#define BOUGH_TESTS_CLOSED_FORM_H

typedef struct closed_form {
    double up[32], down[32];           /* x of <l, l+1> and <l+1, l> */
    double wait_up[32], wait_down[32]; /* W of the same */
    double rate[32];                   /* Eqs. 14 and 15 */
    double latency, distance;
} closed_form;

/* N = 4^n, messages of s flits, rate0 messages per cycle and processor, more than none. */
closed_form closed_form_solve(unsigned n, double s, double rate0);
/* Eqs. 21 and 23 without the corrections. */
closed_form closed_form_printed(unsigned n, double s, double rate0);
/* Eq. 26: messages per cycle and processor. */
double closed_form_saturation(unsigned n, double s);

/* Eqs. 6 and 8; infinite from full use on. */
double mg1_wait(double rate, double x, double s);
double mg2_wait(double rate, double x, double s);

#endif
