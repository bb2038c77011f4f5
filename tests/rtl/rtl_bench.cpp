// Runs the network of rtl/ in Verilator with the messages and coins that rtl_reference writes, and compares it in every
// cycle: which heads each router grants and refuses, which links are taken, what the interfaces receive and learn.
//
//     rtl_bench N WIDTH [FILE.vcd] < REFERENCE     prints the number of trials and cycles; status 1 and one line if it differs
//
// With FILE.vcd the waveforms of all trials are written. Registers start with random values.
#include "Vfattree.h"
#include "verilated.h"
#include "verilated_ports.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

constexpr uint32_t none = UINT32_MAX;

struct fate {
    uint32_t to, attempts, tail, acknowledged;
    std::vector<uint32_t> draw;
};

struct trial {
    uint32_t retry, payload, slot, cycles, draws;
    std::vector<fate> message; // by source
};

class bench {
public:
    bench(uint32_t endpoints, unsigned width, const char *waves) : n(endpoints), width(width) {
        while (1u << levels < n) levels++;
        routers = n / 2 * levels;
        context.randReset(2);
        context.traceEverOn(waves != nullptr);
        top = std::make_unique<Vfattree>(&context);
#if VM_TRACE
        if (waves) {
            vcd = std::make_unique<VerilatedVcdC>();
            top->trace(vcd.get(), 99);
            vcd->open(waves);
        }
#else
        if (waves) fail("built without waveforms");
#endif
        coins.resize((7 * routers + 7) / 8);
        for (auto &w : want) w.resize((4 * routers + 7) / 8);
    }

    ~bench() {
#if VM_TRACE
        if (vcd) vcd->close();
#endif
        top->final();
    }

    bool read(trial &t) {
        if (!word(t.retry)) return false;
        need(t.payload), need(t.slot), need(t.cycles), need(t.draws);
        t.message.resize(n);
        for (fate &m : t.message) {
            need(m.to), need(m.attempts), need(m.tail), need(m.acknowledged);
            m.draw.resize(t.draws);
            for (uint32_t &d : m.draw) need(d);
        }
        return true;
    }

    void run(const trial &t) {
        begin(t);
        for (cycle = 0; cycle < t.cycles; cycle++) {
            need(coins);
            for (auto &w : want) need(w);
            memcpy(&top->coin, coins.data(), coins.size());
            settle(t);
            compare("granted", top->granted, want[0]);
            compare("refused", top->refused, want[1]);
            compare("held", top->held, want[2]);
            endpoints(t);
            tick();
            draw(t);
        }
        for (uint32_t e = 0; e < n; e++)
            if (t.message[e].to != none && !(done[e] && received[e]))
                fail("the message of h" + std::to_string(e) + " has not been delivered");
        trials++;
        total += t.cycles;
    }

    uint64_t trials = 0, total = 0;

private:
    uint32_t n;
    unsigned width, levels = 0, routers = 0;
    VerilatedContext context;
    std::unique_ptr<Vfattree> top;
#if VM_TRACE
    std::unique_ptr<VerilatedVcdC> vcd;
#endif
    uint64_t time = 0;
    uint32_t cycle = 0;
    std::vector<uint8_t> coins, want[3];
    std::vector<uint32_t> refusals, flits, receiving; // by source, source, destination
    std::vector<bool> done, received;                 // by source

    [[noreturn]] void fail(const std::string &what) {
        printf("trial %llu, cycle %u: %s\n", (unsigned long long)trials, cycle, what.c_str());
        exit(1);
    }

    bool word(uint32_t &w) { return fread(&w, sizeof w, 1, stdin) == 1; }
    void need(uint32_t &w) {
        if (!word(w)) fail("the reference ends too early");
    }
    void need(std::vector<uint8_t> &bytes) {
        if (fread(bytes.data(), 1, bytes.size(), stdin) != bytes.size()) fail("the reference ends too early");
    }

    void dump() {
#if VM_TRACE
        if (vcd) vcd->dump(time);
#endif
        time++;
    }

    void tick() {
        top->clk = 1;
        top->eval();
        dump();
        top->clk = 0;
    }

    void settle(const trial &t) {
        top->eval();
        for (uint32_t e = 0; e < n && t.payload; e++) { // flits that the interfaces ask for
            uint64_t flit = get(top->flit, 16 * e, 16);
            set(top->flit_data, width * e, width, flit_of(e, flit, width));
        }
        top->eval();
        dump();
    }

