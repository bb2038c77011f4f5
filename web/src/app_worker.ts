// A worker runs one command and ends. Before this in the worker's script stands what emscripten made of bough.
export interface Question {
  engine: WebAssembly.Module;
  words: string[];
  files: { name: string; data: Uint8Array }[];
}

export type Report =
  | { kind: 'ready' }
  | { kind: 'said'; text: string } // a line on standard error, or a bar
  | { kind: 'done'; status: number; printed: Uint8Array; files: { name: string; data: Uint8Array }[]; seconds: number }
  | { kind: 'failed'; reason: string };

// What is used of emscripten's module.
interface FileSystem {
  streams: { tty?: unknown }[];
  mkdirTree(path: string): void;
  chdir(path: string): void;
  readdir(path: string): string[];
  stat(path: string): { mode: number };
  isDir(mode: number): boolean;
  writeFile(path: string, data: Uint8Array): void;
  readFile(path: string): Uint8Array;
}
interface Bough {
  FS: FileSystem;
  callMain(words: string[]): number;
}
declare function createBough(options: object): Promise<Bough>;
declare function postMessage(report: Report): void;

const WORK = '/work';

class Bytes {
  private data = new Uint8Array(1 << 16);
  length = 0;
  add(byte: number): void {
    if (this.length === this.data.length) {
      const larger = new Uint8Array(2 * this.length);
      larger.set(this.data);
      this.data = larger;
    }
    this.data[this.length++] = byte;
  }
  take(): Uint8Array {
    const taken = this.data.slice(0, this.length);
    this.length = 0;
    return taken;
  }
}

// Standard error, a line at a time. A bar of progress begins with \r and has no end of line: the next one says it.
function sayLines(): (byte: number) => void {
  const line = new Bytes();
  return (byte) => {
    const ends = byte === 10 || (byte === 13 && line.length > 0);
    if (byte !== 10 && byte !== 13) line.add(byte);
    if (ends) postMessage({ kind: 'said', text: new TextDecoder().decode(line.take()) });
  };
}

function writeAll(fs: FileSystem, files: Question['files']): void {
  fs.mkdirTree(WORK);
  fs.chdir(WORK);
  for (const { name, data } of files) {
    const folder = name.replace(/[^/]*$/, '');
    if (folder) fs.mkdirTree(`${WORK}/${folder}`);
    fs.writeFile(`${WORK}/${name}`, data);
  }
}

// Files that were not given, below a folder.
function made(fs: FileSystem, folder: string, given: Set<string>): { name: string; data: Uint8Array }[] {
  return fs
    .readdir(`${WORK}/${folder}`)
    .filter((name) => name !== '.' && name !== '..')
    .sort()
    .flatMap((entry) => {
      const name = folder + entry;
      if (fs.isDir(fs.stat(`${WORK}/${name}`).mode)) return made(fs, `${name}/`, given);
      return given.has(name) ? [] : [{ name, data: fs.readFile(`${WORK}/${name}`) }];
    });
}

async function answer({ engine, words, files }: Question): Promise<void> {
  const start = performance.now();
  const printed = new Bytes();
  const bough = await createBough({
    noInitialRun: true,
    instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
      void WebAssembly.instantiate(engine, imports).then(done);
      return {};
    },
    stdin: () => null,
    stdout: (byte: number) => printed.add(byte),
    stderr: sayLines(),
  });
  bough.FS.streams[2]!.tty = { ops: {} }; // a terminal is told more often how far the command is
  writeAll(bough.FS, files);
  const status = bough.callMain(words);
  const given = new Set(files.map((f) => f.name));
  postMessage({ kind: 'done', status, printed: printed.take(), files: made(bough.FS, '', given), seconds: (performance.now() - start) / 1000 });
}

self.onmessage = (event: MessageEvent<Question>) => {
  answer(event.data).catch((error) => postMessage({ kind: 'failed', reason: String(error?.message ?? error) }));
};
postMessage({ kind: 'ready' });
