/** Curves over one axis as SVG. */

export interface Curve {
  /** Of its file. */
  name: string;
  title: string;
  x: { title: string; values: readonly number[] };
  lines: readonly { name: string; values: readonly number[] }[];
}

const size = { width: 720, height: 360 };
const margin = { left: 64, right: 170, top: 40, bottom: 46 };
const colours = ['#1b6ca8', '#d1495b', '#66a182', '#edae49', '#6c4f82'];
const gridLines = 5;

export function drawCurves({ title, x, lines }: Curve): string {
  const right = size.width - margin.right;
  const bottom = size.height - margin.bottom;
  const highest = roundedUp(Math.max(...lines.flatMap(({ values }) => values), 1));
  const widest = Math.max(...x.values, 1);
  const xAt = (value: number): number => margin.left + ((right - margin.left) * value) / widest;
  const yAt = (value: number): number => bottom - ((bottom - margin.top) * value) / highest;
  const grid = Array.from({ length: gridLines + 1 }, (_, index) => (highest * index) / gridLines);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${size.width}" height="${size.height}" fill="white"/>`,
    `<text x="${margin.left}" y="22" font-size="15">${title}</text>`,
    ...grid.flatMap((value) => [
      `<path d="M${margin.left} ${yAt(value).toFixed(1)}H${right}" stroke="#ddd"/>`,
      `<text x="${margin.left - 8}" y="${(yAt(value) + 4).toFixed(1)}" text-anchor="end">${shown(value)}</text>`,
    ]),
    ...x.values.map(
      (value) =>
        `<text x="${xAt(value).toFixed(1)}" y="${bottom + 18}" text-anchor="middle">${shown(value)}</text>`,
    ),
    `<text x="${(margin.left + right) / 2}" y="${size.height - 8}" text-anchor="middle">${x.title}</text>`,
    ...lines.flatMap(({ name, values }, index) => {
      const colour = colours[index % colours.length];
      const points = values.map(
        (value, at) => `${xAt(x.values[at] ?? 0).toFixed(1)},${yAt(value).toFixed(1)}`,
      );
      const y = margin.top + 10 + index * 20;
      return [
        `<polyline points="${points.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
        `<path d="M${right + 14} ${y}h18" stroke="${colour}" stroke-width="3"/>`,
        `<text x="${right + 38}" y="${y + 4}">${name}</text>`,
      ];
    }),
    '</svg>',
    '',
  ].join('\n');
}

/** To the next of 1, 2 and 5 times a power of ten. */
function roundedUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10;
  return step * power;
}

function shown(value: number): string {
  return value >= 10_000 ? `${value / 1_000}k` : String(Math.round(value * 10) / 10);
}
