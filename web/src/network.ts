// The network by levels, its links by load, and paths through it.
import { choice, onWidth, prepare, Tip } from './canvas';
import { weighed, weighedNote, type FabricData, type NetData } from './data';
import { announce, el, id, isDark, onScheme } from './dom';
import { expandDrawing, type Box, type Drawing, type Edge } from './drawing';
import { count, plain } from './format';
import { heat, ink, type Ink } from './palette';
import { Paths } from './paths';
import { tableDetails } from './table';

const LINE = 15; // of a label
const BOX = 24; // height of a switch
const TALL = 190; // at most, with a vertical label
const UPRIGHT = 30; // width of a box at most, with a vertical label
const WIDEST = 230; // of other boxes
const USUAL = 140; // at most, where labels need no more
const FONT = '12px system-ui, sans-serif';
const MARGIN = 22;
const RINGS = 12; // more links that are fullest are not worth a mark

// A label on two lines, broken at blanks and behind marks; the most even ones first.
function inTwo(text: string): string[][] {
  const pairs = [...text.matchAll(/[^\s/_:;#-](?=\s)|[/_:;-](?=[^\s/_:;-])/g)].map(({ index }) => [text.slice(0, index + 1), text.slice(index + 1).trim()]);
  return pairs.sort((a, b) => Math.max(a[0].length, a[1].length) - Math.max(b[0].length, b[1].length));
}

export class NetworkView {
  readonly element: HTMLElement;
  private readonly canvas = el('canvas', { 'aria-hidden': 'true' });
  private readonly plot: HTMLElement;
  private readonly tip = new Tip();
  private readonly legend = el('p', { class: 'note' });
  private readonly pathText = el('div', { class: 'paths', 'aria-live': 'polite' });
  private readonly from: HTMLInputElement;
  private readonly to: HTMLInputElement;
  private readonly shiftInput: HTMLInputElement;
  private table: HTMLElement = el('div');
  private readonly drawing: Drawing;
  private readonly flagged = new Set<number>(); // nodes that findings are about
  private readonly dead: Set<number>;
  private readonly nodeOf = new Map<string, number>();
  private readonly paths: (Paths | null)[];
  private routing = 0;
  private pattern = 0;
  private load: ArrayLike<number> = [];
  private most = 0;
  private scale = 0; // the load of the strongest colour: under all-to-all the same for all routings
  private readonly mostOfAll: number;
  private ringed = true; // the most loaded links
  private edgeLoad: Float64Array = new Float64Array(0);
  private marked: number[] = []; // links of the path that is shown
  private found = -1; // a node
  private at = -1; // a box, by keys
  private zoom = 1;
  private panX = 0;
  private width = 300;
  private height = 300;
  private placedWidth = 40; // of boxes that are placed
  private between = 100; // rows
  private boxHeight: number[] = []; // by row, of its highest box
  private widest: number[] = []; // by row, of boxes with horizontal labels
  private labels = new Map<Box, string[]>(); // their lines; empty: a vertical label, or none

  constructor(
    private readonly fabric: FabricData,
    private readonly net: NetData,
    private readonly name: (i: number) => string,
    serious: string[], // where errors and warnings are
  ) {
    this.drawing = expandDrawing(net);
    this.mostOfAll = fabric.routings.reduce((most, r) => Array.from(weighed(fabric, r.load)).reduce((m, x) => Math.max(m, x), most), 0);
    this.paths = fabric.routings.map((r) => (r.hops_to ? new Paths(net, r.hops_to) : null));
    this.dead = new Set(net.dead);
    net.names.forEach((text, v) => { if (!this.nodeOf.has(text)) this.nodeOf.set(text, v); });
    this.flag(serious);
    const names = el('datalist', { id: id('names') });
    if (net.endpoints <= 5000) for (let e = 0; e < net.endpoints; e++) names.append(el('option', { value: net.names[e] }));
    const input = (label: string) => el('input', { type: 'text', list: names.id, size: 22, 'aria-label': label, placeholder: 'a name', autocomplete: 'off', spellcheck: 'false' });
    this.from = input('From: name of a host');
    this.to = input('To: name of a host');
    this.shiftInput = el('input', { type: 'number', min: 1, max: net.endpoints - 1, value: 1, 'aria-label': 'k of the shift' });
    this.plot = el('div', {
      class: 'plot network', tabindex: 0, role: 'application', 'aria-roledescription': 'drawing of a network',
      'aria-label': `The network: ${count(net.endpoints, 'endpoint')} and ${count(fabric.switches, 'switch', 'switches')} in ${count(fabric.levels, 'level')}. Arrow keys go from switch to switch. A table of its links is below.`,
    }, this.canvas, this.tip.element);
    this.element = el('div', { class: 'networkview' }, this.controls(), this.pathControls(names), this.pathText, this.legend, this.plot, this.table);
    this.plot.addEventListener('pointermove', (event) => this.pointer(event));
    this.plot.addEventListener('pointerdown', (event) => this.pointer(event));
    this.plot.addEventListener('pointerleave', () => this.tip.hide());
    this.plot.addEventListener('keydown', (event) => this.key(event));
    this.plot.addEventListener('blur', () => { this.at = -1; this.tip.hide(); this.draw(); });
    onScheme(() => this.draw());
  }

  start(): void {
    this.compute();
    onWidth(this.plot, () => this.draw());
  }

  // ---- controls ----

  private controls(): HTMLElement {
    const box = el('div', { class: 'controls' });
    if (this.fabric.routings.length > 1)
      box.append(choice('Routing', this.fabric.routings.map((_, i) => this.name(i)), (i) => {
        this.routing = i;
        this.compute();
        if (this.marked.length || this.pathText.childElementCount) this.showPaths();
      }));
    const patterns = ['all-to-all', 'shift by', 'worst permutation'];
    const shift = el('span', { class: 'control', hidden: true }, 'k ', this.shiftInput);
    if (this.paths.some((p) => p))
      box.append(choice('Traffic', this.fabric.routings.some((r) => r.worst.length) ? patterns : patterns.slice(0, 2), (i) => {
        this.pattern = i;
        shift.hidden = i !== 1;
        this.compute();
      }), shift);
    this.shiftInput.addEventListener('input', () => this.compute());
    const zoom = (label: string, factor: number) => {
      const button = el('button', { type: 'button', 'aria-label': label }, factor > 1 ? '+' : factor < 1 && factor > 0 ? '\u2212' : 'Whole');
      button.addEventListener('click', () => this.zoomBy(factor));
      return button;
    };
    box.append(el('span', { class: 'control', role: 'group', 'aria-label': 'Zoom' }, 'Zoom ', zoom('Zoom in', 1.6), zoom('Zoom out', 1 / 1.6), zoom('Show the whole network', 0)));
    return box;
  }

  private pathControls(names: HTMLElement): HTMLElement {
    const form = el('div', { class: 'controls', role: 'search' });
    const go = el('button', { type: 'button' }, 'Show path');
    const away = el('button', { type: 'button' }, 'Clear');
    go.addEventListener('click', () => this.showPaths());
    away.addEventListener('click', () => {
      this.from.value = this.to.value = '';
      this.marked = [];
      this.found = -1;
      this.pathText.replaceChildren();
      this.draw();
    });
    for (const input of [this.from, this.to])
      input.addEventListener('keydown', (event) => { if (event.key === 'Enter') this.showPaths(); });
    form.append(el('label', { class: 'control' }, 'From ', this.from), el('label', { class: 'control' }, 'to ', this.to), go, away, names);
    return form;
  }

  private zoomBy(factor: number): void {
    const middle = (this.width / 2 - this.panX) / this.zoom;
    this.zoom = factor ? Math.max(1, Math.min(24, this.zoom * factor)) : 1;
    this.panX = this.width / 2 - middle * this.zoom;
    this.draw();
  }

  // ---- what is drawn ----

  // Errors and warnings name nodes at the beginning of where they are: "leaf3/19".
  private flag(serious: string[]): void {
    for (let where of serious) {
      while (where) {
        const node = this.nodeOf.get(where);
        if (node !== undefined) {
          this.flagged.add(node);
          break;
        }
        const cut = Math.max(where.lastIndexOf('/'), where.lastIndexOf(' '));
        if (cut <= 0) break;
        where = where.slice(0, cut);
      }
    }
  }

  private isMostLoaded(i: number): boolean {
    return this.most > 0 && this.edgeLoad[i] >= this.most * (1 - 1e-9);
  }

  private compute(): void {
    const routing = this.fabric.routings[this.routing];
    const paths = this.paths[this.routing];
    let what = 'all-to-all';
    if (this.pattern === 0 || !paths) {
      this.load = weighed(this.fabric, routing.load);
    } else {
      const load = new Float64Array(this.net.from.length);
      const n = this.net.endpoints;
      const k = Math.max(1, Math.min(n - 1, Math.floor(Number(this.shiftInput.value)) || 1));
      const to = this.pattern === 2 ? routing.worst : Array.from({ length: n }, (_, e) => (e + k) % n);
      to.forEach((target, e) => paths.add(e, target, load));
      this.load = weighed(this.fabric, load);
      what = this.pattern === 2 ? 'the worst permutation' : `the shift by ${k}`;
    }
    this.most = 0;
    for (let l = 0; l < this.load.length; l++) this.most = Math.max(this.most, this.load[l]);
    this.scale = this.pattern === 0 || !paths ? Math.max(this.most, this.mostOfAll) : this.most;
    this.edgeLoad = Float64Array.from(this.drawing.edges, (edge) => [...edge.up, ...edge.down].reduce((m, l) => Math.max(m, this.load[l] ?? 0), 0));
    this.ringed = this.drawing.edges.filter((_, i) => this.isMostLoaded(i)).length <= RINGS;
    const notes = [`Links by flows under ${what}: the thicker and stronger, the more; at most ${plain(Number(this.most.toPrecision(6)))} on one link${this.ringed ? ' (ringed)' : ''}.`, 'Dotted: no flow.'];
    if (this.fabric.weighed) notes.push(weighedNote(this.fabric).trim());
    if (this.dead.size) notes.push('Crossed out: dead.');
    if (this.flagged.size) notes.push('!: a finding is about this node (where there is room).');
    if (this.net.drawing.merged) notes.push(this.net.drawing.merged);
    this.legend.textContent = notes.join(' ');
    this.makeTable();
    this.draw();
  }

  private makeTable(): void {
    const order = this.net.from.map((_, l) => l).sort((a, b) => (this.load[b] ?? 0) - (this.load[a] ?? 0) || a - b);
    const table = tableDetails(`Table of ${count(order.length, 'directed link')}`, () => ({
      caption: 'Directed links, the most loaded first',
      columns: ['from', 'port', 'to', 'flows', 'state'],
      right: [false, true, false, true, false],
      rows: order.length,
      cell: (row, column) => {
        const l = order[row];
        if (column === 0) return this.net.names[this.net.from[l]];
        if (column === 1) return String(this.net.port[l] ?? '');
        if (column === 2) return this.net.names[this.net.to[l]];
        if (column === 3) return plain(this.load[l] ?? 0);
        return this.dead.has(l) ? 'dead' : '';
      },
    }));
    this.table.replaceWith(table);
    this.table = table;
  }

  private boxX(box: Box): number {
    const margin = this.drawing.placed ? MARGIN + this.placedWidth / 2 : MARGIN;
    return margin + box.x * (this.width - 2 * margin) * this.zoom + (this.zoom === 1 ? 0 : this.panX);
  }

  private room(box: Box): number {
    const slot = box.slot * (this.width - 2 * MARGIN) * this.zoom;
    return Math.max(3, slot - Math.min(8, 0.25 * slot));
  }

  private boxWidth(box: Box): number {
    if (this.drawing.placed) return this.placedWidth;
    return Math.min(this.room(box), this.isUpright(box) ? UPRIGHT : this.widest[box.row]);
  }

  private boxY(box: Box): number {
    if (box.y !== undefined) return MARGIN + BOX + box.y * (this.height - 2 * (MARGIN + BOX));
    let y = MARGIN;
    for (let row = this.drawing.rows.length - 1; row > box.row; row--) y += this.boxHeight[row] + this.between;
    return y + this.half(box); // at the top of the row: links from above do not cross its other boxes
  }

  private half(box: Box): number {
    if (this.drawing.placed) return BOX / 2;
    return (this.isUpright(box) ? this.boxHeight[box.row] : this.lineHeight(box)) / 2;
  }

  private linesOf(box: Box): string[] {
    return this.labels.get(box) ?? [];
  }

  private isUpright(box: Box): boolean {
    return !this.drawing.placed && box.row > 0 && !this.linesOf(box).length && this.room(box) >= 13;
  }

  private lineHeight(box: Box): number {
    return BOX + LINE * Math.max(0, this.linesOf(box).length - 1);
  }

  // The name in full, or shortened, on one line or two, as far as there is room; none: the label is vertical.
  private fitLabel(g: CanvasRenderingContext2D, box: Box): string[] {
    const room = Math.min(WIDEST, this.room(box)) - 8;
    const cut = box.label.includes('\u2026') && box.nodes.length === 1;
    if (room < 13) return [];
    for (const text of cut ? [this.net.names[box.nodes[0]], box.label] : [box.label])
      for (const lines of [[text], ...inTwo(text)]) if (lines.every((line) => g.measureText(line).width <= room)) return lines;
    return [];
  }

  private measureRows(g: CanvasRenderingContext2D): void {
    g.font = FONT;
    const width = (text: string) => g.measureText(text).width;
    this.labels = new Map(this.drawing.boxes.map((box) => [box, box.row === 0 || this.drawing.placed ? [] : this.fitLabel(g, box)]));
    this.widest = this.drawing.rows.map((list) => Math.max(USUAL, ...list.flatMap((b) => this.linesOf(this.drawing.boxes[b])).map((line) => width(line) + 14)));
    this.boxHeight = this.drawing.rows.map((list, row) => {
      const boxes = list.map((b) => this.drawing.boxes[b]);
      const upright = boxes.filter((box) => this.isUpright(box)).map((box) => width(box.label) + 10);
      return row === 0 ? BOX : Math.max(...boxes.map((box) => this.lineHeight(box)), Math.min(TALL, Math.max(0, ...upright)));
    });
  }

  private draw(): void {
    if (!this.element.isConnected) return;
    this.width = Math.max(240, this.plot.clientWidth);
    const rows = this.drawing.rows.length;
    this.panX = Math.min(0, Math.max(this.width * (1 - this.zoom), this.panX));
    const dark = isDark();
    const c = ink(dark);
    this.measureRows(prepare(this.canvas, 10, 10));
    this.between = Math.max(rows > 6 ? 30 : 60, Math.min(130, this.width / 6, rows > 6 ? 420 / rows : 130));
    this.placedWidth = Math.min(60, Math.max(14, this.width / (1.6 * Math.max(...this.drawing.rows.map((r) => r.length)))));
    this.height = this.drawing.placed ? Math.min(620, 0.75 * this.width) : 2 * MARGIN + this.boxHeight.reduce((a, b) => a + b, 0) + Math.max(0, rows - 1) * this.between;
    const g = prepare(this.canvas, this.width, this.height);
    g.fillStyle = c.ground;
    g.fillRect(0, 0, this.width, this.height);
    const marked = new Set(this.marked);
    if (!this.drawing.placed) this.drawFrames(g, c);
    const order = this.drawing.edges.map((_, i) => i).sort((a, b) => this.edgeLoad[a] - this.edgeLoad[b]);
    for (const i of order) this.drawEdge(g, i, dark, marked.size > 0);
    if (marked.size) for (const i of order) if ([...this.drawing.edges[i].up, ...this.drawing.edges[i].down].some((l) => marked.has(l))) this.drawMarked(g, i, marked, c.text, dark);
    g.textBaseline = 'middle';
    g.textAlign = 'center';
    this.drawing.boxes.forEach((box, i) => this.drawBox(g, box, i, c));
  }

  private ends(edge: Edge): [number, number, number, number] {
    const a = this.drawing.boxes[edge.a];
    const b = this.drawing.boxes[edge.b];
    if (this.drawing.placed) return [this.boxX(a), this.boxY(a), this.boxX(b), this.boxY(b)];
    return [this.boxX(a), this.boxY(a) - this.half(a), this.boxX(b), this.boxY(b) + (this.bent(edge) ? -1 : 1) * this.half(b)];
  }

  private drawFrames(g: CanvasRenderingContext2D, c: Ink): void {
    g.fillStyle = c.grid;
    g.globalAlpha = 0.6;
    for (const [first, last] of this.drawing.frames) {
      const [a, b] = [this.drawing.boxes[first], this.drawing.boxes[last]];
      const left = this.boxX(a) - this.boxWidth(a) / 2 - 3;
      g.fillRect(left, this.boxY(a) - this.half(a) - 5, this.boxX(b) + this.boxWidth(b) / 2 + 3 - left, 2 * this.half(a) + 10);
    }
    g.globalAlpha = 1;
  }

  private drawEdge(g: CanvasRenderingContext2D, i: number, dark: boolean, faint: boolean): void {
    const edge = this.drawing.edges[i];
    const [x1, y1, x2, y2] = this.ends(edge);
    if (Math.max(x1, x2) < -50 || Math.min(x1, x2) > this.width + 50) return;
    const share = this.scale ? this.edgeLoad[i] / this.scale : 0;
    const dead = edge.up.some((l) => this.dead.has(l)) || edge.down.some((l) => this.dead.has(l));
    g.globalAlpha = faint ? 0.25 : 1;
    g.strokeStyle = heat(share, dark);
    g.lineWidth = (0.8 + 3.6 * share * share) * Math.max(0.35, Math.min(1, Math.sqrt(400 / this.drawing.edges.length)));
    g.setLineDash(dead ? [6, 4] : this.edgeLoad[i] ? [] : [1.5, 3]);
    this.line(g, edge, x1, y1, x2, y2);
    g.setLineDash([]);
    const mx = (x1 + x2) / 2;
    const my = this.middle(edge, y1, y2);
    g.strokeStyle = ink(dark).text;
    g.lineWidth = 1.5;
    if (dead) this.stroke(g, [[mx - 5, my - 5, mx + 5, my + 5], [mx - 5, my + 5, mx + 5, my - 5]]);
    else if (this.ringed && this.isMostLoaded(i)) {
      g.beginPath();
      g.arc(mx, my, 5, 0, 2 * Math.PI);
      g.stroke();
    }
    g.globalAlpha = 1;
  }

  private middle(edge: Edge, y1: number, y2: number): number {
    return this.bent(edge) ? y1 - 22 : (y1 + y2) / 2;
  }

  private bent(edge: Edge): boolean {
    return !this.drawing.placed && this.drawing.boxes[edge.a].row === this.drawing.boxes[edge.b].row;
  }

  // Between boxes of one row the line goes over them.
  private line(g: CanvasRenderingContext2D, edge: Edge, x1: number, y1: number, x2: number, y2: number): void {
    g.beginPath();
    g.moveTo(x1, y1);
    if (this.bent(edge)) g.quadraticCurveTo((x1 + x2) / 2, y1 - 44, x2, y1);
    else g.lineTo(x2, y2);
    g.stroke();
  }

  private drawMarked(g: CanvasRenderingContext2D, i: number, marked: Set<number>, colour: string, dark: boolean): void {
    const edge = this.drawing.edges[i];
    const [x1, y1, x2, y2] = this.ends(edge);
    g.strokeStyle = colour;
    g.lineWidth = 5;
    this.line(g, edge, x1, y1, x2, y2);
    g.strokeStyle = heat(this.scale ? this.edgeLoad[i] / this.scale : 0, dark);
    g.lineWidth = 2.4;
    this.line(g, edge, x1, y1, x2, y2);
    const up = edge.up.some((l) => marked.has(l));
    const at = up ? 0.62 : 0.38;
    const x = x1 + (x2 - x1) * at;
    const y = y1 + (y2 - y1) * at;
    const angle = Math.atan2(y2 - y1, x2 - x1) + (up ? 0 : Math.PI);
    g.fillStyle = colour;
    g.beginPath();
    for (const turn of [0, 2.5, -2.5]) g.lineTo(x + 9 * Math.cos(angle + turn), y + 9 * Math.sin(angle + turn));
    g.fill();
  }

  private stroke(g: CanvasRenderingContext2D, lines: number[][]): void {
    g.beginPath();
    for (const [x1, y1, x2, y2] of lines) {
      g.moveTo(x1, y1);
      g.lineTo(x2, y2);
    }
    g.stroke();
  }

  private drawBox(g: CanvasRenderingContext2D, box: Box, i: number, c: Ink): void {
    const x = this.boxX(box);
    const y = this.boxY(box);
    const w = this.boxWidth(box);
    const h = 2 * this.half(box);
    if (x + w / 2 < 0 || x - w / 2 > this.width) return;
    const found = box.nodes.includes(this.found);
    g.fillStyle = found || i === this.at ? c.text : box.host ? c.grid : c.ground;
    g.strokeStyle = c.text;
    g.lineWidth = found || i === this.at ? 3 : 1;
    g.beginPath();
    if (box.host) g.roundRect(x - w / 2, y - h / 2, w, h, Math.min(w, h) / 2);
    else g.rect(x - w / 2, y - h / 2, w, h);
    g.fill();
    g.stroke();
    g.fillStyle = found || i === this.at ? c.ground : c.text;
    g.font = FONT;
    const lines = this.linesOf(box);
    if (lines.length) lines.forEach((line, k) => g.fillText(line, x, y + 0.5 + LINE * (k - (lines.length - 1) / 2)));
    else if (g.measureText(box.label).width <= w - 4) g.fillText(box.label, x, y + 0.5);
    else if (this.isUpright(box)) {
      g.save();
      g.translate(x, y);
      g.rotate(-Math.PI / 2);
      g.fillText(box.label, 0, 0.5, h - 6);
      g.restore();
    }
    if (w >= 8 && box.nodes.some((v) => this.flagged.has(v))) {
      g.font = 'bold 14px system-ui, sans-serif';
      g.fillStyle = c.text;
      g.fillText('!', x, y - h / 2 - 8);
    }
  }

  // ---- pointer and keys ----

  private boxLines(box: Box): [string, string][] {
    const lines: [string, string][] = [];
    if (box.nodes.length > 1) lines.push([box.host ? 'hosts' : 'switches', `${box.nodes.length}: ${box.nodes.slice(0, 12).map((v) => this.net.names[v]).join(', ')}${box.nodes.length > 12 ? ', ...' : ''}`]);
    else lines.push([box.host ? 'host' : 'switch', this.net.names[box.nodes[0]]], ['level', String(this.net.level[box.nodes[0]])]);
    const flagged = box.nodes.filter((v) => this.flagged.has(v));
    if (flagged.length) lines.push(['finding', `about ${flagged.slice(0, 4).map((v) => this.net.names[v]).join(', ')}`]);
    return lines;
  }

  private edgeLines(i: number): [string, string][] {
    const edge = this.drawing.edges[i];
    const most = (links: number[]) => plain(Number(links.reduce((m, l) => Math.max(m, this.load[l] ?? 0), 0).toPrecision(6)));
    const end = (b: number) => {
      const { nodes, host } = this.drawing.boxes[b];
      return nodes.length > 1 ? `${nodes.length} ${host ? 'hosts' : 'switches'}` : this.net.names[nodes[0]];
    };
    const lines: [string, string][] = [['between', `${end(edge.a)} and ${end(edge.b)}`], ['cables', String(Math.max(edge.up.length, edge.down.length))],
      ['flows up', `${most(edge.up)} on the most loaded`], ['flows down', `${most(edge.down)} on the most loaded`]];
    const dead = [...edge.up, ...edge.down].filter((l) => this.dead.has(l)).length;
    if (dead) lines.push(['dead', count(dead, 'directed link')]);
    return lines;
  }

  private nearestEdge(x: number, y: number): number {
    let best = -1;
    let nearest = 36;
    this.drawing.edges.forEach((edge, i) => {
      const [x1, y1, x2, y2] = this.ends(edge);
      const length = (x2 - x1) ** 2 + (y2 - y1) ** 2;
      const t = length ? Math.max(0, Math.min(1, ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / length)) : 0;
      const d = (x1 + t * (x2 - x1) - x) ** 2 + (y1 + t * (y2 - y1) - y) ** 2;
      if (d < nearest) {
        nearest = d;
        best = i;
      }
    });
    return best;
  }

  private pointer(event: PointerEvent): void {
    const frame = this.plot.getBoundingClientRect();
    const x = event.clientX - frame.left;
    const y = event.clientY - frame.top;
    if (event.buttons & 1 && event.type === 'pointermove' && this.zoom > 1) {
      this.panX += event.movementX;
      this.tip.hide();
      this.draw();
      return;
    }
    const box = this.drawing.boxes.find((b) => Math.abs(this.boxX(b) - x) <= this.boxWidth(b) / 2 + 1 && Math.abs(this.boxY(b) - y) <= this.half(b) + 1);
    if (box) return this.tip.show(this.boxLines(box), x, y, this.width, this.height);
    const edge = this.nearestEdge(x, y);
    if (edge >= 0) return this.tip.show(this.edgeLines(edge), x, y, this.width, this.height);
    this.tip.hide();
  }

  private key(event: KeyboardEvent): void {
    const { rows, boxes } = this.drawing;
    const step: Record<string, [number, number]> = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, 0], ArrowDown: [-1, 0] };
    if (event.key === 'Escape') {
      this.at = -1;
      this.tip.hide();
      this.draw();
    }
    const move = step[event.key];
    if (!move) return;
    event.preventDefault();
    if (this.at < 0) {
      this.at = rows[rows.length - 1][0] ?? 0;
    } else {
      const box = boxes[this.at];
      const level = rows.findIndex((row) => row.includes(this.at)) + move[0];
      const row = rows[level] ?? [];
      if (move[0] && row.length) this.at = row.reduce((best, b) => (Math.abs(boxes[b].x - box.x) < Math.abs(boxes[best].x - box.x) ? b : best), row[0]);
      else if (move[1]) this.at = row[Math.max(0, Math.min(row.length - 1, row.indexOf(this.at) + move[1]))];
    }
    const box = boxes[this.at];
    if (this.zoom > 1) {
      const x = this.boxX(box);
      if (x < 40 || x > this.width - 40) this.panX += this.width / 2 - x;
    }
    this.draw();
    const lines = this.boxLines(box);
    this.tip.show(lines, this.boxX(box), this.boxY(box), this.width, this.height);
    announce(lines.map(([k, v]) => `${k} ${v}`).join(', '));
  }

  // ---- paths ----

  private find(text: string): number {
    const wanted = text.trim();
    const exactly = this.nodeOf.get(wanted);
    if (exactly !== undefined) return exactly;
    const close = this.net.names.findIndex((n) => n.toLowerCase() === wanted.toLowerCase());
    return close >= 0 ? close : this.net.names.findIndex((n) => n.toLowerCase().includes(wanted.toLowerCase()));
  }

  private show(...children: (Node | string)[]): void {
    this.pathText.replaceChildren(el('p', {}, ...children));
  }

  private showPaths(): void {
    this.marked = [];
    this.found = -1;
    const [a, b] = [this.from.value, this.to.value];
    if (!a.trim() && !b.trim()) {
      this.show('Write the name of a host, or of two.');
      return this.draw();
    }
    const from = a.trim() ? this.find(a) : -1;
    const to = b.trim() ? this.find(b) : -1;
    const unknown = (a.trim() && from < 0 && a) || (b.trim() && to < 0 && b);
    if (unknown) {
      this.show(`There is no node called "${unknown}".`);
      return this.draw();
    }
    if (from < 0 || to < 0) this.showNode(Math.max(from, to));
    else this.showPath(from, to);
    this.draw();
  }

  private showNode(node: number): void {
    this.found = node;
    const near = [...new Set(this.net.from.flatMap((f, l) => (f === node ? [this.net.to[l]] : [])))];
    this.show(el('strong', {}, this.net.names[node]), ` is a ${node < this.net.endpoints ? 'host' : `switch of level ${this.net.level[node]}`} with cables to ${near.slice(0, 8).map((v) => this.net.names[v]).join(', ')}${near.length > 8 ? ` and ${near.length - 8} more` : ''}.`);
  }

  private showPath(from: number, to: number): void {
    const paths = this.paths[this.routing];
    if (!paths) return this.show('This page does not hold the paths of this routing; see what is left out.');
    if (from >= this.net.endpoints || to >= this.net.endpoints || from === to) return this.show('A path goes from one host to another host.');
    const hops = paths.all(from, to);
    const arrives = hops.length > 0 && hops[hops.length - 1].some((l) => this.net.to[l] === to);
    const list = el('ol', { class: 'path' });
    for (const links of hops) {
      if (!links.length) break;
      const item = el('li');
      links.slice(0, 8).forEach((l, i) => {
        const port = this.net.port[l];
        item.append(i ? ', or ' : '', el('span', {}, `${this.net.names[this.net.from[l]]}${port !== undefined ? ` port ${port}` : ''} to ${this.net.names[this.net.to[l]]} (${count(Number((this.load[l] ?? 0).toPrecision(6)), 'flow')})`));
      });
      if (links.length > 8) item.append(`, or ${links.length - 8} more`);
      list.append(item);
      this.marked.push(...links);
    }
    const switches = hops.filter((h) => h.length).length - 1;
    this.pathText.replaceChildren(
      el('p', {}, arrives ? `${this.net.names[from]} to ${this.net.names[to]}: ${count(switches, 'switch', 'switches')} on the path.` : `${this.net.names[from]} does not reach ${this.net.names[to]}: the path breaks off.`),
      list,
    );
  }
}
