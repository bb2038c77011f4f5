// Loads a platform and sends the shift by K: SIZE bytes from host i to host i + K, all at once. Prints when
// the last one arrived, in seconds. Usage: simgrid_load PLATFORM SIZE K
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <simgrid/s4u.hpp>
#include <vector>

namespace s4u = simgrid::s4u;

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    const char *words[] = {"simgrid_load",
                           "--log=root.thres:error",
                           "--cfg=network/model:CM02",
                           "--cfg=network/TCP-gamma:0",
                           "--cfg=network/weight-S:0",
                           "--cfg=network/latency-factor:1",
                           "--cfg=network/bandwidth-factor:1",
                           "--cfg=network/crosstraffic:0",
                           "--cfg=network/optim:Full"};
    int count = sizeof words / sizeof *words;
    s4u::Engine engine(&count, const_cast<char **>(words));
    engine.load_platform(argv[1]);
    // In the order of their numbers: h0, h1, ...
    std::vector<s4u::Host *> hosts = engine.get_all_hosts();
    std::sort(hosts.begin(), hosts.end(), [](const s4u::Host *a, const s4u::Host *b) {
        return std::atol(a->get_cname() + 1) < std::atol(b->get_cname() + 1);
    });
    const size_t k = std::strtoul(argv[3], nullptr, 10);
    const double size = std::strtod(argv[2], nullptr);
    double last = 0;
    s4u::Actor::create("main", hosts[0], [&]() {
        std::vector<s4u::CommPtr> comms;
        for (size_t i = 0; i < hosts.size(); i++)
            comms.push_back(s4u::Comm::sendto_async(hosts[i], hosts[(i + k) % hosts.size()], size));
        s4u::Comm::wait_all(comms);
        for (const auto &c : comms) last = std::max(last, c->get_finish_time());
    });
    engine.run();
    std::printf("%zu %.12g\n", hosts.size(), last);
    return 0;
}
