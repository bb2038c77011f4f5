// bough in a browser (scripts/web): its answers are those of the command, byte by byte. Skipped where that page was not
// built, or is older than what it is built from.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { open, run, screenshot, source, work } from './support.mjs';

const file = join(source, 'build/web/bough.html');
function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}
if (!existsSync(file)) skip('bough for browsers was not built (scripts/web, which needs emscripten)');
const built = statSync(file).mtimeMs;
const changed = ['src', 'web', 'include', 'examples', 'studies']
  .flatMap((folder) => readdirSync(join(source, folder), { recursive: true }).map((name) => join(source, folder, name)))
  .filter((path) => statSync(path).isFile() && statSync(path).mtimeMs > built);
if (changed.length) skip(`${file} is older than ${changed[0]}; run scripts/web`);

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const example = (name) => join(source, 'examples', name);
const cluster = example('fabric/cluster.ibnetdiscover');
const updn = example('fabric/cluster.updn.lfts.gz');
const ftree = example('fabric/cluster.ftree.lfts.gz');

// The command's own answer, in a folder with the same files.
let folders = 0;
function command(line, given) {
  const folder = join(work, `native${++folders}`);
  mkdirSync(folder);
  for (const path of given) execFileSync('cp', [path, folder]);
  const result = spawnSync(process.env.BOUGH, [...line.split(' '), ...(threaded(line) ? ['--threads', '1'] : [])], { cwd: folder, maxBuffer: 1 << 28 });
  return { status: result.status, printed: result.stdout.toString(), said: result.stderr.toString(), read: (name) => readFileSync(join(folder, name)) };
}
const threaded = (line) => /^(check|sim|run) /.test(line);

async function ask(page, line) {
  await page.fill('#line', line);
  await page.click('#start');
  await page.waitForSelector('#start:enabled', { timeout: 120000 });
  const text = async (selector) => ((await page.locator(selector).count()) ? page.locator(selector).textContent() : '');
  return { printed: await text('#printed'), said: await text('#said'), state: await text('#state') };
}

async function fileOf(page, name) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(`#made a:text-is("${name}")`)]);
  assert.equal(download.suggestedFilename(), basename(name));
  return readFileSync(await download.path());
}

// A line, and the files that it is about: all examples of the page, and more.
const examples = JSON.parse(readFileSync(join(source, 'web/src/app_examples.json'), 'utf8'));
const questions = [
  ...examples.map(({ command, files }) => [command, files.map(example)]),
  ['check leaf-spine.csv --json', [example('ethernet/leaf-spine.csv')]],
  ['list methods', []],
  ['check absent.ibnetdiscover', []],
  ['check cluster.roots', [example('fabric/cluster.roots')]],
];
// The files that a line makes.
const madeBy = (line) => [...line.matchAll(/ (--html|-o|--out) (\S+)/g)].flatMap(([, option, name]) => (option === '--out' ? [`${name}/report.html`, `${name}/results.csv`] : [name]));

const tests = {};
for (const [line, given] of questions)
  tests[`bough ${line}`] = async () => {
    const { page, context, wrong } = await open(file);
    const theirs = command(line, given);
    const made = madeBy(line);
    await page.setInputFiles('#pick', given);
    const ours = await ask(page, line);
    assert.equal(ours.printed, theirs.printed);
    if (theirs.status) {
      assert.equal(ours.said.trim(), theirs.said.trim()); // else there is progress in it
      assert.match(ours.state, new RegExp(`status ${theirs.status}\\.`));
    } else assert.match(ours.state, /^Answered in [\d.]+ s\.$/);
    for (const name of made) assert.ok((await fileOf(page, name)).equals(theirs.read(name)), `${name} differs`);
    if (made.some((name) => name.endsWith('.html'))) {
      const shown = page.frameLocator('iframe');
      await shown.locator('html[data-ready]').waitFor({ state: 'attached' });
      assert.ok((await shown.locator('h1').textContent()).length > 3);
    }
    assert.deepEqual(wrong, []);
    await context.close();
  };

