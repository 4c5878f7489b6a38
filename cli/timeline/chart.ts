/** The steps of a lifecycle as a bar chart. */
import { isoOf } from '../install/times.ts';
import { formatColumns } from '../terminal/columns.ts';
import { clipLine, oneLine } from '../terminal/screen.ts';
import type { Palette, Style } from '../terminal/style.ts';
import type { Lifecycle, Step } from './step.ts';

interface ChartView {
  now: number;
  /** Columns of the terminal. */
  width: number;
  palette: Palette;
  /** The terminal shows blocks; else ASCII. */
  hasBlocks: boolean;
}

const nameMax = 44;

export function formatChart(lifecycle: Lifecycle, view: ChartView): string {
  const { from, until = view.now } = lifecycle;
  const span = Math.max(until - from, 1);
  const rows = lifecycle.steps.map((step) => [
    clipLine(labelOf(step), nameMax),
    `+${formatSpan(step.start - from)}`,
    durationOf(step, view.now),
    step.attempts === undefined || step.attempts < 2 ? '' : `${step.attempts}`,
  ]);
  const head = ['STEP', 'START', 'TOOK', 'TRIES'];
  const taken = head.reduce(
    (sum, title, column) =>
      sum + Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)) + 3,
    0,
  );
  const room = Math.max(view.width - taken, 20);
  const bars = lifecycle.steps.map((step) => barOf(step, { from, span, room, view }));
  return formatColumns(
    [
      ...head,
      `0 ${' '.repeat(Math.max(room - formatSpan(span).length - 2, 1))}${formatSpan(span)}`,
    ],
    rows.map((row, index) => [...row, { coloured: bars[index] ?? '' }]),
  );
}

function labelOf({ kind, name, times }: Step): string {
  const words = kind === 'wait' ? `waits: ${oneLine(name)}` : oneLine(name);
  return times > 1 ? `${words} (${times} times)` : words;
}

function durationOf({ kind, start, end }: Step, now: number): string {
  if (kind === 'moment') return '-';
  return `${formatSpan((end ?? now) - start)}${end === undefined ? '...' : ''}`;
}

interface Scale {
  from: number;
  span: number;
  room: number;
  view: ChartView;
}

/** As long as its share of the lifecycle, one cell at least. */
function barOf(step: Step, { from, span, room, view }: Scale): string {
  const { start, end = view.now } = step;
  const at = Math.min(Math.floor(((start - from) / span) * room), room - 1);
  const length = Math.max(Math.round(((end - start) / span) * room), 1);
  const cells = Math.min(length, room - at);
  const [mark, style] = markOf(step, view);
  return `${' '.repeat(Math.max(at, 0))}${style(mark.repeat(cells))}`;
}

function markOf(
  { kind, failure }: Step,
  { palette, hasBlocks }: ChartView,
): readonly [string, Style] {
  const [full, light, dot] = hasBlocks ? ['█', '░', '▏'] : ['#', '-', '|'];
  if (failure !== undefined) return [hasBlocks ? '▓' : 'x', palette.bad];
  if (kind === 'activity') return [full ?? '', palette.good];
  return kind === 'wait' || kind === 'event'
    ? [light ?? '', palette.faint]
    : [dot ?? '', palette.busy];
}

/** `12m4s`, `3.2s`, `20ms`: finer than an age. */
export function formatSpan(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.max(Math.round(milliseconds), 0)}ms`;
  const seconds = milliseconds / 1_000;
  if (seconds < 60) return `${Number(seconds.toFixed(1))}s`;
  const whole = Math.round(seconds);
  const [days, hours, minutes] = [
    Math.floor(whole / 86_400),
    Math.floor(whole / 3_600) % 24,
    Math.floor(whole / 60) % 60,
  ];
  if (days > 0) return `${days}d${hours}h`;
  return hours > 0 ? `${hours}h${minutes}m` : `${minutes}m${whole % 60}s`;
}

export function titleOf(
  name: string,
  { from, until, state, source, runs }: Lifecycle,
  now: number,
): string {
  const end = until === undefined ? 'now' : isoOf(until);
  const times = runs > 1 ? `, ${runs} runs` : '';
  return `machine/${name}, ${state}: ${formatSpan((until ?? now) - from)}, from ${isoOf(from)} to ${end} (by ${source}${times})`;
}
