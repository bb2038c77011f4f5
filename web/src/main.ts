// The page: reads what the command embedded, and builds everything around the summary.
import type { PageData } from './data';
import { el } from './dom';
import { fabricPage } from './fabric';
import { studyPage } from './study';

function read(): PageData {
  const text = document.getElementById('data')?.textContent;
  return JSON.parse(text ?? '') as PageData;
}

function header(page: PageData, facts: [string, string][]): HTMLElement {
  const list = el('dl', { class: 'facts' });
  const add = (name: string, value: HTMLElement | string) => list.append(el('div', {}, el('dt', {}, name), el('dd', {}, value)));
  if (page.command) add('command', el('code', {}, page.command));
  for (const [name, value] of facts) add(name, value);
  add('made by', `bough ${page.bough}`);
  return el('header', {}, el('h1', {}, page.title), list);
}

// The first charts at once, the others when the browser has time: the page is there before all of it is drawn.
function start(charts: { start(): void }[]): void {
  const queue = [...charts];
  const next = (n: number) => {
    for (let i = 0; i < n; i++) queue.shift()?.start();
    if (queue.length) setTimeout(() => next(1), 0);
    else document.documentElement.dataset.ready = 'yes';
  };
  next(2);
}

function build(): void {
  const page = read();
  const main = el('main', { id: 'main' });
  const opening = document.getElementById('opening'); // markup that the command wrote
  if (opening) main.append(...opening.children);
  if (page.fabric) {
    document.body.classList.add('check');
    for (const part of main.children) if (!part.matches('.bars')) part.classList.add('printed');
  }
  const made = page.study
    ? studyPage(page, page.study)
    : page.fabric
      ? fabricPage(page, page.fabric)
      : { sections: [], charts: [], facts: [] as [string, string][] };
  for (const section of made.sections) main.append(section);
  document.body.replaceChildren(header(page, made.facts), main);
  start(made.charts);
}

build();
