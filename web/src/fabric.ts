// The page of a fabric is complete as markup; here its drawings become interactive: the network, shifts, loads between
// levels, stacks.
import { Chart } from './chart';
import type { FabricData, PageData } from './data';
import { el } from './dom';
import { count } from './format';
import { heatMap } from './heat';
import { NetworkView } from './network';
import { PodsView } from './pods';
import { csv, save } from './save';
import { StacksView } from './stacks';

// The part of a section below its heading; folded sections have a <details>.
function bodyOf(id: string): Element | null {
  const section = document.querySelector(`section[aria-labelledby="${id}"]`);
  return section?.querySelector(':scope > details') ?? section;
}

// Where the findings are, those of the markup: errors and warnings only.
export function serious(): string[] {
  const rows = document.querySelectorAll('section[aria-labelledby="findings"] tbody tr');
  return [...rows].filter((row) => row.querySelector('td.error, td.warn')).map((row) => row.children[2]?.textContent ?? '');
}

function saveFindings(): void {
  const section = bodyOf('findings');
  const table = section?.querySelector('table');
  if (!section || !table) return;
  const word = (text: string) => text.replace(/^[^A-Za-z]*(error|warning|remark)$/, '$1');
  const button = el('button', { type: 'button' }, 'Save findings as CSV');
  button.addEventListener('click', () =>
    save('findings.csv', 'text/csv', csv([...table.rows].map((row) => [...row.cells].map((cell) => word(cell.textContent ?? ''))))));
  (section.querySelector('summary') ?? section.querySelector('h2'))?.after(el('p', { class: 'buttons' }, button));
}

// Flows by k: one chart, or one for each routing where the curves would hide each other; then how many shifts have
// how many flows.
function shiftCharts(page: PageData, f: FabricData): Chart[] {
  if (!f.routings.some((r) => r.shift.length > 1)) return [];
  const ok = page.strings.indexOf('ok');
  const row = (x: number, y: number) => [x, -1, y, null, null, null, 1, 1, ok, -1, -1, -1, -1, -1, -1];
  const curve = (indices: number[], of: string): Chart =>
    new Chart(page, {
      title: `Flows on the most loaded link of every shift permutation, in which e sends to e + k${of}`,
      x: 'k', y: 'flows on the most loaded link', metric: 'flows', facet: of ? of.trim() : null,
      xscale: 'linear', yscale: 'linear', ratio: false, categories: [], left_out: 0,
      series: indices.map((i) => ({
        name: f.routings[i].name, style: i, saturated: null, points: f.routings[i].shift.map((load, k) => row(k + 1, load)),
      })),
    });
  const all = f.routings.map((_, i) => i);
  const charts = f.endpoints > 150 && all.length > 1 ? all.map((i) => curve([i], `: ${f.routings[i].name}`)) : [curve(all, '')];
  const counts = f.routings.map((r) => {
    const bins = new Map<number, number>();
    for (const load of r.shift) {
      const bin = Math.ceil(load - 1e-9);
      bins.set(bin, (bins.get(bin) ?? 0) + 1);
    }
    return bins;
  });
  const most = Math.max(...counts.flatMap((bins) => [...bins.keys()]));
  if (most > 60) return charts;
  const categories = Array.from({ length: most }, (_, i) => String(i + 1));
  charts.push(new Chart(page, {
    title: `How many shifts have N flows on their most loaded link${f.routings.some((r) => r.expected) ? ', rounded up' : ''}`,
    x: 'flows', y: 'shifts', metric: 'shifts', facet: null, xscale: 'category', yscale: 'linear', ratio: false,
    categories, left_out: 0,
    series: counts.map((bins, i) => ({
      name: f.routings[i].name, style: i, saturated: null,
      points: [...bins].sort((a, b) => a[0] - b[0]).filter(([bin]) => bin > 0).map(([bin, n]) => row(bin - 1, n)),
    })),
  }));
  return charts;
}

export function fabricPage(page: PageData, f: FabricData): { start(): void }[] {
  const charts: { start(): void }[] = [];
  const main = document.querySelector('main');
  const name = (i: number) => f.routings[i].name;
  const network = bodyOf('network');
  const add = (id: string, title: string, element: Element) =>
    main?.append(el('section', { 'aria-labelledby': id }, el('h2', { id }, title), element));
  saveFindings();
  if (network && f.net) {
    const view = new NetworkView(f, f.net, name, serious());
    charts.push(view);
    for (const figure of network.querySelectorAll('h3, figure')) figure.remove();
    network.append(view.element);
  } else if (network && f.pods) {
    const figures = [...network.querySelectorAll('h3, figure')];
    const details = el('details', {}, el('summary', {}, 'Drawing by levels'), ...figures);
    network.append(new PodsView(f, f.pods, name).element, details);
    addEventListener('beforeprint', () => { details.open = true; });
  }
  const shifts = bodyOf('shifts');
  const curves = shiftCharts(page, f);
  if (shifts && curves.length) {
    charts.push(...curves);
    for (const figure of shifts.querySelectorAll('h3, figure')) figure.remove();
    shifts.append(el('div', { class: 'charts' }, ...curves.map((c) => c.element)));
  }
  const map = f.net && f.routings.some((r) => r.load.length) ? heatMap(f, f.net, name) : null;
  if (map) {
    charts.push(map);
    main?.append(
      el('section', { class: 'folded wide', 'aria-labelledby': 'heat' },
        el('details', {}, el('summary', {}, el('h2', { id: 'heat' }, 'Loads between switches')), map.element)));
  }
  if (f.layout) {
    const alt = `A layout of the network on a chip by the H-tree method, to scale: ${count(f.endpoints, 'endpoint')}.`;
    add('layout', 'Layout', el('div', { class: 'picture' }, el('img', { src: `data:image/svg+xml,${encodeURIComponent(f.layout)}`, alt })));
  }
  if (f.packaging) {
    const view = new StacksView(f.packaging);
    charts.push(view);
    add('packaging', 'Packaging', view.element);
  }
  if (f.left_out.length) {
    const list = el('ul', {});
    for (const text of f.left_out) list.append(el('li', {}, text));
    add('left', 'Left out of this page', list);
  }
  return charts;
}
