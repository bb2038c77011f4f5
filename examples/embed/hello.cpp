// How many rounds does the fat-tree of strumpen2005 need? In C++17, with destructors and an exception.
//
//     c++ -std=c++17 hello.cpp $(pkg-config --cflags --libs bough) && ./a.out
#include <bough.h>

#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

struct deleter {
    void operator()(bough_question *q) const { bough_question_destroy(q); }
    void operator()(bough_results *r) const { bough_results_destroy(r); }
};
using question = std::unique_ptr<bough_question, deleter>;
using results = std::unique_ptr<bough_results, deleter>;

void check(bough_status status, const bough_error &error) {
    if (status != BOUGH_OK) throw std::runtime_error(std::string(error.place) + ": " + error.reason);
}

} // namespace

int main() try {
    bough_error error{};
    bough_question *asked = nullptr;
    bough_results *found = nullptr;
    check(bough_question_create(&asked, &error), error);
    question q(asked);
    const char *const setting[][2] = {
        {"network", "fattree:n=1024"}, {"traffic", "uniform"}, {"method", "circuit:mode=rounds"}, {"trials", "20"}};
    for (const auto &s : setting) check(bough_question_set(q.get(), s[0], s[1], &error), error);
    check(bough_simulate(q.get(), nullptr, &found, &error), error);
    results r(found);
    for (size_t i = 0; i < bough_results_count(r.get()); i++) {
        bough_result row = bough_results_get(r.get(), i);
        std::cout << row.metric << ' ' << row.mean << ' ' << row.unit << '\n';
    }
    return 0;
} catch (const std::exception &e) {
    std::cerr << "hello: " << e.what() << '\n';
    return 1;
}
