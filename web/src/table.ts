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
