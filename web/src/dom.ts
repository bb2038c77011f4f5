// Elements without markup in strings: whatever a study or fabric is called stays text.

type Child = Node | string | null | undefined;
type Attributes = Record<string, string | number | boolean | null | undefined>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  set(node, attributes);
  for (const child of children) if (child != null) node.append(child);
  return node;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  set(node, attributes);
  for (const child of children) if (child != null) node.append(child);
  return node;
}

function set(node: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    node.setAttribute(name, value === true ? '' : String(value));
  }
}

let ids = 0;
export function id(prefix: string): string {
  return `${prefix}-${++ids}`;
}

export function clear(node: Element): void {
  node.replaceChildren();
}

// Said by screen readers, not shown.
let speaker: HTMLElement | null = null;
export function announce(text: string): void {
  if (!speaker) {
    speaker = el('div', { class: 'unseen', role: 'status', 'aria-live': 'polite' });
    (document.querySelector('main') ?? document.body).append(speaker);
  }
  speaker.textContent = text;
}

export function isDark(): boolean {
  return !printing && matchMedia('(prefers-color-scheme: dark)').matches;
}

let printing = false;
export function isPrinting(): boolean {
  return printing;
}
const schemeListeners: (() => void)[] = [];
export function onScheme(listener: () => void): void {
  schemeListeners.push(listener);
}
function schemeChanged(): void {
  for (const listener of schemeListeners) listener();
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', schemeChanged);
addEventListener('beforeprint', () => {
  printing = true;
  schemeChanged();
});
addEventListener('afterprint', () => {
  printing = false;
  schemeChanged();
});
