// Bundles the page into one script and one style sheet, and writes both as a C file with their hashes for the
// page's Content-Security-Policy: node build.mjs OUT.c, in a directory with node_modules.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const out = process.argv[2];
if (!out) {
  console.error('usage: node build.mjs OUT.c');
  process.exit(2);
}

async function bundle(entry) {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2021',
    charset: 'ascii',
    legalComments: 'none',
    logLevel: 'warning',
  });
  // What ends a script element must not stand in one.
  return result.outputFiles[0].text.trim().replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '<\\!--');
}

const hash = (text) => `sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}`;

// Bytes as a C string in pieces; three octal digits, so that no digit after one is read as part of it.
function literal(text) {
  const bytes = Buffer.from(text, 'utf8');
  const lines = [];
  for (let i = 0; i < bytes.length; i += 100) {
    let line = '';
    for (const c of bytes.subarray(i, i + 100)) {
      if (c === 34 || c === 92 || c === 63) line += `\\${String.fromCharCode(c)}`;
      else if (c >= 32 && c < 127) line += String.fromCharCode(c);
      else line += `\\${c.toString(8).padStart(3, '0')}`;
    }
    lines.push(`    "${line}"`);
  }
  return lines.join('\n') || '    ""';
}

const script = await bundle('src/main.ts');
const style = await bundle('src/page.css');
writeFileSync(
  out,
  `/* Made by web/build.mjs. */
#include "report/pages/page_assets.h"

static const char script[] =
${literal(script)};
static const char style[] =
${literal(style)};
const struct page_assets page_assets = {script, "${hash(script)}", style, "${hash(style)}", 0};
`,
);
console.log(`script ${script.length} bytes, style ${style.length} bytes`);
