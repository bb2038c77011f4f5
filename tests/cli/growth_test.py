#!/usr/bin/env python3
"""Twice the input takes at most 2.5 times the instructions, whatever is read.

    tests/cli/growth_test.py BOUGH ROOT [FORMAT...]

Every format is written at a size and at twice that size, and read by a command that does little else. Valgrind counts
the instructions (the same on every machine); those of a command that reads next to nothing are subtracted. Also files
that no program writes: thousands of brackets, attributes, columns, keys. Skipped (77) without valgrind."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

MOST = 2.5
LEAST = 8e6  # instructions of the smaller file: with fewer, its reader would not be what is measured

if not shutil.which("valgrind"):
    print("valgrind is missing")
    sys.exit(77)
BOUGH, ROOT = (os.path.abspath(path) for path in sys.argv[1:3])
with open(BOUGH, "rb") as binary:
    if b"__asan_init" in binary.read():
        print("valgrind does not run sanitized programs")
        sys.exit(77)
DIR = tempfile.mkdtemp(prefix="bough-growth-")

# ---- networks ----

HOSTS, UP = 14, 2  # of a leaf


class Cluster:
    """n leaves of 14 hosts; two cables from a leaf to one of n / 8 spines, which form a chain. A node is
    (name, GUID, LID, [(port, peer, port of the peer)])."""

    def __init__(self, n):
        self.cables, self.nodes = [], {}
        for leaf in range(n):
            for host in range(HOSTS):
                self.cable(f"h{leaf}-{host}", 1, f"leaf{leaf}", host + 1)
            for up in range(UP):
                self.cable(f"leaf{leaf}", HOSTS + up + 1, f"spine{leaf // 8}", leaf % 8 * UP + up + 1)
        for spine in range((n + 7) // 8 - 1):
            self.cable(f"spine{spine}", 17, f"spine{spine + 1}", 18)
        for lid, name in enumerate(self.nodes, 1):
            self.nodes[name] = (0x1000 + lid, lid, self.nodes[name][2])

    def cable(self, a, p, b, q):
        for x, port, y, other in ((a, p, b, q), (b, q, a, p)):
            self.nodes.setdefault(x, (0, 0, []))[2].append((port, y, other))
        self.cables.append((a, p, b, q))

    def guid(self, name):
        return self.nodes[name][0]

    def lid(self, name):
        return self.nodes[name][1]


def is_host(name):
    return name.startswith("h")


def ibnetdiscover(n):
    c, lines = Cluster(n), []

    def ident(name):
        return f'"{"H" if is_host(name) else "S"}-{c.guid(name):016x}"'

    for name, (_, lid, ends) in c.nodes.items():
        if is_host(name):
            lines.append(f'Ca\t1 {ident(name)}\t\t# "{name}"')
        else:
            lines.append(f'Switch\t20 {ident(name)}\t\t# "{name}" base port 0 lid {lid} lmc 0')
        for port, peer, other in ends:
            mine = f"({c.guid(name):x}) " if is_host(name) else ""
            its = f"({c.guid(peer):x}) " if is_host(peer) else ""
            own = f"lid {lid} lmc 0 " if is_host(name) else ""
            lines.append(f'[{port}]{mine}\t{ident(peer)}[{other}]{its}\t\t# {own}"{peer}" lid {c.lid(peer)} 4xEDR')
        lines.append("")
    return "\n".join(lines)


def port_report(n):
    c, lines = Cluster(n), []
    for name, (guid, lid, ends) in c.nodes.items():
        for port, peer, other in ends:
            kinds = ["CA" if is_host(x) else "SW" for x in (name, peer)]
            lines.append(f"{kinds[0]} {lid:5} {port:2} 0x{guid:016x} 4x EDR - {kinds[1]} {c.lid(peer):5} {other:2} "
                         f"0x{c.guid(peer):016x} ( '{name}' - '{peer}' )")
    return "\n".join(lines) + "\n"


def iblinkinfo(n):
    c, lines = Cluster(n), []
    for name, (guid, lid, ends) in c.nodes.items():
        lines.append(f"CA: {name}:" if is_host(name) else f"Switch: 0x{guid:016x} {name}:")
        for port, peer, other in ends:
            own = f"      0x{guid:016x} " if is_host(name) else "           "
            lines.append(f'{own}{lid:6} {port:4}[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>  {c.lid(peer):6} '
                         f'{other:4}[  ] "{peer}" ( )')
    return "\n".join(lines) + "\n"


def iblinkinfo_lines(n):
    c, lines = Cluster(n), []
    for name, (guid, lid, ends) in c.nodes.items():
        for port, peer, other in ends:
            lines.append(f'0x{guid:016x} "{name:>20}" {lid:6} {port:4}[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>'
                         f'  0x{c.guid(peer):016x} {c.lid(peer):6} {other:4}[  ] "{peer}" ( )')
    return "\n".join(lines) + "\n"


def db_csv(n):
    c = Cluster(n)
    lines = ["START_NODES", "NodeDesc,NumPorts,NodeType,NodeGUID"]
    lines += [f'"{x}",{1 if is_host(x) else 20},{1 if is_host(x) else 2},0x{c.guid(x):x}' for x in c.nodes]
    lines += ["END_NODES", "START_PORTS", "NodeGuid,PortGuid,PortNum,LID,LMC,LinkWidthActv,LinkSpeedActv"]
    for name, (guid, lid, ends) in c.nodes.items():
        lines += [f"0x{guid:x},0x{guid:x},0,{lid},0,0,0"] if not is_host(name) else []
        lines += [f"0x{guid:x},0x{guid:x},{port},{lid},0,2,2048" for port, _, _ in ends]
    lines += ["END_PORTS", "START_LINKS", "NodeGuid1,PortNum1,NodeGuid2,PortNum2"]
    lines += [f"0x{c.guid(a):x},{p},0x{c.guid(b):x},{q}" for a, p, b, q in c.cables]
    return "\n".join(lines + ["END_LINKS", ""])


def subnet_list(n):
    c = Cluster(n)

    def end(name, port):
        kind = "CA Ports:01" if is_host(name) else "SW Ports:14"
        return (f"{{ {kind} SystemGUID:{c.guid(name):016x} NodeGUID:{c.guid(name):016x} PortGUID:{c.guid(name):016x} "
                f"VenID:000002C9 DevID:CF080000 Rev:000000A0 {{{name}}} LID:{c.lid(name):04X} PN:{port:02X} }}")

    return "".join(f"{end(a, p)} {end(b, q)} PHY=4x LOG=ACT SPD=25\n" for a, p, b, q in c.cables)


def orcs(n):
    c = Cluster(n)
    names = {x: f"{'H' if is_host(x) else 'S'}{c.lid(x)}" for x in c.nodes}
    lines = ['strict digraph "g" {']
    for name, (_, _, ends) in c.nodes.items():
        for _, peer, _ in {peer: (0, peer, 0) for _, peer, _ in ends}.values():
            extra = f'hostname="{name}", ' if is_host(name) else ""
            lines.append(f'{names[name]} -> {names[peer]} [{extra}comment="*"];')
    return "\n".join(lines + ["}", ""])


def cable_csv(n):
    return "node,port,node,port,rate\n" + "".join(f"{a},{p},{b},{q},25Gb/s\n" for a, p, b, q in Cluster(n).cables)


def netbox(n):
    return "ID,Termination A,Device A,Termination B,Device B,Status\n" + "".join(
        f"{i},{p},{a},{q},{b},c\n" for i, (a, p, b, q) in enumerate(Cluster(n).cables))


def ptm(n):
    return "graph dc {\n" + "".join(f'"{a}":"p{p}" -- "{b}":"p{q}";\n' for a, p, b, q in Cluster(n).cables) + "}\n"


def numbered(n):
    """A cluster whose nodes are numbers, hosts first: (hosts, nodes, cables without ports)."""
    c = Cluster(n)
    names = sorted(c.nodes, key=lambda x: (not is_host(x), c.lid(x)))
    number = {x: i for i, x in enumerate(names)}
    hosts = sum(map(is_host, names))
    return hosts, len(names), [(number[a], number[b]) for a, _, b, _ in c.cables]


def anynet(n):
    hosts, _, cables = numbered(n)
    return "".join(f"router {b} {'node' if a < hosts else 'router'} {a}\n" for a, b in cables)


def ns3(n):
    hosts, nodes, cables = numbered(n)
    switches = " ".join(map(str, range(hosts, nodes)))
    return f"{nodes} {nodes - hosts} {len(cables)}\n{switches}\n" + "".join(
        f"{a} {b} 100Gbps 1us 0\n" for a, b in cables)


def node_link(n):
    c = Cluster(n)
    return json.dumps({"directed": False, "nodes": [{"id": x, "kind": "host" if is_host(x) else "switch"} for x in c.nodes],
                       "links": [{"source": a, "target": b, "rate": "25Gb/s"} for a, _, b, _ in c.cables]})


def lldp(n):
    c, hosts = Cluster(n), {}
    for name, (_, _, ends) in c.nodes.items():
        hosts[name] = {"lldp": {"interface": [
            {f"p{port}": {"chassis": {peer: {"capability": {"type": "Station" if is_host(peer) else "Bridge",
                                                            "enabled": True}}},
                          "port": {"id": {"type": "ifname", "value": f"p{other}"}}}} for port, peer, other in ends]}}
    return json.dumps(hosts)


GRAPHML = ('<?xml version="1.0"?>\n<graphml>\n<key id="d0" for="node" attr.name="kind" attr.type="string"/>\n%s'
           '<graph edgedefault="undirected">\n%s</graph>\n</graphml>\n')


def graphml(n):
    c = Cluster(n)
    body = "".join(f'<node id="{x}"><data key="d0">{"host" if is_host(x) else "switch"}</data></node>\n' for x in c.nodes)
    return GRAPHML % ("", body + "".join(f'<edge source="{a}" target="{b}"/>\n' for a, _, b, _ in c.cables))


def graphml_attributes(n):
    return GRAPHML % ("", "<node id='a' " + " ".join(f"a{i}='{i}'" for i in range(n)) + "/>\n")


def graphml_namespaces(n):
    return GRAPHML % ("", "<node id='a' " + " ".join(f"xmlns:a{i}='u{i}'" for i in range(n)) + "/>\n")


def graphml_keys(n):
    return GRAPHML % ("".join(f'<key id="k{i}" for="node" attr.name="a{i}" attr.type="string"/>\n' for i in range(n)), "")


def topology_conf(n):
    lines = [f"SwitchName=leaf{i} Nodes=h{i}-[0-13]" for i in range(n)]
    lines += [f"SwitchName=spine{i} Switches=leaf[{8 * i}-{min(8 * i + 8, n) - 1}]" for i in range((n + 7) // 8)]
    return "\n".join(lines + [f"SwitchName=top Switches=spine[0-{(n + 7) // 8 - 1}]", ""])


def topology_names(n):
    """One switch whose hosts are listed one by one."""
    return "SwitchName=s0 Nodes=" + ",".join(f"h{i}x" for i in range(n)) + "\n"


# ---- what belongs to a small fabric ----

SMALL = Cluster(4)


def of_small(text):
    path = os.path.join(DIR, "small.ibnetdiscover")
    with open(path, "w", encoding="utf-8") as file:
        file.write(ibnetdiscover(4))
    del text
    return path
