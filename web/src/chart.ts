// One chart: a heading, the series that can be switched off, the drawing, what the pointer or the keys stand on,
// downloads, and a table of the same numbers.
import { parse, Renderers, View } from 'vega';
import { expressionInterpreter } from 'vega-interpreter';
import { compile } from 'vega-lite';
import {
  AGAINST, categoryHeight, chartSpec, CI, EXACT, FAULTS, LABEL, MAX, MEAN, METHOD, MIN, NETWORK, ROUTING, STATUS,
  TRAFFIC, TRIALS, visiblePoints, X, X_HIGH, X_LOW,
} from './chart_spec';
import type { ChartData, CurveData, PageData, PointRow, SeriesData } from './data';
import { announce, clear, el, id, isDark, isPrinting, onScheme, svg } from './dom';
import { count, exact, plain, withInterval } from './format';
import { style } from './palette';
import { fileName, save } from './save';
import { saveTable, tableDetails, type Table } from './table';

const SVG_POINTS = 2500; // beyond that a canvas
const PRINTED = 335; // half of a page of A4
const FEW = 16; // trials below which intervals are rough, as in the tables of the command
const REACH = 28; // pixels from the pointer to a point

interface Place {
  series: SeriesData;
  point: PointRow;
  left: number;
  top: number;
}

function makeView(spec: Record<string, unknown>, container: HTMLElement | null, renderer: Renderers): View {
  const compiled = compile(spec as any).spec;
  const view = new View(parse(compiled, undefined, { ast: true }), {
    expr: expressionInterpreter,
    renderer: container ? renderer : 'none',
    container: container ?? undefined,
    hover: false,
    logLevel: 1,
  } as ConstructorParameters<typeof View>[1]);
  return view;
}

export class Chart {
  readonly element: HTMLElement;
  private readonly drawing = el('div', { class: 'drawing' });
  private readonly ring = el('div', { class: 'ring', hidden: true });
  private readonly tip = el('div', { class: 'tip', hidden: true });
  private readonly plot: HTMLElement;
  private readonly hidden = new Set<string>();
  private view: View | null = null;
  private places: Place[] = [];
  private at = -1;
  private width = 0;

  constructor(
    private readonly page: PageData,
    private readonly data: ChartData,
    level: 'h3' | 'h4' = 'h3',
  ) {
    const heading = id('chart');
    this.plot = el(
      'div',
      {
        class: 'plot', tabindex: 0, role: 'application', 'aria-roledescription': 'chart',
        'aria-label': `${data.title}. ${this.summary()} Arrow keys go from point to point.`,
      },
      this.drawing, this.ring, this.tip,
    );
    this.element = el(
      'section',
      { class: 'chart', 'aria-labelledby': heading },
      el(level, { id: heading }, data.title),
      this.toggles(),
      this.plot,
      this.note(),
      this.buttons(),
      tableDetails(`Table of ${count(this.allPoints(), 'point')}`, () => this.table()),
    );
    this.plot.addEventListener('pointermove', (event) => this.hover(event));
    this.plot.addEventListener('pointerdown', (event) => this.hover(event));
    this.plot.addEventListener('pointerleave', () => this.show(-1));
    this.plot.addEventListener('blur', () => this.show(-1));
    this.plot.addEventListener('keydown', (event) => this.key(event));
    onScheme(() => this.draw());
  }

