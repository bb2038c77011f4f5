// A check prints as one page of A4, whatever its size. Pages are counted by pdfinfo (Debian: poppler-utils).
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bough, open, run, source, work } from './support.mjs';

const example = join(source, 'examples/fabric');

function tool(name, ...args) {
  try {
    return execFileSync(name, args, { encoding: 'utf8' });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    console.log(`skipped: no ${name} (Debian: poppler-utils)`);
    process.exit(77);
  }
}

async function print(name, words, ...args) {
  const html = join(work, `${name}.html`);
  const pdf = join(work, `${name}.pdf`);
  bough('check', ...args, '--html', html);
  const { page, context, wrong } = await open(html);
  writeFileSync(pdf, await page.pdf({ preferCSSPageSize: true }));
  assert.match(tool('pdfinfo', pdf), /^Pages: +1$[^]*\(A4\)$/m);
  const text = tool('pdftotext', '-layout', pdf, '-');
  for (const word of words) assert.ok(text.includes(word), `${word} in ${text}`);
  assert.deepEqual(wrong, []);
  await context.close();
}

await run({
  async 'a cluster'() {
    await print('cluster', ['usable', '37.3 %', 'Routing', 'Network', 'Findings', 'missing-'],
      join(example, 'cluster.ibnetdiscover'), '--lft', join(example, 'cluster.ftree.lfts.gz'));
  },
  async '16,384 hosts'() {
    await print('large', ['good', '16384', 'Routing', 'Network'], 'xgft:down=32x32x16,up=1x32x16', '--routing', 'dmodk', '--trials', '2');
  },
});
