// Tables that are made when they are opened, a thousand rows at a time.
import { el } from './dom';
import { count } from './format';
import { csv, save } from './save';

export interface Table {
  caption: string;
  columns: string[];
  right: boolean[];
  rows: number;
  cell(row: number, column: number): string;
}

const PAGE = 500;

// page: rows that are shown at first, and for each further click.
export function tableElement(table: Table, page = PAGE): HTMLElement {
  const body = el('tbody');
  const head = el('tr');
  table.columns.forEach((name, i) => head.append(el('th', { scope: 'col', class: table.right[i] ? 'number' : null }, name)));
  let shown = 0;
  const more = el('button', { type: 'button' });
  const add = () => {
    const end = Math.min(table.rows, shown + page);
    for (; shown < end; shown++) {
      const row = el('tr');
      for (let c = 0; c < table.columns.length; c++)
        row.append(el('td', { class: table.right[c] ? 'number' : null }, table.cell(shown, c)));
      body.append(row);
    }
    more.hidden = shown === table.rows;
    if (shown >= 2 * page) page = PAGE;
    more.textContent = `Show ${Math.min(page, table.rows - shown)} more of ${count(table.rows, 'row')}`;
  };
  more.addEventListener('click', add);
  add();
  const scroller = el(
    'div',
    { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': table.caption },
    el('table', {}, el('caption', { class: 'unseen' }, table.caption), el('thead', {}, head), body),
  );
  return el('div', {}, scroller, more);
}

export function tableDetails(label: string, make: () => Table, open = false): HTMLDetailsElement {
  const details = el('details', {}, el('summary', {}, label));
  let made = false;
  const fill = () => {
    if (!details.open || made) return;
    made = true;
    details.append(tableElement(make()));
  };
  details.addEventListener('toggle', fill);
  details.open = open;
  fill();
  return details;
}

export function saveTable(name: string, table: Table, exact: (row: number, column: number) => string): void {
  const rows = [table.columns];
  for (let r = 0; r < table.rows; r++) rows.push(table.columns.map((_, c) => exact(r, c)));
  save(name, 'text/csv', csv(rows));
}

// ---- tables of the markup ----

// Rows compare as numbers where both cells begin with one.
function compare(a: string, b: string): number {
  const [x, y] = [parseFloat(a), parseFloat(b)];
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) && Number.isNaN(y) ? a.localeCompare(b) : Number.isNaN(x) ? 1 : -1;
  return x - y;
}

const cellOf = (row: HTMLTableRowElement, column: number) => row.cells[column]?.textContent ?? '';

function sortBy(table: HTMLTableElement, column: number): void {
  const heads = [...(table.tHead?.rows[0].cells ?? [])];
  const up = heads[column].getAttribute('aria-sort') !== 'ascending';
  for (const head of heads) head.removeAttribute('aria-sort');
  heads[column].setAttribute('aria-sort', up ? 'ascending' : 'descending');
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => (up ? 1 : -1) * compare(cellOf(a, column), cellOf(b, column)));
  table.tBodies[0].append(...rows);
}

function sortHeads(table: HTMLTableElement): void {
  [...(table.tHead?.rows[0].cells ?? [])].forEach((head, i) => {
    const button = el('button', { type: 'button', class: 'sort' });
    button.append(...head.childNodes);
    button.addEventListener('click', () => sortBy(table, i));
    head.append(button);
  });
}

function filter(table: HTMLTableElement, rows: HTMLTableRowElement[]): HTMLElement[] {
  const input = el('input', { type: 'search', 'aria-label': `Filter: ${table.caption?.textContent ?? 'rows'}` });
  const said = el('span', { class: 'note', 'aria-live': 'polite' });
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = (row.textContent ?? '').toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    said.textContent = words.length ? count(rows.filter((row) => !row.hidden).length, 'row') : '';
  });
  return [el('label', { class: 'control' }, 'Filter', input), said];
}

// Headings sort, a field filters, and what is shown can be saved. Tables in which only the first of several rows has
// labels stay in their order.
export function enhanceTable(box: Element, file: string): void {
  const table = box.querySelector('table');
  const rows = [...(table?.tBodies[0]?.rows ?? [])];
  if (!table || rows.length < 2) return;
  const asCsv = el('button', { type: 'button' }, 'Save as CSV');
  const heads = [...(table.tHead?.rows[0].cells ?? [])].map((head) => head.firstChild?.textContent ?? '');
  asCsv.addEventListener('click', () => {
    const shown = [...table.tBodies[0].rows].filter((row) => !row.hidden);
    save(file, 'text/csv', csv([heads, ...shown.map((row) => [...row.cells].map((cell) => cell.textContent ?? ''))]));
  });
  const controls = el('div', { class: 'controls' });
  if (rows.every((row) => cellOf(row, 0))) {
    sortHeads(table);
    controls.append(...filter(table, rows));
  }
  controls.append(asCsv);
  box.before(controls);
}