    // After this the heads of all sources are in the input registers of their first routers.
    void begin(const trial &t) {
        top->clk = 0;
        top->reset = 1;
        top->retry = uint8_t(t.retry);
        top->payload = uint16_t(t.payload);
        top->slot = uint16_t(t.slot);
        clear(top->send), clear(top->send_to), clear(top->draw), clear(top->coin), clear(top->flit_data);
        top->eval();
        tick();
        top->reset = 0;
        done.assign(n, false), received.assign(n, false);
        refusals.assign(n, 0), flits.assign(n, 0), receiving.assign(n, none);
        for (uint32_t e = 0; e < n; e++) {
            const fate &m = t.message[e];
            set(top->send, e, 1, m.to != none);
            if (m.to != none) set(top->send_to, levels * e, levels, m.to);
            if (t.draws) set(top->draw, 10 * e, 10, m.draw[0]);
        }
        settle(t);
        for (uint32_t e = 0; e < n; e++)
            if (get(top->send_taken, e, 1) != (t.message[e].to != none))
                fail("h" + std::to_string(e) + " does not take its message");
        tick();
        clear(top->send);
    }

    template <class port> void compare(const char *what, const port &p, const std::vector<uint8_t> &want) {
        if (!memcmp(&p, want.data(), want.size())) return;
        for (unsigned r = 0; r < routers; r++) {
            unsigned is = unsigned(get(p, 4 * r, 4)), should = want[r / 2] >> 4 * (r % 2) & 15;
            if (is != should)
                fail("router " + std::to_string(r) + " (level " + std::to_string(r / (n / 2)) + "): " + what +
                     " is " + std::to_string(is) + ", should be " + std::to_string(should));
        }
    }

    void endpoints(const trial &t) {
        for (uint32_t e = 0; e < n; e++) {
            sending(t, e);
            if (get(top->rx_valid, e, 1)) receive(t, e);
        }
    }

    // The draws for the next refusals.
    void draw(const trial &t) {
        for (uint32_t e = 0; e < n && t.retry == 2; e++)
            if (refusals[e] < t.draws) set(top->draw, 10 * e, 10, t.message[e].draw[refusals[e]]);
    }

    void sending(const trial &t, uint32_t e) {
        const fate &m = t.message[e];
        const std::string h = "h" + std::to_string(e);
        bool ends = get(top->tx_done, e, 1), refused = get(top->tx_refused, e, 1);
        if (ends != (m.to != none && m.acknowledged == cycle))
            fail(h + (ends ? " has an acknowledgement" : " has no acknowledgement"));
        if (ends && refusals[e] + 1 != m.attempts)
            fail(h + " made " + std::to_string(refusals[e] + 1) + " attempts, not " + std::to_string(m.attempts));
        if (ends) done[e] = true;
        if (refused && ++refusals[e] >= m.attempts) fail(h + " is refused too often");
    }

    // The destination knows the source by the cycle of the tail.
    void receive(const trial &t, uint32_t e) {
        const std::string h = "h" + std::to_string(e);
        uint64_t data = get(top->rx_data, width * e, width);
        if (get(top->rx_head, e, 1)) {
            for (uint32_t s = 0; s < n; s++)
                if (t.message[s].to == e && t.message[s].tail == cycle + t.payload) receiving[e] = s, flits[s] = 0;
            if (receiving[e] == none) fail(h + " receives a head that should not arrive now");
            if ((data & (n - 1)) != e) fail(h + " receives a head for another endpoint");
        } else if (receiving[e] == none || data != flit_of(receiving[e], ++flits[receiving[e]], width)) {
            fail(h + " receives a wrong flit");
        }
        uint32_t s = receiving[e];
        bool tail = get(top->rx_tail, e, 1);
        if (tail != (t.message[s].tail == cycle)) fail(h + (tail ? " receives a tail" : " does not receive the tail"));
        if (tail) received[s] = true, receiving[e] = none;
    }
};

} // namespace

int main(int count, char **arg) {
    if (count < 3) return fprintf(stderr, "usage: rtl_bench N WIDTH [FILE.vcd]\n"), 2;
    bench b(uint32_t(atoi(arg[1])), unsigned(atoi(arg[2])), count > 3 ? arg[3] : nullptr);
    trial t;
    while (b.read(t)) b.run(t);
    printf("%llu trials, %llu cycles\n", (unsigned long long)b.trials, (unsigned long long)b.total);
    return b.trials == 0;
}