await run({
  ...tests,

  async 'an example brings its line and its files'() {
    const { page, context, wrong } = await open(file);
    assert.equal(await page.locator('#example option').count(), examples.length + 1);
    for (const [i, { command: line, files }] of examples.entries()) {
      await page.selectOption('#example', String(i));
      assert.equal(await page.inputValue('#line'), line);
      assert.deepEqual(await page.locator('#files code').allTextContents(), files.map((path) => basename(path)));
    }
    await page.selectOption('#example', '0');
    assert.match((await ask(page, examples[0].command)).state, /^Answered/);
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async 'files decide the line'() {
    const { page, context } = await open(file);
    await page.setInputFiles('#pick', [cluster, updn]);
    await page.waitForSelector('#files li >> nth=1');
    assert.equal(await page.inputValue('#line'), 'check cluster.ibnetdiscover --lft cluster.updn.lfts.gz --html page.html');
    await page.check('#command-tune');
    assert.equal(await page.inputValue('#line'), 'tune cluster.ibnetdiscover --lft cluster.updn.lfts.gz -o tuned.lfts');
    await page.click('#files li:has-text("lfts") button');
    assert.equal(await page.inputValue('#line'), 'check cluster.ibnetdiscover --html page.html');
    await page.setInputFiles('#pick', { name: "a b's.csv", mimeType: 'text/csv', buffer: readFileSync(example('ethernet/leaf-spine.csv')) });
    await page.click('#files li:has-text("ibnetdiscover") button');
    assert.equal(await page.inputValue('#line'), "check 'a b'\\''s.csv' --html page.html");
    assert.match((await ask(page, await page.inputValue('#line'))).state, /^Answered/);
    await context.close();
  },

  async 'a long run shows how far it is, can be cancelled, and another follows'() {
    const { page, context, wrong } = await open(file);
    await page.fill('#line', 'sim fattree:n=4096 uniform circuit:mode=rounds --trials 1000000');
    await page.click('#start');
    await page.waitForSelector('progress[value]', { timeout: 60000 });
    assert.match(await page.textContent('#state'), /^\d+ s, .*trial \d+ of 1000000/);
    await page.click('#cancel');
    assert.equal(await page.textContent('#state'), 'Cancelled.');
    assert.match((await ask(page, '--version')).printed, /^bough \d/);
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async 'a forecast is made without threads'() {
    const { page, context } = await open(file);
    const { printed, state } = await ask(page, 'run strumpen2005/fig3 --dry-run');
    assert.match(state, /^Answered/);
    assert.match(printed, /^threads +1$/m);
    assert.match(printed, /^time +/m);
    await context.close();
  },

  async 'what a browser cannot do is said in one line'() {
    const { page, context } = await open(file);
    await page.setInputFiles('#pick', [cluster]);
    await page.setInputFiles('#pick', { name: 'packed.xz', mimeType: '', buffer: Buffer.from('fd377a585a000004', 'hex') });
    await page.waitForSelector('#files li >> nth=1');
    for (const line of ['check packed.xz', 'check cluster.ibnetdiscover --plugin cluster.ibnetdiscover', 'check cluster.ibnetdiscover --opensm ftree', 'sim fattree:n=1073741824 uniform circuit:mode=rounds']) {
      const { said, state } = await ask(page, line);
      assert.equal(said.trim().split('\n').length, 1, said);
      if (line.includes('xz')) assert.match(said, /libarchive was built without xz/);
      assert.match(state, /status [12]\./);
    }
    await context.close();
  },

  async 'light and dark, wide and 400 pixels: axe finds nothing, nothing sticks out'() {
    for (const [colorScheme, width] of [['light', 1280], ['dark', 400]]) {
      const { page, context, wrong } = await open(file, { colorScheme, viewport: { width, height: 900 } });
      await page.selectOption('#example', '0');
      await ask(page, 'check cluster.ibnetdiscover');
      await page.evaluate(axe);
      const found = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }));
      assert.deepEqual(found.violations.map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 200)} ${v.nodes[0].failureSummary}`), []);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(over <= 0, `${over} pixels too wide`);
      await screenshot(page, `browser-${colorScheme}-${width}`);
      assert.deepEqual(wrong, []);
      await context.close();
    }
  },

  async 'a web server may give the page too; it asks for nothing else'() {
    const asked = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.setHeader('content-type', 'text/html');
      response.end(request.url === '/bough.html' ? readFileSync(file) : '');
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    const { page, context } = await open(file);
    await context.unroute('**/*');
    await context.setOffline(false);
    await page.goto(`http://127.0.0.1:${server.address().port}/bough.html`);
    await page.waitForSelector('html[data-ready]');
    await page.selectOption('#example', '0');
    assert.match((await ask(page, await page.inputValue('#line'))).state, /^Answered/);
    await page.frameLocator('iframe').locator('html[data-ready]').waitFor({ state: 'attached' });
    assert.deepEqual(asked.filter((url) => url !== '/favicon.ico'), ['/bough.html']);
    await context.close();
    server.close();
  },

  async 'at most 6 MB'() {
    assert.ok(statSync(file).size < 6_000_000, `${statSync(file).size} bytes`);
  },
});
