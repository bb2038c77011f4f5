// A large network by pods: a box for each, its switches when it is opened, the most loaded links by name.
import { choice } from './canvas';
import { weighedNote, type FabricData, type PodsData } from './data';
import { announce, el, isDark, onScheme } from './dom';
import { count, plain } from './format';
import { heat } from './palette';
import { tableDetails, tableElement, type Table } from './table';

const FIRST = 10; // rows of a table until the rest is asked for

export class PodsView {
  readonly element: HTMLElement;
  private readonly boxes: HTMLButtonElement[] = [];
  private readonly panel = el('div', { class: 'podpanel', 'aria-live': 'polite' });
  private readonly note = el('p', { class: 'note' });
  private readonly levels = el('div');
  private readonly top = el('div');
  private readonly word: string;
  private readonly members: number[][]; // the listed switches of each pod
  private routing = 0;
  private opened = -1;

  constructor(
    private readonly fabric: FabricData,
    private readonly data: PodsData,
    name: (i: number) => string,
  ) {
    this.word = data.blocks ? 'group' : 'pod';
    this.members = data.pod.map(() => []);
    data.switch.forEach(([pod], i) => this.members[pod].push(i));
    const grid = el('div', { class: 'pods', role: 'group', 'aria-label': `The network by ${this.word}s` });
    data.pod.forEach((_, i) => {
      const box = el('button', { type: 'button', class: 'pod', 'aria-expanded': 'false' });
      box.addEventListener('click', () => this.open(this.opened === i ? -1 : i));
      this.boxes.push(box);
      grid.append(box);
    });
    const controls = el('div', { class: 'controls' });
    if (fabric.routings.length > 1)
      controls.append(choice('Routing', fabric.routings.map((_, i) => name(i)), (i) => { this.routing = i; this.fill(); }));
    this.element = el('div', { class: 'podsview' },
      el('p', { class: 'note' }, this.about()), controls, this.note,
      data.above ? el('div', { class: 'above' }, `${count(data.above, 'switch', 'switches')} above the ${this.word}s`) : null,
      grid, this.panel, el('h3', {}, 'Most loaded links between switches'), this.top, el('h3', {}, 'Loads by level'), this.levels);
    onScheme(() => this.colour());
    this.fill();
  }

  private about(): string {
    const how = this.data.blocks ? 'A group is a number of consecutive switches with their hosts' : 'A pod is what its own switches join without those above it';
    return `${how}. A box shows how many switches and hosts it has, and the flows under all-to-all on the most loaded of its links: up out of it, down into it, and within it.${weighedNote(this.fabric)}`;
  }

  private loads(i: number): [number, number, number] {
    return this.data.routings[this.routing].pods[i];
  }

  private most(): number {
    return this.data.pod.reduce((most, _, i) => Math.max(most, ...this.loads(i)), 0);
  }

  private fill(): void {
    const most = this.most();
    const full = this.data.pod.filter((_, i) => Math.max(...this.loads(i)) >= most * (1 - 1e-9)).length;
    this.note.textContent = most
      ? `At most ${plain(most)} flows on a link between switches${full < this.data.pod.length ? `; ${count(full, this.word)} with such a link ${full === 1 ? 'has' : 'have'} a thick frame` : `, in every ${this.word}`}. The bar of a box is its largest load.`
      : 'No loads are known.';
    this.data.pod.forEach(([name, switches, hosts], i) => {
      const [up, down, inside] = this.loads(i);
      const hot = most > 0 && full < this.data.pod.length && Math.max(up, down, inside) >= most * (1 - 1e-9);
      this.boxes[i].className = hot ? 'pod hot' : 'pod';
      this.boxes[i].replaceChildren(
        el('strong', {}, name), el('span', {}, `${count(switches, 'switch', 'switches')}, ${count(hosts, 'host')}`),
        el('span', {}, `up ${plain(up)}, down ${plain(down)}`), el('span', {}, `within ${plain(inside)}`), el('span', { class: 'load' }));
    });
    this.colour();
    this.fillTop();
    this.fillLevels();
    if (this.opened >= 0) this.fillPanel();
  }

  private colour(): void {
    const most = this.most();
    this.boxes.forEach((box, i) => {
      const share = most ? Math.max(...this.loads(i)) / most : 0;
      const bar = box.querySelector<HTMLElement>('.load');
      if (!bar) return;
      bar.style.width = `${Math.round(100 * share)}%`;
      bar.style.backgroundColor = heat(share, isDark());
    });
  }

