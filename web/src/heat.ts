// Loads between the switches of two levels, or within one, as a matrix: rows of the lower level, columns of the upper.
import { choice, onWidth, prepare, Tip } from './canvas';
import { weighed, weighedNote, type FabricData, type NetData } from './data';
import { el, isDark, onScheme } from './dom';
import { count, plain } from './format';
import { heat, ink } from './palette';
import { tableDetails } from './table';

interface Cell {
  low: number;
  high: number;
  up: number[];
  down: number[];
}

interface Matrix {
  levels: [number, number]; // lower or equal, upper
  low: number[];
  high: number[];
  cells: Map<number, Cell>; // by row * high.length + column
}

// Cells of one pair of levels by their switches. Within a level every cable has two cells, one in each half.
type CellMap = Map<string, Cell>;

function addLink(cells: CellMap, low: number, high: number, link: number, upward: boolean): void {
  const key = `${low} ${high}`;
  const cell = cells.get(key) ?? { low, high, up: [], down: [] };
  (upward ? cell.up : cell.down).push(link);
  cells.set(key, cell);
}

function place(cells: CellMap, names: string[], levels: [number, number]): Matrix {
  const collator = new Intl.Collator('en', { numeric: true });
  const order = (list: number[]) => [...new Set(list)].sort((a, b) => collator.compare(names[a], names[b]) || a - b);
  const low = order([...cells.values()].map((c) => c.low));
  const high = order([...cells.values()].map((c) => c.high));
  const row = new Map(low.map((v, i) => [v, i]));
  const column = new Map(high.map((v, i) => [v, i]));
  const placed = new Map<number, Cell>();
  for (const cell of cells.values()) placed.set(row.get(cell.low)! * high.length + column.get(cell.high)!, cell);
  return { levels, low, high, cells: placed };
}

// Every link between two switches is in one of them.
export function makeMatrices(net: NetData): Matrix[] {
  const pairs = new Map<string, CellMap>();
  net.from.forEach((from, l) => {
    const to = net.to[l];
    if (from < net.endpoints || to < net.endpoints || from === to) return;
    const [a, b] = [net.level[from], net.level[to]];
    const key = a < b ? `${a} ${b}` : `${b} ${a}`;
    const cells = pairs.get(key) ?? new Map<string, Cell>();
    pairs.set(key, cells);
    if (a <= b) addLink(cells, from, to, l, true);
    if (a >= b) addLink(cells, to, from, l, false);
  });
  const level = (key: string) => key.split(' ').map(Number) as [number, number];
  return [...pairs]
    .map(([key, cells]) => place(cells, net.names, level(key)))
    .sort((a, b) => a.levels[0] - b.levels[0] || a.levels[1] - b.levels[1]);
}

function levelsOf(matrix: Matrix): string {
  const [low, high] = matrix.levels;
  return low === high ? `within ${low}` : `${low} and ${high}`;
}

class HeatMap {
  readonly element: HTMLElement;
  private readonly canvas = el('canvas', { 'aria-hidden': 'true' });
  private readonly plot = el('div', { class: 'plot' });
  private readonly tip = new Tip();
  private readonly scale = el('p', { class: 'note' });
  private table = el('div');
  private readonly loads: ArrayLike<number>[]; // of each routing
  private routing = 0;
  private upward = 0; // 0 the larger of both, 1 from row to column, 2 back
  private left = 0;
  private top = 0;
  private size = 10;

  constructor(
    fabric: FabricData,
    private readonly net: NetData,
    private readonly matrices: Matrix[],
    private at: number, // the one shown first
    name: (i: number) => string,
  ) {
    const controls = el('div', { class: 'controls' });
    if (fabric.routings.length > 1)
      controls.append(choice('Routing', fabric.routings.map((_, i) => name(i)), (i) => { this.routing = i; this.draw(); }));
    if (matrices.length > 1)
      controls.append(choice('Levels', matrices.map(levelsOf), (i) => { this.at = i; this.draw(); }, at));
    controls.append(choice('Direction', ['the fuller one', 'from row to column', 'from column to row'], (i) => { this.upward = i; this.draw(); }));
    this.plot.append(this.canvas, this.tip.element);
    this.loads = fabric.routings.map((r) => weighed(fabric, r.load));
    this.element = el('div', {},
      el('p', { class: 'note' }, 'Flows under all-to-all on the most loaded cable between two switches; rows are the lower level, columns the upper one; within a level every cable has two cells.' + weighedNote(fabric)),
      controls, this.scale, this.plot, this.table);
    this.plot.addEventListener('pointermove', (event) => this.hover(event));
    this.plot.addEventListener('pointerleave', () => this.tip.hide());
    onScheme(() => this.draw());
  }

  start(): void {
    this.draw();
    onWidth(this.plot, () => this.draw());
  }

  private load(links: number[]): number {
    const load = this.loads[this.routing];
    return links.reduce((most, l) => Math.max(most, load[l] ?? 0), 0);
  }

  private value(cell: Cell): number {
    if (this.upward === 1) return this.load(cell.up);
    if (this.upward === 2) return this.load(cell.down);
    return Math.max(this.load(cell.up), this.load(cell.down));
  }

