// What a dropped file is taken for, by its name; and the command line that follows. Whoever knows better edits the line.

export interface Given {
  name: string;
  data: Uint8Array;
}

export const commands = ['check', 'tune', 'plan', 'sim', 'net', 'run'] as const;
export type Command = (typeof commands)[number];

type Kind = 'fabric' | 'tables' | 'groups' | 'slurm' | 'counters' | 'goal' | 'study' | 'prices' | 'roots';

// The first that fits.
const kinds: [RegExp, Kind][] = [
  [/(^|[/])(topology|block)\.conf$/i, 'slurm'],
  [/\.goal$/i, 'goal'],
  [/\.ya?ml$/i, 'study'],
  [/prices[^/]*\.csv$/i, 'prices'],
  [/\.far$/i, 'groups'],
  [/lfts|fdbs|ibroute|dump_fts/i, 'tables'],
  [/perfquery|queryerrors|counters|\.prom$/i, 'counters'],
  [/\.(roots|order)$/i, 'roots'],
];

export function kindOf(name: string): Kind {
  const plain = name.replace(/\.(gz|xz|zst|bz2)$/i, '');
  return kinds.find(([pattern]) => pattern.test(plain))?.[1] ?? 'fabric';
}

// A word of a command line, quoted where it must be.
export function quote(word: string): string {
  return /^[\w./:=,@%+*-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}

// Words of a command line: quotes as in a shell, and nothing else of a shell.
export function split(line: string): string[] {
  const words: string[] = [];
  for (const [word] of line.matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/gs))
    words.push(word.replace(/'([^']*)'|"([^"]*)"|\\(.)/gs, (_, single, double, one) => single ?? double ?? one));
  return words;
}

// What follows the command, of these files; the example of the help where there is nothing to ask about.
export function compose(command: Command, files: readonly Given[]): string {
  const of = (kind: Kind) => files.filter((f) => kindOf(f.name) === kind).map((f) => quote(f.name));
  const each = (option: string, kind: Kind) => of(kind).map((name) => `${option} ${name}`);
  const fabrics = of('fabric');
  const fabric = fabrics[0];
  const network = fabric ? `ibnet:${fabric}` : 'xgft:down=16x16,up=1x8';
  const goal = of('goal')[0];
  const study = of('study')[0];
  const words: Record<Command, string[]> = {
    check: [
      fabric ?? 'xgft:down=16x16,up=1x8',
      ...fabrics.slice(1, 2).map((name) => `--expect ${name}`),
      ...each('--lft', 'tables'),
      ...each('--adaptive', 'groups'),
      ...each('--slurm', 'slurm'),
      ...each('--counters', 'counters'),
      '--html page.html',
    ],
    tune: [fabric ?? 'xgft:down=16x16,up=1x8', ...each('--lft', 'tables'), '-o tuned.lfts'],
    plan: ['--hosts 1000 --radix 40', ...each('--prices', 'prices'), ...(study ? [`--job ${study}`] : [])],
    sim: [network, goal ? `goal:${goal}` : 'allreduce:algo=ring,size=64MB', 'flow', '--html page.html'],
    net: [network, '-o drawing.svg'],
    run: [study ?? 'strumpen2005/fig4', '--out results'],
  };
  return [command, ...words[command]].join(' ');
}

// The command that these files most likely are for.
export function likely(files: readonly Given[]): Command {
  const has = (kind: Kind) => files.some((f) => kindOf(f.name) === kind);
  if (has('fabric')) return has('goal') ? 'sim' : 'check';
  if (has('goal')) return 'sim';
  if (has('prices')) return 'plan';
  return has('study') ? 'run' : 'check';
}
