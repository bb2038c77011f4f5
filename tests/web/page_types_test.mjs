// The page's TypeScript is right: esbuild, which builds it, does not look at types.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const web = join(dirname(process.env.BOUGH), 'web'); // where the build has the packages
if (!existsSync(join(web, 'node_modules/vega'))) {
  console.log('skipped: the page was not built here');
  process.exit(77);
}
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
try {
  execFileSync(process.execPath, [tsc, '-p', web], { encoding: 'utf8' });
} catch (error) {
  console.log(error.stdout || error.message);
  process.exit(1);
}
console.log('ok types');