  private draw(): void {
    if (!this.element.isConnected) return;
    const { low, high, cells } = this.matrices[this.at];
    const dark = isDark();
    const c = ink(dark);
    const { boxes, box_of } = this.net.drawing;
    const lowNames = low.map((v) => boxes[box_of[v]][3]);
    const highNames = high.map((v) => boxes[box_of[v]][3]);
    const room = Math.max(240, this.plot.clientWidth);
    const measure = prepare(this.canvas, 10, 10);
    measure.font = '11px system-ui, sans-serif';
    const longest = (names: string[]) => names.reduce((w, n) => Math.max(w, measure.measureText(n).width), 0);
    this.left = Math.min(longest(lowNames) + 8, room * 0.35);
    this.size = Math.max(3, Math.min(34, Math.floor((room - this.left - 4) / high.length)));
    const readable = this.size >= 12;
    this.top = readable ? Math.min(longest(highNames), 150) * 0.72 + 14 : 6;
    if (!readable) this.left = 6;
    const slant = readable ? Math.min(longest(highNames), 150) * 0.72 : 0;
    const width = this.left + high.length * this.size + Math.max(2, slant);
    const height = this.top + low.length * this.size + 4;
    const g = prepare(this.canvas, Math.min(width, Math.max(room, this.left + high.length * this.size)), height);
    g.fillStyle = c.ground;
    g.fillRect(0, 0, width, height);
    let most = 0;
    for (const cell of cells.values()) most = Math.max(most, this.value(cell));
    g.font = '11px system-ui, sans-serif';
    g.textBaseline = 'middle';
    if (readable) this.labels(g, lowNames, highNames, c.text);
    const gap = this.size > 5 ? 1 : 0;
    for (const [key, cell] of cells) {
      const x = this.left + (key % high.length) * this.size;
      const y = this.top + Math.floor(key / high.length) * this.size;
      const value = this.value(cell);
      const share = most ? value / most : 0;
      g.fillStyle = heat(share, dark);
      g.fillRect(x, y, this.size - gap, this.size - gap);
      if (value === most && most > 0 && this.size > 6) {
        g.strokeStyle = c.text;
        g.lineWidth = 2;
        g.strokeRect(x + 1, y + 1, this.size - gap - 2, this.size - gap - 2);
      }
      const text = plain(Number(value.toPrecision(3)));
      g.font = `${this.size >= 28 ? 11 : 9}px system-ui, sans-serif`;
      if (this.size >= 20 && g.measureText(text).width < this.size - 2) {
        g.fillStyle = share > 0.55 !== dark ? '#ffffff' : dark && share <= 0.3 ? '#ffffff' : '#000000';
        g.textAlign = 'center';
        g.fillText(text, x + this.size / 2, y + this.size / 2);
      }
    }
    this.scale.textContent = `Darkest${dark ? ' (here lightest)' : ''}, with a frame: ${plain(most)} flows. Empty: no cable.`;
    this.makeTable(most);
  }

  private labels(g: CanvasRenderingContext2D, low: string[], high: string[], colour: string): void {
    g.fillStyle = colour;
    g.textAlign = 'right';
    low.forEach((name, i) => g.fillText(name, this.left - 5, this.top + (i + 0.5) * this.size, this.left - 6));
    g.textAlign = 'left';
    high.forEach((name, i) => {
      g.save();
      g.translate(this.left + (i + 0.5) * this.size, this.top - 6);
      g.rotate(-Math.PI / 4);
      g.fillText(name, 0, 0, 150);
      g.restore();
    });
  }

  private makeTable(most: number): void {
    const matrix = this.matrices[this.at];
    const within = matrix.levels[0] === matrix.levels[1];
    const cells = [...matrix.cells.values()].filter((cell) => !within || cell.low < cell.high).sort((a, b) => this.value(b) - this.value(a));
    const table = tableDetails(`Table of ${count(cells.length, 'pair')} of switches`, () => ({
      caption: `Loads, levels ${levelsOf(matrix)}, at most ${plain(most)} flows`,
      columns: within ? ['switch', 'switch', 'cables', 'flows there', 'flows back'] : ['lower', 'upper', 'cables', 'flows up', 'flows down'],
      right: [false, false, true, true, true],
      rows: cells.length,
      cell: (row, column) => {
        const cell = cells[row];
        if (column === 0) return this.net.names[cell.low];
        if (column === 1) return this.net.names[cell.high];
        if (column === 2) return String(Math.max(cell.up.length, cell.down.length));
        return plain(this.load(column === 3 ? cell.up : cell.down));
      },
    }));
    this.table.replaceWith(table);
    this.table = table as unknown as HTMLDivElement;
  }

  private hover(event: PointerEvent): void {
    const box = this.plot.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const { levels, low, high, cells } = this.matrices[this.at];
    const within = levels[0] === levels[1];
    const column = Math.floor((x - this.left) / this.size);
    const row = Math.floor((y - this.top) / this.size);
    const cell = column >= 0 && row >= 0 && column < high.length && row < low.length ? cells.get(row * high.length + column) : undefined;
    if (!cell) return this.tip.hide();
    this.tip.show(
      [['row', this.net.names[cell.low]], ['column', this.net.names[cell.high]],
        ['cables', String(Math.max(cell.up.length, cell.down.length))],
        [within ? 'flows there' : 'flows up', plain(this.load(cell.up))], [within ? 'flows back' : 'flows down', plain(this.load(cell.down))]],
      x, y, this.plot.clientWidth, this.plot.clientHeight,
    );
  }
}

// The matrix with the most loaded link of the first routing is shown first.
export function heatMap(fabric: FabricData, net: NetData, name: (i: number) => string): HeatMap | null {
  const matrices = makeMatrices(net).filter((m) => m.low.length * m.high.length <= 400000);
  const load = weighed(fabric, fabric.routings[0].load);
  const most = matrices.map((m) =>
    [...m.cells.values()].reduce((a, c) => [...c.up, ...c.down].reduce((b, l) => Math.max(b, load[l] ?? 0), a), 0));
  if (!matrices.some((m) => m.low.length > 1)) return null;
  return new HeatMap(fabric, net, matrices, most.indexOf(Math.max(...most)), name);
}
