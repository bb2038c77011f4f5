// The page of a study is complete as markup; here its charts become interactive, and its tables can be sorted and
// filtered.
import { Chart } from './chart';
import type { ChartData, PageData } from './data';
import { enhanceTable } from './table';

export function studyPage(page: PageData, data: ChartData[]): Chart[] {
  const figures = document.querySelectorAll('.charts > figure');
  const charts = data.map((chart, i) => {
    const made = new Chart(page, chart);
    figures[i]?.replaceWith(made.element);
    return made;
  });
  for (const id of ['results', 'all-results'])
    for (const box of document.querySelectorAll(`section[aria-labelledby="${id}"] .scroll`)) enhanceTable(box, `${id}.csv`);
  return charts;
}
