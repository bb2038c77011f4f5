// Adds to the markup of the page what the command embedded as data.
import type { PageData } from './data';
import { fabricPage } from './fabric';
import { studyPage } from './study';

function read(): PageData {
  const text = document.getElementById('data')?.textContent;
  return JSON.parse(text ?? '') as PageData;
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
  for (const element of document.querySelectorAll('script, noscript')) element.remove();
  document.body.classList.toggle('check', !!page.fabric);
  start(page.charts ? studyPage(page, page.charts) : page.fabric ? fabricPage(page, page.fabric) : []);
}

build();
