// The drawing of a network as the command computed it (src/report/drawings), with the nodes and links of its boxes.
import type { NetData } from './data';

export interface Box {
  nodes: number[]; // one switch or host, or merged ones
  host: boolean;
  row: number;
  x: number; // 0..1, the middle
  y?: number; // the same, where boxes are placed
  slot: number; // 0..1, width that is free for it
  label: string;
}

// All links between two boxes.
export interface Edge {
  a: number; // box, the lower one
  b: number;
  up: number[]; // directed links
  down: number[];
}

export interface Drawing {
  boxes: Box[];
  edges: Edge[];
  rows: number[][]; // boxes from left to right, from the lowest row up
  frames: [number, number][]; // the leftmost and the rightmost box
  placed: boolean; // positions in both directions, instead of rows
}

function makeEdges(net: NetData, boxes: Box[]): Edge[] {
  const edges = new Map<number, Edge>();
  net.from.forEach((from, l) => {
    const f = net.drawing.box_of[from];
    const t = net.drawing.box_of[net.to[l]];
    if (f === t) return;
    const upward = boxes[f].row < boxes[t].row || (boxes[f].row === boxes[t].row && f < t);
    const [a, b] = upward ? [f, t] : [t, f];
    const key = a * boxes.length + b;
    let edge = edges.get(key);
    if (!edge) edges.set(key, (edge = { a, b, up: [], down: [] }));
    (upward ? edge.up : edge.down).push(l);
  });
  return [...edges.values()];
}

export function expandDrawing(net: NetData): Drawing {
  const { frames } = net.drawing;
  const boxes = net.drawing.boxes.map(([row, x, slot, label, y]): Box => ({ nodes: [], host: false, row, x, y, slot, label }));
  net.drawing.box_of.forEach((b, v) => boxes[b].nodes.push(v));
  for (const b of boxes) b.host = b.nodes[0] < net.endpoints;
  // The keyboard moves along rows; those of a hypercube are lines of equal height.
  const rowed = boxes.some((b) => b.row > 0);
  const lines = new Map<number, number[]>();
  boxes.forEach((b, i) => {
    const height = rowed || b.y === undefined ? b.row : -b.y;
    if (!lines.has(height)) lines.set(height, []);
    lines.get(height)!.push(i);
  });
  const rows = [...lines].sort((a, b) => a[0] - b[0]).map(([, list]) => list.sort((a, b) => boxes[a].x - boxes[b].x));
  return {
    boxes, rows, edges: makeEdges(net, boxes), placed: boxes[0].y !== undefined,
    frames: frames.flatMap((b, i): [number, number][] => (i % 2 ? [[frames[i - 1], b]] : [])),
  };
}
