#!/usr/bin/env python3
"""Writes the dictionaries of the fuzz targets, tests/fuzz/dict/NAME.dict: the words of the sources that read what a
target reads, and marks of their formats.

    tests/fuzz/dict.py ROOT [--check]

--check: writes nothing, and fails where a dictionary is another one than it would write."""
import glob
import os
import re
import sys

MOST = 120  # words of a target: with more, libFuzzer hardly repeats any

# target: (sources below src/, marks)
TARGETS = {
    "adaptive": (["formats/tables/ar_tables.c"], ["Switch 0x", "PLFT_NUM: 0", "LFT Definition:", "Group   Sub Group"]),
    "bundle": (["formats/fabrics/fabric_bundle.c"], ["\x1f\x8b", "PK\x03\x04", "ustar", "ibdiagnet2.db_csv"]),
    "counters": (["formats/counters/*.c"], ['{guid="', '",port="', "} ", "[PortXmitData == ", "port ALL: ", "# Port counters: Lid "]),
    "data": (["models/external_table.c"], ["metric,value,index,ci95", '"', "2^"]),
    "fabric": (["formats/fabrics/infiniband/*.c", "formats/fabrics/orcs*.c", "formats/fabrics/edge_csv.c"],
               ["TOPSYSTEM ", "NODE SW 8 M U1\n", "START_NODES", "END_LINKS", '", Mellanox, 0xa0, LID 1\n', " : ", "==(", ")==>", "Switch\t", "Ca\t1 ", '"S-', '"H-', "4xEDR", "lid ", "->"]),
    "faults": (["network/faults/*.c"], ["links:share=", "chips:", "each:", "%", "..", "&"]),
    "goal": (["traffic/schedules/goal/*.c"], ["num_ranks ", "rank ", "{\n", "}\n", " requires ", "b to ", "b from "]),
    "import": (["formats/fabrics/cable_list.c", "formats/fabrics/anynet.c", "formats/fabrics/htsim_topo.c", "formats/fabrics/ptm_dot.c", "formats/fabrics/containerlab.c", "formats/fabrics/edge_csv.c", "formats/fabrics/neighbour*.c", "formats/slurm/topograph_model.c",
                "formats/fabrics/graphs/*.c", "formats/fabrics/ns3_topology.c", "formats/fabrics/simgrid/*.c"], ["node,port,node,port,rate", "<graphml>", "<node id='", "--", "graph {", '{"nodes":[']),
    "input": (["base/files/*.c"], ["\x1f\x8b\x08", "BZh9", "\xfd7zXZ\x00", "\x28\xb5\x2f\xfd", "PK\x03\x04", "ustar"]),
    "jobs": (["formats/lists/job_list.c", "traffic/jobs/*.c"], ["name,traffic,hosts,place,start,size", "list=", "stride=", '"']),
    "lists": (["formats/lists/flow_list.c", "traffic/lists/flow_list*.c", "formats/lists/job_list.c"], ["Nodes ", "Connections ", "->", " start ", " trigger "]),
    "measured": (["models/nccl_tests*.c"], ["# Collective test starting: all_reduce_perf", '"results":[', '"size":', "N/A"]),
    "messages": (["traffic/lists/message_csv.c"], ["time,source,destination,size", "\xef\xbb\xbf", '"']),
    "model": (["traffic/training/model*.c"], ["model: {", "batch: {global: ", "&a", "*a", "---"]),
    "order": (["network/imported/fabric_net.c"], ["0x", ":1", "#"]),
    "place": (["traffic/schedules/workload*.c"], [",", "#", "0 0\n"]),
    "prices": (["fabric/plan/prices.c"], ["item,price", "1e308"]),
    "recorded": (["formats/traces/*.c", "traffic/recorded/*.c"], ["MPI_Isend:", ":0,0,4:", '"workload_graph": [', '"data_deps": [', "comm_size"]),
    "records": (["study/store/trial_chunk.c", "study/store/store_record.c"], ["\n\n"]),
    "roots": (["routing/computed/engine_settings.c"], ["0x0002000000000001", "#"]),
    "skeleton": (["study/store/study_json*.c"], ['{"', '":', '":[', "null"]),
    "spec": (["base/text/spec_string.c"], [":", "=", ",", "{", "}", "(", ")", "2^", "Ki", "\"", "x2"]),
    "study": (["study/files/*.c"], ["network: ", "methods: [", "grid:\n  - ", " step ", " times ", "..", "{n}", "&a", "*a"]),
    "tables": (["formats/tables/lft*.c"], ["dump_ucast_routes: Switch 0x", "UNREACHABLE", "Unicast lids [0x0-0x9] of switch Lid "]),
    "topology": (["formats/slurm/topology_conf.c", "formats/slurm/topology_yaml.c", "formats/slurm/host_list.c"], ["- topology: a\n  tree:\n    switches:\n", "      - switch: ", "SwitchName=", " Nodes=", " Switches=", "[0-3]", "\\\n"]),
    "training": (["formats/workloads/aicb*.c", "formats/workloads/simai*.c", "formats/workloads/msccl*.c"], ["<algo coll=", "CommType.", "CommGroup.", "HYBRID_TRANSFORMER", "None"]),
    "tuning": (["traffic/collectives/gpu/tuning_table.c"], ["collective,nodes_from,nodes_to,bytes_to,algorithm,protocol,channels"]),
}
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
WORD = re.compile(r"[A-Za-z_#<.][A-Za-z0-9_.:<>=^-]{1,31}$")


def escaped(text):
    return "".join(c if " " <= c <= "~" and c not in '"\\' else f"\\x{ord(c):02x}" for c in text)


def words_of(root, patterns):
    """The literals of sources that are one word: keywords are, messages are not."""
    found = {}
    for pattern in patterns:
        paths = sorted(glob.glob(os.path.join(root, "src", pattern)))
        if not paths:
            raise SystemExit(f"dict.py: there is no src/{pattern}")
        for path in paths:
            with open(path, encoding="utf-8") as source:
                for line in source:
                    if not line.startswith("#include"):
                        found.update((w, None) for w in LITERAL.findall(re.sub(r"/\*.*", "", line)) if WORD.match(w))
    return list(found)


def dictionary(root, target):
    patterns, marks = TARGETS[target]
    words = list(dict.fromkeys(marks + words_of(root, patterns)))[:MOST]
    return "# By tests/fuzz/dict.py.\n" + "".join(f'"{escaped(w)}"\n' for w in words)


def main():
    root, check = sys.argv[1], "--check" in sys.argv[2:]
    targets = {os.path.basename(path)[5:-2] for path in glob.glob(os.path.join(root, "tests/fuzz/fuzz_*.c"))}
    wrong = [f"fuzz_{t} has no line in dict.py" for t in sorted(targets - set(TARGETS))]
    wrong += [f"dict.py has a line for fuzz_{t}, which is no target" for t in sorted(set(TARGETS) - targets)]
    for target in sorted(targets & set(TARGETS)):
        path, text = os.path.join(root, f"tests/fuzz/dict/fuzz_{target}.dict"), dictionary(root, target)
        if check:
            old = open(path, encoding="ascii").read() if os.path.exists(path) else None
            if old != text:
                wrong.append(f"{path} is another one than tests/fuzz/dict.py writes; run it")
        else:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


sys.exit(main())
