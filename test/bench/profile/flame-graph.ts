/** A flame graph as SVG: the width of a frame is its time, its callers stand below it. */
import type { Stacks } from './stacks.ts';

interface Frame {
  name: string;
  milliseconds: number;
  children: Map<string, Frame>;
}

const width = 1_400;
const rowHeight = 17;
const titleHeight = 26;
/** Frames that are narrower are left out, in pixels. */
const narrowest = 1;
const characterWidth = 6.2;
const colours = ['#e8a33d', '#e2814b', '#d9694f', '#efc05b', '#d98f63'];

export function flameGraph(title: string, stacks: Stacks): string {
  const root = treeOf(title, stacks);
  const rows = depthOf(root, width / Math.max(root.milliseconds, 1));
  const height = titleHeight + rows * rowHeight;
  const scale = width / Math.max(root.milliseconds, 1);
  const boxes = boxesOf(root, { x: 0, row: 0, scale, height });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="11">`,
    `<text x="6" y="17" font-size="14">${escaped(title)}</text>`,
    ...boxes,
    '</svg>',
    '',
  ].join('\n');
}

function treeOf(title: string, stacks: Stacks): Frame {
  const root: Frame = { name: title, milliseconds: 0, children: new Map() };
  for (const [stack, milliseconds] of stacks) {
    root.milliseconds += milliseconds;
    let at = root;
    for (const name of stack.split(';')) {
      const child = at.children.get(name) ?? { name, milliseconds: 0, children: new Map() };
      at.children.set(name, child);
      child.milliseconds += milliseconds;
      at = child;
    }
  }
  return root;
}

function depthOf({ milliseconds, children }: Frame, scale: number): number {
  if (milliseconds * scale < narrowest) return 0;
  return 1 + Math.max(0, ...[...children.values()].map((child) => depthOf(child, scale)));
}

interface Place {
  x: number;
  row: number;
  scale: number;
  height: number;
}

function boxesOf(frame: Frame, { x, row, scale, height }: Place): string[] {
  const wide = frame.milliseconds * scale;
  if (wide < narrowest) return [];
  const boxes = [boxOf(frame, { x, wide, y: height - (row + 1) * rowHeight })];
  let next = x;
  for (const child of frame.children.values()) {
    boxes.push(...boxesOf(child, { x: next, row: row + 1, scale, height }));
    next += child.milliseconds * scale;
  }
  return boxes;
}

function boxOf(
  { name, milliseconds }: Frame,
  { x, wide, y }: { x: number; wide: number; y: number },
): string {
  const fits = Math.floor((wide - 6) / characterWidth);
  const text = fits < 3 ? '' : escaped(name.slice(0, fits));
  const colour = colours[name.length % colours.length];
  return `<g><title>${escaped(name)}: ${milliseconds.toFixed(1)} ms</title><rect x="${x.toFixed(1)}" y="${y}" width="${wide.toFixed(1)}" height="${rowHeight - 1}" fill="${colour}" rx="1"/><text x="${(x + 3).toFixed(1)}" y="${y + 12}">${text}</text></g>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
