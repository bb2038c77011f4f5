// Stacks in hollow cubes, as boxes in space that one can turn: far ones first, three faces of each.
import { onWidth, prepare } from './canvas';
import type { PackagingData } from './data';
import { el, isDark, onScheme } from './dom';
import { count } from './format';
import { ink, style } from './palette';

interface Stack {
  stage: number;
  centre: number[];
  half: number[];
}

const FACES = [
  { axis: 0, u: 1, v: 2, light: 0.8 },
  { axis: 1, u: 0, v: 2, light: 1 },
  { axis: 2, u: 0, v: 1, light: 0.62 },
];

export class StacksView {
  readonly element: HTMLElement;
  private readonly canvas = el('canvas', { 'aria-hidden': 'true' });
  private readonly plot: HTMLElement;
  private readonly stacks: Stack[] = [];
  private readonly shown: boolean[];
  private turn = 0.7;
  private tilt = -0.35;
  private zoom = 1;
  private size = 1;
  private middle = [0, 0, 0];
  private waiting = false;

  constructor(private readonly data: PackagingData) {
    data.stages.forEach((stage, s) => {
      for (let i = 0; i + 5 < stage.boxes.length; i += 6)
        this.stacks.push({ stage: s, centre: stage.boxes.slice(i, i + 3), half: stage.boxes.slice(i + 3, i + 6).map((x) => x / 2 - Math.min(0.02, x / 8)) });
    });
    this.shown = data.stages.map(() => true);
    this.measure();
    const what = data.stages.map((s, i) => `${count(s.boxes.length / 6, 'stack')} of stage ${i}, ${s.name}`).join('; ');
    this.plot = el('div', { class: 'plot stacks', tabindex: 0, role: 'application', 'aria-roledescription': 'model in space', 'aria-label': `Stacks in hollow cubes: ${what}. Arrow keys turn it, plus and minus zoom.` }, this.canvas);
    this.element = el('div', {}, el('p', { class: 'note' }, `${what}. Drag, or use the arrow keys, to turn; plus and minus zoom.`), this.toggles(), this.plot);
    this.plot.addEventListener('pointerdown', (event) => this.plot.setPointerCapture(event.pointerId));
    this.plot.addEventListener('pointermove', (event) => {
      if (event.buttons & 1) this.rotate(event.movementX * 0.01, event.movementY * 0.01);
    });
    this.plot.addEventListener('keydown', (event) => this.key(event));
    onScheme(() => this.draw());
  }

  start(): void {
    this.draw();
    onWidth(this.plot, () => this.draw());
  }

  private measure(): void {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (const s of this.stacks)
      for (let i = 0; i < 3; i++) {
        low[i] = Math.min(low[i], s.centre[i] - s.half[i]);
        high[i] = Math.max(high[i], s.centre[i] + s.half[i]);
      }
    this.middle = low.map((l, i) => (l + high[i]) / 2);
    this.size = Math.hypot(...low.map((l, i) => high[i] - l)) || 1;
  }

  private toggles(): HTMLElement {
    const box = el('div', { class: 'controls', role: 'group', 'aria-label': 'Stages shown, and zoom' });
    this.data.stages.forEach((stage, s) => {
      const input = el('input', { type: 'checkbox', checked: true });
      input.addEventListener('change', () => {
        this.shown[s] = input.checked;
        this.draw();
      });
      box.append(el('label', { class: 'control' }, input, `stage ${s}: ${stage.name}`));
    });
    for (const [text, label, factor] of [['+', 'Zoom in', 1.25], ['\u2212', 'Zoom out', 0.8]] as const) {
      const button = el('button', { type: 'button', 'aria-label': label }, text);
      button.addEventListener('click', () => this.zoomBy(factor));
      box.append(button);
    }
    return box;
  }

  private zoomBy(factor: number): void {
    this.zoom = Math.max(0.4, Math.min(12, this.zoom * factor));
    this.draw();
  }

  private rotate(turn: number, tilt: number): void {
    this.turn += turn;
    this.tilt = Math.max(-1.5, Math.min(1.5, this.tilt + tilt));
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  private key(event: KeyboardEvent): void {
    const step: Record<string, [number, number]> = { ArrowLeft: [-0.12, 0], ArrowRight: [0.12, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
    const move = step[event.key];
    if (move) this.rotate(...move);
    else if (event.key === '+' || event.key === '=') this.zoomBy(1.25);
    else if (event.key === '-') this.zoomBy(0.8);
    else return;
    event.preventDefault();
  }

  // Turned about the upright axis, then tilted towards the reader: x to the right, y up, z to the reader.
  private view(p: number[]): number[] {
    const [x, y, z] = [p[0] - this.middle[0], p[1] - this.middle[1], p[2] - this.middle[2]];
    const a = x * Math.cos(this.turn) + z * Math.sin(this.turn);
    const b = z * Math.cos(this.turn) - x * Math.sin(this.turn);
    return [a, y * Math.cos(this.tilt) + b * Math.sin(this.tilt), b * Math.cos(this.tilt) - y * Math.sin(this.tilt)];
  }

  private draw(): void {
    if (!this.element.isConnected) return;
    const dark = isDark();
    const c = ink(dark);
    const width = Math.min(900, Math.max(240, this.plot.clientWidth));
    const height = Math.round(Math.min(560, 0.7 * width));
    const g = prepare(this.canvas, width, height);
    g.fillStyle = c.ground;
    g.fillRect(0, 0, width, height);
    const scale = (0.92 * Math.min(width, height) * this.zoom) / this.size;
    const far = 3 * this.size;
    const project = (p: number[]): [number, number] => {
      const [x, y, z] = this.view(p);
      const near = far / Math.max(0.2 * far, far - z);
      return [width / 2 + x * scale * near, height / 2 - y * scale * near];
    };
    const seen = this.stacks.filter((s) => this.shown[s.stage]).map((s) => ({ s, depth: this.view(s.centre)[2] }));
    seen.sort((a, b) => a.depth - b.depth);
    g.lineJoin = 'round';
    g.lineWidth = 0.7;
    g.strokeStyle = c.text;
    for (const { s } of seen) this.drawStack(g, s, project, style(s.stage, dark).colour);
  }

  private drawStack(g: CanvasRenderingContext2D, s: Stack, project: (p: number[]) => [number, number], colour: string): void {
    for (const face of FACES) {
      const unit = [0, 0, 0];
      unit[face.axis] = 1;
      const origin = this.view(this.middle);
      const sign = this.view(unit.map((x, i) => x + this.middle[i]))[2] - origin[2] > 0 ? 1 : -1; // towards the reader
      g.beginPath();
      for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
        const p = [...s.centre];
        p[face.axis] += sign * s.half[face.axis];
        p[face.u] += u * s.half[face.u];
        p[face.v] += v * s.half[face.v];
        g.lineTo(...project(p));
      }
      g.closePath();
      g.fillStyle = shade(colour, face.light);
      g.fill();
      g.stroke();
    }
  }
}

function shade(colour: string, light: number): string {
  const part = (i: number) => Math.round(parseInt(colour.slice(i, i + 2), 16) * light);
  return `rgb(${part(1)} ${part(3)} ${part(5)})`;
}
