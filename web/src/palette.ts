// After Okabe and Ito, darkened or lightened until every colour has a contrast of 3 to 1 and more with its ground.
// Marks and dashes differ too: colour alone says nothing.

const light = ['#0072b2', '#c24e00', '#007a58', '#a8417f', '#80660a', '#3d3d3d', '#2a86c0', '#7c3f00'];
const dark = ['#56b4e9', '#ff8f45', '#2fc592', '#e59ac8', '#f0d24a', '#dcdcdc', '#9cc9ff', '#d9a066'];
const shapes = ['circle', 'square', 'triangle-up', 'diamond', 'cross', 'triangle-down', 'triangle-right', 'triangle-left'];
const dashes = [[], [7, 3], [2, 2], [9, 3, 2, 3], [5, 2], [1, 3]];

export interface Style {
  colour: string;
  shape: string;
  dash: number[];
}

export function style(n: number, isDark: boolean): Style {
  const round = Math.floor(n / 8);
  return {
    colour: (isDark ? dark : light)[n % 8],
    shape: shapes[(n + 3 * round) % 8],
    dash: dashes[(n + round) % 6],
  };
}

export interface Ink {
  ground: string;
  text: string;
  soft: string;
  grid: string;
}

export function ink(isDark: boolean): Ink {
  return isDark
    ? { ground: '#16191d', text: '#e8eaed', soft: '#b4bac2', grid: '#343a42' }
    : { ground: '#ffffff', text: '#1a1d21', soft: '#4a5058', grid: '#dfe3e8' };
}

// Load, from none to the most: one direction of lightness, readable without colour. share: 0..1.
const rampLight = ['#d5dde6', '#f3c969', '#ee9640', '#d1495b', '#7b1e3a'];
const rampDark = ['#3a4250', '#7a5a2a', '#c8792f', '#f2a154', '#ffe3a8'];
export function heat(share: number, isDark: boolean): string {
  const ramp = isDark ? rampDark : rampLight;
  const at = Math.max(0, Math.min(1, share)) * (ramp.length - 1);
  const i = Math.min(ramp.length - 2, Math.floor(at));
  const mix = (c: number) => {
    const a = parseInt(ramp[i].slice(c, c + 2), 16);
    const b = parseInt(ramp[i + 1].slice(c, c + 2), 16);
    return Math.round(a + (b - a) * (at - i))
      .toString(16)
      .padStart(2, '0');
  };
  return `#${mix(1)}${mix(3)}${mix(5)}`;
}