  private fillTop(): void {
    const { top, equal } = this.data.routings[this.routing];
    const table: Table = {
      caption: 'Most loaded links between switches',
      columns: ['link', this.word, 'flows'],
      right: [false, false, true],
      rows: top.length,
      cell: (row, column) => {
        const [link, load, pod] = top[row];
        return column === 0 ? link : column === 2 ? plain(load) : pod < 0 ? 'above' : this.data.pod[pod][0];
      },
    };
    const more = equal > top.length ? `, and ${count(equal - top.length, 'link')} more with as many flows` : '';
    this.top.replaceChildren(
      el('p', { class: 'note' }, top.length ? `${count(top.length, 'directed link')}${more}.` : 'No link between switches carries a flow.'),
      tableElement(table, FIRST));
  }

  private fillLevels(): void {
    const { levels } = this.data.routings[this.routing];
    const between = (level: number) => (level === 0 ? 'hosts to switches' : `level ${level} to ${level + 1}`);
    const table: Table = {
      caption: 'Loads by level',
      columns: ['links', 'direction', 'number', 'flows, mean', 'flows, most', 'most loaded link'],
      right: [false, false, true, true, true, false],
      rows: levels.length,
      cell: (row, column) => {
        const [level, down, links, mean, most, name] = levels[row];
        return [between(level), down ? 'down' : 'up', links.toLocaleString('en-GB'), plain(mean), plain(most), name][column];
      },
    };
    this.levels.replaceChildren(tableElement(table));
  }

  private open(i: number): void {
    if (this.opened >= 0) this.boxes[this.opened].setAttribute('aria-expanded', 'false');
    this.opened = i;
    if (i < 0) {
      this.panel.replaceChildren();
      return;
    }
    this.boxes[i].setAttribute('aria-expanded', 'true');
    this.fillPanel();
    announce(`${this.data.pod[i][0]} is open below the boxes`);
    this.panel.scrollIntoView({ block: 'nearest' });
  }

  private fillPanel(): void {
    const i = this.opened;
    const [name, switches, hosts, first, open] = this.data.pod[i];
    const [up, down, inside] = this.loads(i);
    const close = el('button', { type: 'button' }, 'Close');
    close.addEventListener('click', () => {
      this.boxes[i].focus();
      this.open(-1);
    });
    this.panel.replaceChildren(
      el('h3', {}, name),
      el('p', {}, `${count(switches, 'switch', 'switches')} from ${first} on, ${count(hosts, 'host')}, ${count(this.data.cables[i], 'cable')} out of it. Flows on the most loaded link: ${plain(up)} up out of it, ${plain(down)} down into it, ${plain(inside)} within it.`),
      el('p', { class: 'buttons' }, close),
      open ? tableElement(this.switches(i), 2 * FIRST) : el('p', { class: 'note' }, `This page does not list the switches of this ${this.word} (see "Left out of this page"); bough check --links FILE.csv writes the loads of all links.`),
      this.topOf(i) ?? '');
  }

  private topOf(i: number): HTMLElement | null {
    const top = this.data.routings[this.routing].top.filter(([, , pod]) => pod === i);
    if (!top.length) return null;
    return tableDetails(`${count(top.length, 'link')} of it among the most loaded`, () => ({
      caption: 'Links', columns: ['link', 'flows'], right: [false, true], rows: top.length,
      cell: (row, column) => (column ? plain(top[row][1]) : top[row][0]),
    }));
  }

  // The most loaded switches first.
  private switches(i: number): Table {
    const { switches } = this.data.routings[this.routing];
    const load = (s: number) => Math.max(switches[2 * s] ?? 0, switches[2 * s + 1] ?? 0);
    const list = [...this.members[i]].sort((a, b) => this.data.switch[a][1] - this.data.switch[b][1] || load(b) - load(a) || a - b);
    return {
      caption: `Switches of ${this.data.pod[i][0]}`,
      columns: ['switch', 'level', 'hosts', 'most flows up', 'most flows down'],
      right: [false, true, true, true, true],
      rows: list.length,
      cell: (row, column) => {
        const s = list[row];
        const [, level, hosts, name] = this.data.switch[s];
        return [name, String(level), String(hosts), plain(switches[2 * s]), plain(switches[2 * s + 1])][column];
      },
    };
  }
}
