// Numbers as a person reads them.

export function plain(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return '';
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  return String(Number(value.toPrecision(6)));
}

// With two digits of the interval, as the tables of the command have it.
export function withInterval(value: number, ci: number | null): string {
  if (ci === 0) return `${plain(value)} \u00b1 0`;
  if (ci === null || !(ci > 0)) return plain(value);
  const digits = Math.max(0, Math.min(12, 1 - Math.floor(Math.log10(ci))));
  return `${value.toFixed(digits)} \u00b1 ${ci.toFixed(digits)}`;
}

// A number that reads back to the last bit.
export function exact(value: number | null): string {
  return value === null ? '' : String(value);
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en-GB')} ${n === 1 ? one : many}`;
}
