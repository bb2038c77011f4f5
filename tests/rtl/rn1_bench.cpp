// Runs a network of RN1 routers of rtl/ in Verilator with the messages and random numbers that rn1_reference writes. Of each
// trial these must equal the engine's: the attempts, the messages delivered by their first attempt, the cycle of the last
// acknowledgement. Every flit must arrive where it should, once.
//
//     rn1_bench PROCESSORS ROUTERS ROUTE WIDTH < REFERENCE
#include "Vtransit.h"
#include "verilated.h"
#include "verilated_ports.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr uint32_t none = UINT32_MAX;

struct message {
    uint32_t to, route;
    std::vector<uint32_t> draw;
};

struct trial {
    uint32_t retry, payload, slot, cycles, draws, attempts, first, last;
    std::vector<message> sent; // by source
};

class bench {
public:
    bench(char **arg) : n(atoi(arg[1])), routers(atoi(arg[2])), route(atoi(arg[3])), width(atoi(arg[4])) {
        context.randReset(2);
        top = std::make_unique<Vtransit>(&context);
        coins.resize((172 * routers + 7) / 8);
        choices.resize((n + 7) / 8);
    }
    ~bench() { top->final(); }

    bool read(trial &t) {
        if (fread(&t.retry, sizeof t.retry, 1, stdin) != 1) return false;
        for (uint32_t *w : {&t.payload, &t.slot, &t.cycles, &t.draws, &t.attempts, &t.first, &t.last}) need(w, sizeof *w);
        t.sent.resize(n);
        for (message &m : t.sent) {
            need(&m.to, sizeof m.to), need(&m.route, sizeof m.route);
            m.draw.resize(t.draws);
            need(m.draw.data(), m.draw.size() * sizeof m.draw[0]);
        }
        return true;
    }

    void run(const trial &t) {
        begin(t);
        for (cycle = 0; cycle < t.cycles; cycle++) {
            inputs(t);
            for (uint32_t e = 0; e < n; e++) look(t, e);
            tick();
            for (uint32_t e = 0; e < n; e++)
                if (refusals[e] < t.draws) set(top->draw, 10 * e, 10, t.sent[e].draw[refusals[e]]);
        }
        uint64_t attempts = 0, first = 0;
        for (uint32_t e = 0; e < n; e++) {
            if (t.sent[e].to == none) continue;
            if (!done[e] || !received[e]) fail("the message of h" + std::to_string(e) + " has not been delivered");
            attempts += refusals[e] + 1;
            first += refusals[e] == 0;
        }
        same("attempts", attempts, t.attempts), same("first successes", first, t.first), same("last cycle", last, t.last);
        trials++;
        total += t.cycles;
    }

    uint64_t trials = 0, total = 0;

private:
    uint32_t n, routers, route, width;
    VerilatedContext context;
    std::unique_ptr<Vtransit> top;
    uint32_t cycle = 0, last = 0;
    std::vector<uint8_t> coins, choices;
    std::vector<uint32_t> refusals, flits, receiving; // by source, source, input link
    std::vector<bool> done, received;

    [[noreturn]] void fail(const std::string &what) {
        printf("trial %llu, cycle %u: %s\n", (unsigned long long)trials, cycle, what.c_str());
        exit(1);
    }
    void same(const char *what, uint64_t is, uint64_t should) {
        if (is != should) fail(std::string(what) + " are " + std::to_string(is) + ", should be " + std::to_string(should));
    }
    void need(void *to, size_t bytes) {
        if (fread(to, 1, bytes, stdin) != bytes) fail("the reference ends too early");
    }
    void tick() {
        top->clk = 1;
        top->eval();
        top->clk = 0;
    }

    void inputs(const trial &t) {
        need(coins.data(), coins.size()), need(choices.data(), choices.size());
        memcpy(&top->coin, coins.data(), coins.size());
        memcpy(&top->choice, choices.data(), choices.size());
        top->eval();
        for (uint32_t e = 0; e < n && t.payload; e++)
            set(top->flit_data, width * e, width, flit_of(e, get(top->flit, 16 * e, 16), width));
        top->eval();
    }

    void begin(const trial &t) {
        top->clk = 0;
        top->reset = 1;
        top->retry = uint8_t(t.retry);
        top->payload = uint16_t(t.payload);
        top->slot = uint16_t(t.slot);
        clear(top->send), clear(top->send_to), clear(top->draw), clear(top->flit_data);
        top->eval();
        tick();
        top->reset = 0;
        last = 0;
        done.assign(n, false), received.assign(n, false);
        refusals.assign(n, 0), flits.assign(n, 0), receiving.assign(2 * n, none);
        for (uint32_t e = 0; e < n; e++) {
            set(top->send, e, 1, t.sent[e].to != none);
            set(top->send_to, route * e, route, t.sent[e].route);
            set(top->draw, 10 * e, 10, t.sent[e].draw[0]);
        }
        inputs(t);
        tick();
        clear(top->send);
    }

    void look(const trial &t, uint32_t e) {
        if (get(top->tx_refused, e, 1)) refusals[e]++;
        if (get(top->tx_done, e, 1)) {
            if (done[e]) fail("a second acknowledgement");
            done[e] = true;
            last = cycle;
        }
        for (uint32_t link = 2 * e; link < 2 * e + 2; link++)
            if (get(top->rx_valid, link, 1)) receive(t, e, link);
    }

    void receive(const trial &t, uint32_t e, uint32_t link) {
        const std::string h = "h" + std::to_string(e);
        uint64_t data = get(top->rx_data, width * link, width);
        if (get(top->rx_head, link, 1)) {
            uint32_t source = uint32_t(data >> route & 0xffff);
            if (source >= n || t.sent[source].to != e) fail(h + " receives a head that is not for it");
            if (received[source]) fail(h + " receives a message twice");
            receiving[link] = source, flits[source] = 0;
        } else if (receiving[link] == none || data != flit_of(receiving[link], ++flits[receiving[link]], width)) {
            fail(h + " receives a wrong flit");
        }
        if (!get(top->rx_tail, link, 1)) return;
        if (flits[receiving[link]] != t.payload) fail(h + " receives a tail too early");
        received[receiving[link]] = true;
        receiving[link] = none;
    }
};

} // namespace

int main(int count, char **arg) {
    if (count != 5) return fprintf(stderr, "usage: rn1_bench PROCESSORS ROUTERS ROUTE WIDTH\n"), 2;
    bench b(arg);
    trial t;
    while (b.read(t)) b.run(t);
    printf("%llu trials, %llu cycles\n", (unsigned long long)b.trials, (unsigned long long)b.total);
    return b.trials == 0;
}
