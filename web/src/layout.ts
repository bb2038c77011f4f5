// Where nodes stand: levels are rows, the roots above. Hosts are gathered under their switch when there are many.
import type { NetData } from './data';

export interface Box {
  nodes: number[]; // one switch or host, or the hosts under a switch
  level: number;
  x: number; // 0..1, the middle
  y?: number; // the same, where rows are not levels
  width: number; // 0..1
}

export interface Edge {
  a: number; // box, the lower one
  b: number;
  up: number[]; // directed links
  down: number[];
}

export interface Layout {
  boxes: Box[];
  boxOf: Int32Array; // of each node; -1: not drawn
  edges: Edge[];
  rows: number[][]; // boxes by level, from left to right
  gathered: boolean;
  free: boolean; // boxes stand where the command put them: a hypercube by its bits
}

const GATHER = 100; // endpoints from which on
const SPREAD = 0.25; // of the width: where the neighbours' means differ by less, crossings are the same in any order

function neighbours(net: NetData): number[][] {
  const near: Set<number>[] = net.names.map(() => new Set<number>());
  net.from.forEach((from, l) => {
    near[from].add(net.to[l]);
    near[net.to[l]].add(from);
  });
  return near.map((s) => [...s]);
}

// The order of every row: by name first, then by where the neighbours stand, some times up and down.
function orderRows(net: NetData, near: number[][], rows: number[][]): void {
  const at = new Float64Array(net.names.length);
  const collator = new Intl.Collator('en', { numeric: true });
  const keep = (row: number[]) => row.forEach((v, i) => (at[v] = (i + 0.5) / row.length));
  for (const row of rows) {
    if (net.names.length < 4000) row.sort((a, b) => collator.compare(net.names[a], net.names[b]) || a - b);
    keep(row);
  }
  const mean = (v: number, side: number) => {
    let sum = 0;
    let n = 0;
    for (const w of near[v])
      if (Math.sign(net.level[w] - net.level[v]) === side) {
        sum += at[w];
        n++;
      }
    return n ? sum / n : at[v];
  };
  for (let turn = 0; turn < 4; turn++) {
    const side = turn % 2 ? 1 : -1; // from below, then from above
    for (const row of turn % 2 ? [...rows].reverse() : rows) {
      const key = new Map(row.map((v): [number, number] => [v, Math.round(mean(v, side) * 1e6)]));
      const means = [...key.values()];
      if (row.length > 1 && Math.max(...means) - Math.min(...means) < SPREAD * 1e6) continue; // names say more
      row.sort((a, b) => key.get(a)! - key.get(b)! || at[a] - at[b] || a - b);
      keep(row);
    }
  }
}

function placed(net: NetData, at: [number, number][]): Layout {
  const span = (i: number) => [Math.min(...at.map((p) => p[i])), Math.max(...at.map((p) => p[i]))];
  const [[left, right], [top, bottom]] = [span(0), span(1)];
  const boxes = at.map(([x, y], v): Box => ({
    nodes: [v], level: net.level[v], width: 0,
    x: right > left ? (x - left) / (right - left) : 0.5,
    y: bottom > top ? (y - top) / (bottom - top) : 0.5,
  }));
  const boxOf = Int32Array.from(at, (_, v) => v);
  const lines = new Map<number, number[]>();
  boxes.forEach((box, i) => lines.set(box.y!, [...(lines.get(box.y!) ?? []), i]));
  const rows = [...lines].sort((a, b) => b[0] - a[0]).map(([, row]) => row.sort((a, b) => boxes[a].x - boxes[b].x));
  return { boxes, boxOf, edges: makeEdges(net, boxes, boxOf), rows, gathered: false, free: true };
}

export function makeLayout(net: NetData): Layout {
  if (net.at) return placed(net, net.at);
  const near = neighbours(net);
  const top = net.level.reduce((a, b) => Math.max(a, b), 0);
  const used = (v: number) => near[v].length > 0;
  const switches: number[][] = Array.from({ length: top + 1 }, () => []);
  net.level.forEach((level, v) => {
    if (v >= net.endpoints && used(v)) switches[level].push(v);
  });
  const gathered = net.endpoints > GATHER;
  const rows = switches.slice();
  rows[0] = [...rows[0], ...(gathered ? [] : Array.from({ length: net.endpoints }, (_, e) => e))];
  orderRows(net, near, rows);
  const boxes: Box[] = [];
  const boxOf = new Int32Array(net.names.length).fill(-1);
  const boxRows: number[][] = rows.map((row, level) =>
    row.map((v, i) => {
      boxOf[v] = boxes.length;
      boxes.push({ nodes: [v], level, x: (i + 0.5) / row.length, width: 1 / row.length });
      return boxes.length - 1;
    }),
  );
  if (gathered) boxRows[0].push(...gatherHosts(net, near, boxes, boxOf));
  boxRows[0].sort((a, b) => boxes[a].x - boxes[b].x);
  return { boxes, boxOf, edges: makeEdges(net, boxes, boxOf), rows: boxRows, gathered, free: false };
}

// The hosts of every switch that has any, as one box below it; side by side, in the order of the switches.
function gatherHosts(net: NetData, near: number[][], boxes: Box[], boxOf: Int32Array): number[] {
  const under = new Map<number, number[]>();
  for (let e = 0; e < net.endpoints; e++) {
    const home = near[e].length ? Math.min(...near[e]) : -1;
    if (home < 0) continue;
    under.set(home, [...(under.get(home) ?? []), e]);
  }
  const homes = [...under.keys()].sort((a, b) => (boxes[boxOf[a]]?.x ?? 0) - (boxes[boxOf[b]]?.x ?? 0));
  return homes.map((home, i) => {
    const nodes = under.get(home)!;
    for (const e of nodes) boxOf[e] = boxes.length;
    boxes.push({ nodes, level: 0, x: (i + 0.5) / homes.length, width: 1 / homes.length });
    return boxes.length - 1;
  });
}

function makeEdges(net: NetData, boxes: Box[], boxOf: Int32Array): Edge[] {
  const edges = new Map<number, Edge>();
  net.from.forEach((from, l) => {
    const f = boxOf[from];
    const t = boxOf[net.to[l]];
    if (f < 0 || t < 0 || f === t) return;
    const upward = boxes[f].level < boxes[t].level || (boxes[f].level === boxes[t].level && f < t);
    const [a, b] = upward ? [f, t] : [t, f];
    const key = a * boxes.length + b;
    let edge = edges.get(key);
    if (!edge) edges.set(key, (edge = { a, b, up: [], down: [] }));
    (upward ? edge.up : edge.down).push(l);
  });
  return [...edges.values()];
}
