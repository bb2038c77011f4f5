// Files without a server: Blob URLs.
import { el } from './dom';

export function save(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = el('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export function fileName(...parts: (string | null)[]): string {
  const words = parts.filter((p): p is string => !!p).join('-');
  return words.replace(/[^A-Za-z0-9.]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 80) || 'bough';
}

// RFC 4180.
export function csv(rows: string[][]): string {
  const field = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  return rows.map((row) => row.map(field).join(',')).join('\n') + '\n';
}
