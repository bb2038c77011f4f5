// bough in a browser: files and a command line in, the command's page, text and files out. Each command runs in a worker
// of its own, with its own memory and files; to cancel is to end the worker.
import examplesList from './app_examples.json';
import { type Command, commands, compose, type Given, likely, split } from './app_files';
import type { Question, Report } from './app_worker';
import { clear, el } from './dom';

const LARGEST = 512 << 20; // bytes of files, all together: memory has 32 bits

const part = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const line = part<HTMLInputElement>('line');
const start = part<HTMLButtonElement>('start');
const cancel = part<HTMLButtonElement>('cancel');
const state = part('state');
const bar = part<HTMLProgressElement>('bar');

// ---- what stands in the page ----

function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

async function unpack(packed: Uint8Array): Promise<ArrayBuffer> {
  return new Response(new Blob([packed as BlobPart]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

const engine = unpack(bytesOf(part('engine').textContent!)).then((code) => WebAssembly.compile(code));
const script = URL.createObjectURL(new Blob([part('worker').textContent!], { type: 'text/javascript' }));
const exampleFiles = JSON.parse(part('examples').textContent!) as Record<string, string>;

// ---- files ----

let files: Given[] = [];

function showFiles(): void {
  const list = part('files');
  clear(list);
  for (const file of files) {
    const remove = el('button', { type: 'button', 'aria-label': `Remove ${file.name}` }, 'Remove');
    remove.addEventListener('click', () => {
      files = files.filter((f) => f !== file);
      showFiles();
      propose(likely(files));
      part('pick').focus();
    });
    list.append(el('li', {}, el('code', {}, file.name), ` ${file.data.length.toLocaleString('en')} bytes `, remove));
  }
}

// A file of the same name is replaced.
function take(more: Given[]): void {
  files = [...files.filter((old) => !more.some((f) => f.name === old.name)), ...more];
  showFiles();
}

async function takeDropped(dropped: Iterable<File>): Promise<void> {
  const all = [...dropped];
  if (all.reduce((sum, f) => sum + f.size, 0) > LARGEST) {
    tell(`These files have more than ${LARGEST >> 20} MiB; the memory of this page has 32 bits. Use the command instead.`);
    return;
  }
  try {
    take(await Promise.all(all.map(async (f) => ({ name: f.name, data: new Uint8Array(await f.arrayBuffer()) }))));
    propose(likely(files));
    tell('');
  } catch {
    tell('A file could not be read; of a folder drop the files in it.');
  }
}

// ---- the command line ----

function propose(command: Command): void {
  part<HTMLInputElement>(`command-${command}`).checked = true;
  line.value = compose(command, files);
}

function chooseExample(index: number): void {
  const example = examplesList[index];
  if (!example) return;
  files = [];
  take(example.files.map((path) => ({ name: path.replace(/.*[/]/, ''), data: bytesOf(exampleFiles[path]!) })));
  propose(example.command.split(' ')[0] as Command);
  line.value = example.command;
}

// A link to this page may have a command: bough.html#sim%20fattree:n=16%20uniform%20circuit. Files of examples that it
// names come with it.
function takeAddress(): void {
  let command = decodeURIComponent(location.hash.slice(1)).trim();
  const first = command.split(' ')[0] as Command;
  if (!command || !commands.includes(first)) return;
  const named = Object.keys(exampleFiles).filter((path) => command.includes(`examples/${path}`));
  files = [];
  take(named.map((path) => ({ name: path.replace(/.*[/]/, ''), data: bytesOf(exampleFiles[path]!) })));
  for (const path of named) command = command.replaceAll(`examples/${path}`, path.replace(/.*[/]/, ''));
  propose(first);
  line.value = command;
}

// ---- a run ----

interface Run {
  worker: Worker;
  begin: number;
  clock: number;
  doing: string; // the latest bar of progress
  said: string[];
}
let run: Run | null = null;
const links: string[] = []; // of the answer shown

function tell(text: string): void {
  state.textContent = text;
}

function tick(): void {
  if (!run) return;
  tell(`${((performance.now() - run.begin) / 1000).toFixed(0)} s${run.doing ? `, ${run.doing}` : ''}`);
}

function end(): void {
  if (!run) return;
  clearInterval(run.clock);
  run.worker.terminate();
  run = null;
  bar.hidden = cancel.disabled = true;
  start.disabled = false;
}

// "\x1b[K 45 % [#########...........] 3 s left, shifts" or a line to keep.
function hear(text: string): void {
  if (!run) return;
  const plain = text.replace(/\x1b\[[0-9;]*[A-Za-z]/g, '').trim();
  if (!text.startsWith('\x1b[K')) {
    if (plain) run.said.push(plain);
    return;
  }
  const [, percent, rest] = plain.match(/^(\d+) % \[[#.]*\] (.*)$/) ?? [];
  if (percent) bar.value = Number(percent);
  else bar.removeAttribute('value');
  run.doing = rest ?? plain.replace(/^[^,]*, /, '');
  tick();
}

function failed(reason: string): void {
  const memory = /memory|allocat|OOM/i.test(reason);
  end();
  show(1, '', [memory ? 'The command needs more memory than a page can have (4 GiB); use bough itself.' : `The command failed: ${reason}`], []);
}

function receive(report: Report): void {
  if (report.kind === 'said') hear(report.text);
  else if (report.kind === 'failed') failed(report.reason);
  else if (report.kind === 'done' && run) {
    const said = run.said;
    end();
    show(report.status, new TextDecoder().decode(report.printed), said, report.files);
    tell(`Answered in ${report.seconds.toFixed(2)} s${report.status ? `, with exit status ${report.status}` : ''}.`);
  }
}

// The words of the line, without the name of the command before them.
function wordsOfLine(): string[] {
  const words = split(line.value);
  return words[0] === 'bough' ? words.slice(1) : words;
}

async function ask(words: string[]): Promise<void> {
  if (run || words.length === 0) return;
  const worker = new Worker(script);
  run = { worker, begin: performance.now(), clock: window.setInterval(tick, 250), doing: '', said: [] };
  start.disabled = true;
  bar.hidden = cancel.disabled = false;
  bar.removeAttribute('value');
  tick();
  worker.onmessage = (event: MessageEvent<Report>) => receive(event.data);
  worker.onerror = (event) => failed(event.message);
  try {
    worker.postMessage({ engine: await engine, words, files } satisfies Question);
  } catch (error) {
    failed(String(error));
  }
}

// ---- the answer ----

const types: Record<string, string> = { html: 'text/html', svg: 'image/svg+xml', json: 'application/json', csv: 'text/csv' };

function link(file: Given): HTMLAnchorElement {
  const type = types[file.name.replace(/.*\./, '')] ?? 'application/octet-stream';
  const url = URL.createObjectURL(new Blob([file.data as BlobPart], { type }));
  links.push(url);
  return el('a', { href: url, download: file.name.replace(/.*[/]/, '') }, file.name);
}

function showPage(html: Given): HTMLElement {
  const frame = el('iframe', { title: `The page ${html.name}`, sandbox: 'allow-scripts allow-downloads' });
  frame.srcdoc = new TextDecoder().decode(html.data);
  return frame;
}

function showDrawing(drawing: Given): HTMLElement {
  const image = el('img', { alt: `The drawing ${drawing.name}` });
  image.src = link(drawing).href;
  return image;
}

function show(status: number, printed: string, said: string[], made: Given[]): void {
  const answer = part('answer');
  for (const url of links.splice(0)) URL.revokeObjectURL(url);
  const page = made.find((f) => f.name.endsWith('.html'));
  const drawing = made.find((f) => f.name.endsWith('.svg'));
  answer.replaceChildren(
    ...(said.length ? [el('pre', { class: status ? 'said error' : 'said', id: 'said', tabindex: 0 }, said.join('\n'))] : []),
    ...(made.length ? [el('p', { id: 'made' }, 'Files: ', ...made.flatMap((f) => [link(f), ' ']))] : []),
    ...(page ? [showPage(page)] : drawing ? [showDrawing(drawing)] : []),
    ...(printed ? [el('details', { open: !page }, el('summary', {}, 'Text'), el('pre', { id: 'printed', tabindex: 0 }, printed))] : []),
  );
  part('result').hidden = false;
  if (status) tell(`Exit status ${status}.`);
}

// ---- start ----

function fill(): void {
  const examples = part<HTMLSelectElement>('example');
  examplesList.forEach((example, i) => examples.append(el('option', { value: i }, example.title)));
  examples.addEventListener('change', () => chooseExample(Number(examples.value)));
  for (const command of commands) part(`command-${command}`).addEventListener('change', () => propose(command));
}

function listen(): void {
  const pick = part<HTMLInputElement>('pick');
  pick.addEventListener('change', () => {
    void takeDropped(pick.files ?? []);
    pick.value = '';
  });
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    void takeDropped(event.dataTransfer?.files ?? []);
  });
  part('question').addEventListener('submit', (event) => {
    event.preventDefault();
    void ask(wordsOfLine());
  });
  part('help').addEventListener('click', () => void ask([...wordsOfLine().slice(0, 1), '--help']));
  cancel.addEventListener('click', () => {
    end();
    tell('Cancelled.');
    start.focus();
  });
}

fill();
listen();
propose('check');
takeAddress();
window.addEventListener('hashchange', takeAddress);
engine.then(
  () => {
    document.documentElement.dataset.ready = '';
    start.disabled = false;
    tell(`Ready after ${(performance.now() / 1000).toFixed(1)} s.`);
  },
  (error) => tell(`This browser cannot run bough: ${String(error)}`),
);
