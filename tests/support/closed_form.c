#include "support/closed_form.h"

#include <math.h>

static double crude_variance(double x, double s) {
    return 1 + (x - s) * (x - s) / (x * x);
}

double mg1_wait(double rate, double x, double s) { /* Eq. 6 */
    if (!(rate * x < 1)) return INFINITY;
    return rate * x * x / (2 * (1 - rate * x)) * crude_variance(x, s);
}

double mg2_wait(double rate, double x, double s) { /* Eq. 8 */
    if (!(rate * x < 2)) return INFINITY;
    return rate * rate * x * x * x / (2 * (4 - rate * rate * x * x)) * crude_variance(x, s);
}

static closed_form solve(unsigned n, double s, double rate0, double insert) {
    closed_form f = {.distance = 0};
    double big = pow(4, n);
    for (unsigned l = 0; l < n; l++) f.rate[l] = rate0 * (big - pow(4, l)) / (big - 1) * pow(2, l);
    f.down[0] = s; /* Eq. 16 */
    f.wait_down[0] = mg1_wait(f.rate[0], s, s);
    for (unsigned l = 1; l < n; l++) { /* Eqs. 18 and 19 */
        f.down[l] = f.down[l - 1] + (1 - f.rate[l] / f.rate[l - 1] / 4) * f.wait_down[l - 1];
        f.wait_down[l] = mg1_wait(f.rate[l], f.down[l], s);
    }
    for (unsigned l = n; l >= 1; l--) { /* <l-1, l>: Eqs. 20 to 24 */
        double up = (big - pow(4, l)) / (big - 1), down = 1 - up;
        if (l == n)
            f.up[l - 1] = f.down[l - 1] + 2.0 / 3 * f.wait_down[l - 1];
        else
            f.up[l - 1] = (f.up[l] + (1 - f.rate[l - 1] / f.rate[l] * up) * f.wait_up[l]) * up +
                          (f.down[l - 1] + (1 - down / 3) * f.wait_down[l - 1]) * down;
        f.wait_up[l - 1] =
            l == 1 ? mg1_wait(f.rate[0], f.up[0], s) : mg2_wait(insert * f.rate[l - 1], f.up[l - 1], s);
    }
    for (unsigned l = 1; l <= n; l++) f.distance += 2 * l * 3 * pow(4, l - 1) / (big - 1);
    f.latency = f.wait_up[0] + f.up[0] + f.distance - 1;
    return f;
}

closed_form closed_form_solve(unsigned n, double s, double rate0) {
    return solve(n, s, rate0, 2); /* "Insert: 2" */
}

closed_form closed_form_printed(unsigned n, double s, double rate0) {
    return solve(n, s, rate0, 1);
}

/* Eq. 26. The service time grows with the rate, so there is one root below the first infinite wait. */
double closed_form_saturation(unsigned n, double s) {
    double low = 0, high = 1 / s;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        *(closed_form_solve(n, s, middle).up[0] <= 1 / middle ? &low : &high) = middle;
    }
    return low;
}
