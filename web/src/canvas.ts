// What the drawings on canvas share: sharp pixels, and a tip beside the pointer.
import { el } from './dom';

export function prepare(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = Math.min(3, Math.max(1, window.devicePixelRatio || 1));
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d')!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

export class Tip {
  readonly element = el('div', { class: 'tip', hidden: true });

  hide(): void {
    this.element.hidden = true;
  }

  show(lines: [string, string][], x: number, y: number, room: number, height: number): void {
    const list = el('dl');
    for (const [name, value] of lines) list.append(el('dt', {}, name), el('dd', {}, value));
    this.element.replaceChildren(list);
    this.element.hidden = false;
    const width = Math.min(this.element.offsetWidth, room);
    let left = x + 14;
    if (left + width > room) left = Math.max(0, x - 14 - width);
    const top = y < height / 2 ? y + 14 : y - 14 - this.element.offsetHeight;
    this.element.style.left = `${left}px`;
    this.element.style.top = `${top}px`;
  }
}

// Redraws when the width of the element changes.
export function onWidth(element: HTMLElement, draw: () => void): void {
  let width = element.clientWidth;
  let timer = 0;
  new ResizeObserver(() => {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      if (Math.abs(element.clientWidth - width) <= 2) return;
      width = element.clientWidth;
      draw();
    }, 60);
  }).observe(element);
}

export function choice(label: string, options: string[], changed: (i: number) => void, first = 0): HTMLElement {
  const select = el('select');
  options.forEach((text, i) => select.append(el('option', { value: i, selected: i === first }, text)));
  select.addEventListener('change', () => changed(Number(select.value)));
  return el('label', { class: 'control' }, `${label} `, select);
}