  // Draws for the width it has; to be called once it stands in the document.
  start(): void {
    this.draw();
    let timer = 0;
    new ResizeObserver(() => {
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        if (Math.abs(this.plot.clientWidth - this.width) > 2) this.draw();
      }, 60);
    }).observe(this.plot);
  }

  private text(index: number | null): string {
    return index === null || index < 0 ? '' : this.page.strings[index];
  }

  private label(p: PointRow): string {
    if ((p[LABEL] as number) >= 0) return this.text(p[LABEL]);
    return this.data.xscale === 'category' ? this.data.categories[p[X] as number] : plain(p[X]);
  }

  private ok(p: PointRow): boolean {
    return this.state(p) === 'ok';
  }

  // What a reader has to know of a point: how its trials ended, or that they are few.
  private state(p: PointRow): string {
    const status = this.text(p[STATUS]);
    return status === 'ok' && !p[EXACT] && (p[TRIALS] as number) < FEW ? `fewer than ${FEW} trials` : status;
  }

  private allPoints(): number {
    return this.data.series.reduce((n, s) => n + s.points.length, 0);
  }

  private summary(): string {
    const means = this.data.series.flatMap((s) => s.points.map((p) => p[MEAN] as number));
    let low = Infinity;
    let high = -Infinity;
    for (const m of means) {
      low = Math.min(low, m);
      high = Math.max(high, m);
    }
    return `${count(this.data.series.length, 'series', 'series')}, ${count(means.length, 'point')}, values from ${plain(low)} to ${plain(high)}.`;
  }

  private toggles(): HTMLElement {
    const box = el('fieldset', { class: 'series' }, el('legend', { class: 'unseen' }, 'Series shown'));
    for (const s of this.data.series) {
      const input = el('input', { type: 'checkbox', checked: true });
      const swatch = el('span', { class: 'swatch' });
      const paint = () => swatch.replaceChildren(this.swatch(s));
      paint();
      onScheme(paint);
      input.addEventListener('change', () => {
        if (input.checked) this.hidden.delete(s.name);
        else this.hidden.add(s.name);
        this.draw();
      });
      box.append(el('label', {}, input, swatch, el('span', {}, s.saturated === null ? s.name : `${s.name} (saturated from ${plain(s.saturated)})`)));
    }
    for (const c of this.data.curves ?? []) box.append(this.curveToggle(c));
    return box;
  }

  private curveToggle(c: CurveData): HTMLElement {
    const input = el('input', { type: 'checkbox', checked: true });
    const swatch = el('span', { class: 'swatch' });
    const paint = () => {
      const look = style(c.style, isDark());
      const line = c.vertical ? { x1: 17, x2: 17, y1: 0, y2: 14 } : { x1: 1, x2: 33, y1: 7, y2: 7 };
      swatch.replaceChildren(
        svg('svg', { width: 34, height: 14, viewBox: '0 0 34 14', 'aria-hidden': 'true' },
          svg('line', { ...line, stroke: look.colour, 'stroke-width': c.mean ? 1 : 1.5, 'stroke-dasharray': look.dash.join(' ') || null })),
      );
    };
    paint();
    onScheme(paint);
    input.addEventListener('change', () => {
      if (input.checked) this.hidden.delete(c.name);
      else this.hidden.add(c.name);
      this.draw();
    });
    return el('label', {}, input, swatch, el('span', {}, c.name));
  }

  private swatch(s: SeriesData): SVGElement {
    const look = style(s.style, isDark());
    const image = svg('svg', { width: 34, height: 14, viewBox: '0 0 34 14', 'aria-hidden': 'true' });
    if (this.data.xscale !== 'category' && !this.data.scatter)
      image.append(
        svg('line', { x1: 1, x2: 33, y1: 7, y2: 7, stroke: look.colour, 'stroke-width': 2, 'stroke-dasharray': look.dash.join(' ') || null }),
      );
    image.append(svg('path', { d: mark(look.shape), transform: 'translate(17 7)', fill: look.colour }));
    return image;
  }

  private note(): HTMLElement | null {
    const words = [];
    const points = this.data.series.flatMap((s) => s.points);
    if (this.data.minmax) words.push('Bars go from the minimum to the maximum of the trials.');
    else if (points.some((p) => p[CI] !== null && (p[CI] as number) > 0)) words.push('Bars and bands are 95 % intervals of the mean.');
    const odd = points.filter((p) => !this.ok(p)).length;
    if (odd) words.push(`Hollow marks: ${count(odd, 'point')} (${[...new Set(points.map((p) => this.state(p)))].filter((s) => s !== 'ok').join(', ')}).`);
    if (this.data.series.some((s) => s.saturated !== null)) words.push('Dashed vertical lines: from there on a series is saturated.');
    if (this.data.left_out) words.push(`${count(this.data.left_out, 'point')} of further series or categories are in the results only.`);
    if (this.data.left_lines) words.push(`${count(this.data.left_lines, 'line')} nowhere above 0 left out.`);
    return words.length ? el('p', { class: 'note' }, words.join(' ')) : null;
  }

  private buttons(): HTMLElement {
    const name = fileName(this.data.metric, this.data.overlay ? 'and others' : null, this.data.ratio ? 'ratio' : null, this.data.facet);
    const asSvg = el('button', { type: 'button', 'aria-label': `Save as SVG: ${this.data.title}` }, 'Save SVG');
    const asCsv = el('button', { type: 'button', 'aria-label': `Save data as CSV: ${this.data.title}` }, 'Save CSV');
    asSvg.addEventListener('click', () => void this.saveSvg(`${name}.svg`));
    asCsv.addEventListener('click', () => {
      const table = this.table();
      saveTable(`${name}.csv`, table, (row, column) => this.exactCell(row, column));
    });
    return el('p', { class: 'buttons' }, asSvg, asCsv);
  }

  private height(): number {
    if (this.data.xscale === 'category') return categoryHeight(this.data, this.hidden) + 50;
    return Math.round(Math.max(220, Math.min(380, this.width * 0.58)));
  }

  private draw(): void {
    if (!this.element.isConnected) return;
    this.width = isPrinting() ? PRINTED : Math.max(240, this.plot.clientWidth);
    this.show(-1);
    this.view?.finalize();
    this.view = null;
    clear(this.drawing);
    this.places = [];
    const points = visiblePoints(this.data, this.hidden);
    if (!points) {
      this.drawing.append(el('p', { class: 'note' }, 'No series is shown.'));
      return;
    }
    const look = { dark: isDark(), width: this.width, height: this.height(), legend: false };
    const spec = chartSpec(this.data, this.hidden, look, (p) => this.ok(p));
    const view = makeView(spec, this.drawing, points > SVG_POINTS ? 'canvas' : 'svg');
    view.run();
    this.view = view;
    this.drawing.firstElementChild?.setAttribute('aria-hidden', 'true');
    this.place();
  }

  // Where every point stands, in pixels of the drawing.
  private place(): void {
    const view = this.view;
    if (!view) return;
    const category = this.data.xscale === 'category';
    const scale = (name: string) => view.scale(name) as ((v: unknown) => number) & { bandwidth?: () => number };
    const x = scale('x');
    const y = scale('y');
    const shown = this.data.series.filter((s) => !this.hidden.has(s.name));
    const offset = category && shown.length > 1 ? scale('yOffset') : null;
    const [left, top] = view.origin();
    const padding = view.padding() as { left: number; top: number };
    const drawn = this.drawing.querySelector('svg, canvas');
    const base = this.plot.getBoundingClientRect();
    const own = drawn?.getBoundingClientRect() ?? base;
    const dx = own.left - base.left + left + padding.left;
    const dy = own.top - base.top + top + padding.top;
    for (const series of shown)
      for (const point of series.points) {
        let px;
        let py;
        if (category) {
          const within = offset ?? y;
          px = x(point[MEAN]);
          py = y(this.data.categories[point[X] as number]) + (offset ? offset(series.name) : 0) + (within.bandwidth?.() ?? 0) / 2;
        } else {
          px = x(point[X]);
          py = y(point[MEAN]);
        }
        this.places.push({ series, point, left: px + dx, top: py + dy });
      }
  }

  private hover(event: PointerEvent): void {
    const box = this.plot.getBoundingClientRect();
    const mx = event.clientX - box.left;
    const my = event.clientY - box.top;
    let best = -1;
    let nearest = REACH * REACH;
    this.places.forEach((p, i) => {
      const d = (p.left - mx) ** 2 + (p.top - my) ** 2;
      if (d < nearest) {
        nearest = d;
        best = i;
      }
    });
    this.show(best);
  }

  private key(event: KeyboardEvent): void {
    const n = this.places.length;
    if (!n) return;
    const now = this.at < 0 ? null : this.places[this.at];
    let to = this.at;
    if (event.key === 'Escape') to = -1;
    else if (event.key === 'Home') to = 0;
    else if (event.key === 'End') to = n - 1;
    else if (event.key === 'ArrowRight') to = Math.min(n - 1, this.at + 1);
    else if (event.key === 'ArrowLeft') to = Math.max(0, this.at - 1);
    else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') to = this.otherSeries(now, event.key === 'ArrowDown' ? 1 : -1);
    else return;
    event.preventDefault();
    this.show(to);
    if (to >= 0) announce(this.lines(this.places[to]).map(([k, v]) => `${k} ${v}`).join(', '));
  }

  // The point of the next series that is nearest in x.
  private otherSeries(now: Place | null, step: number): number {
    if (!now) return 0;
    const shown = this.data.series.filter((s) => !this.hidden.has(s.name));
    const series = shown[(shown.indexOf(now.series) + step + shown.length) % shown.length];
    let best = this.at;
    let nearest = Infinity;
    this.places.forEach((p, i) => {
      const d = Math.abs((p.point[X] as number) - (now.point[X] as number));
      if (p.series === series && d < nearest) {
        nearest = d;
        best = i;
      }
    });
    return best;
  }

  private lines(place: Place): [string, string][] {
    const p = place.point;
    const mean = withInterval(p[MEAN] as number, p[CI]);
    const lines: [string, string][] = [['series', place.series.name]];
    if (this.label(p)) lines.push([this.data.metric_x ? 'at' : this.data.x || 'at', this.label(p)]);
    if (this.data.metric_x) lines.push([this.data.x, p[X_HIGH] === p[X_LOW] ? plain(p[X]) : `${plain(p[X])}, ${plain(p[X_LOW])} to ${plain(p[X_HIGH])}`]);
    lines.push([this.data.ratio ? 'ratio' : (place.series.metric ?? this.data.metric), p[CI] !== null ? `${mean} (95 %)` : p[EXACT] ? `${mean} (exact)` : mean]);
    if (p[MIN] !== null && !p[EXACT]) lines.push(['range', `${plain(p[MIN])} to ${plain(p[MAX])}`]);
    if (!p[EXACT]) lines.push(['trials', String(p[TRIALS])]);
    if (!this.ok(p)) lines.push(['status', this.text(p[STATUS])]);
    for (const [name, column] of [['method', METHOD], ['against', AGAINST], ['network', NETWORK], ['faults', FAULTS], ['routing', ROUTING], ['traffic', TRAFFIC]] as const)
      if (this.text(p[column]) && this.text(p[column]) !== place.series.name) lines.push([name, this.text(p[column])]);
    return lines;
  }

  private show(index: number): void {
    this.at = index;
    const place = index < 0 ? null : this.places[index];
    this.ring.hidden = this.tip.hidden = !place;
    if (!place) return;
    const list = el('dl');
    for (const [name, value] of this.lines(place)) list.append(el('dt', {}, name), el('dd', {}, value));
    this.tip.replaceChildren(list);
    this.ring.style.left = `${place.left}px`;
    this.ring.style.top = `${place.top}px`;
    const room = this.plot.clientWidth;
    const width = Math.min(this.tip.offsetWidth, room);
    let left = place.left + 14;
    if (left + width > room) left = Math.max(0, place.left - 14 - width);
    const below = place.top < this.plot.clientHeight / 2;
    this.tip.style.left = `${left}px`;
    this.tip.style.top = below ? `${place.top + 12}px` : `${place.top - 12 - this.tip.offsetHeight}px`;
  }

  private async saveSvg(name: string): Promise<void> {
    const height = this.data.xscale === 'category' ? this.height() : 400;
    const look = { dark: false, width: 640, height: height + 60, legend: true };
    const view = makeView(chartSpec(this.data, this.hidden, look, (p) => this.ok(p)), null, 'svg');
    await view.runAsync();
    save(name, 'image/svg+xml', await view.toSVG());
    view.finalize();
  }

  // ---- the same numbers as a table ----

  private flat: [SeriesData, PointRow][] | null = null;
  private rows(): [SeriesData, PointRow][] {
    this.flat ??= this.data.series.flatMap((s) => s.points.map((p): [SeriesData, PointRow] => [s, p]));
    return this.flat;
  }

  private table(): Table {
    const d = this.data;
    const columns = ['series', d.metric_x ? 'at' : d.x || 'at', d.ratio ? 'ratio' : d.overlay ? 'mean' : d.metric, 'ci95'];
    if (!d.ratio) columns.push('min', 'max');
    columns.push('trials', 'status');
    if (d.metric_x) columns.push(d.x);
    return {
      caption: d.title,
      columns,
      right: columns.map((_, i) => i > 1 && columns[i] !== 'status'),
      rows: this.rows().length,
      cell: (row, column) => this.cell(row, column, plain),
    };
  }

  private exactCell(row: number, column: number): string {
    return this.cell(row, column, exact);
  }

  private cell(row: number, column: number, number: (v: number | null) => string): string {
    const [series, p] = this.rows()[row];
    const tail = this.data.ratio ? [TRIALS, STATUS] : [MIN, MAX, TRIALS, STATUS];
    if (column === 0) return series.name;
    if (column === 1) return this.label(p);
    if (column === 2) return number(p[MEAN]);
    if (column === 3) return p[EXACT] ? '' : number(p[CI]);
    if (column === 4 + tail.length) return number(p[X]);
    const field = tail[column - 4];
    return field === STATUS ? this.text(p[STATUS]) : number(p[field]);
  }
}

// Paths of the marks that Vega draws, about 8 pixels wide.
function mark(shape: string): string {
  switch (shape) {
    case 'square': return 'M-3.5-3.5h7v7h-7z';
    case 'triangle-up': return 'M0-4.5L4.5 3.5h-9z';
    case 'triangle-down': return 'M0 4.5L4.5-3.5h-9z';
    case 'triangle-right': return 'M4.5 0L-3.5-4.5v9z';
    case 'triangle-left': return 'M-4.5 0L3.5-4.5v9z';
    case 'diamond': return 'M0-5L4.5 0 0 5-4.5 0z';
    case 'cross': return 'M-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z';
    default: return 'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z';
  }
}
