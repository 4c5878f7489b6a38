/** The figures that two revisions, or Millwright and MCM, are compared by. */
import { sumOf } from './actions.ts';
import { requestsOfControllers } from './audit.ts';
import { mcmComponents } from './mcm.ts';
import type { Part } from './measure.ts';

/** As components of the stack. */
const controllers: readonly string[] = ['worker', 'watcher', ...mcmComponents];

/** They do the same on both sides, so their CPU says how fast the machine was meanwhile. */
const yardstick = ['virtual-cloud', 'kube-scheduler'];
const yardstickFigure = 'CPU of virtual cloud and scheduler, ms per machine';

/** Of one part; each of a machine but for seconds and memory. */
const figures: Record<string, (part: Part) => number> = {
  seconds: ({ seconds }) => seconds,
  [yardstickFigure]: (part) => cpuOf(part, (name) => yardstick.includes(name)),
  'CPU of the controllers, ms per machine': (part) =>
    cpuOf(part, (name) => controllers.includes(name)),
  'CPU of Temporal, ms per machine': (part) => cpuOf(part, (name) => name === 'temporal'),
  'CPU of the API server, ms per machine': (part) =>
    cpuOf(part, (name) => name === 'kube-apiserver'),
  'CPU of everybody, ms per machine': (part) => cpuOf(part, () => true),
  'API writes of everybody, per machine': ({ requests, machines }) =>
    sum(Object.values(requests).map(({ writes }) => writes)) / machines,
  'API writes of the controllers without Events, per machine': ({ requests, machines }) => {
    const { writes, events } = requestsOfControllers(requests);
    return (writes - events) / machines;
  },
  'events of history, per machine': ({ eventsPerMachine }) => eventsPerMachine,
  'actions of Temporal Cloud, per machine': ({ actions = {}, machines }: Partial<Part>) =>
    sumOf(actions) / (machines ?? 1),
  'workflow tasks in vain': ({ lostTasks = 0 }: Partial<Part>) => lostTasks,
  'memory of the controllers at most, MiB': ({ processes }) =>
    sum(controllers.map((name) => processes[name]?.peakMemoryMib ?? 0)),
};

export interface Comparison {
  /** Such as `up 100`. */
  part: string;
  figures: Record<string, { here: number; there: number; ratio?: number }>;
}

/** Each figure is the median of its rounds. The ratio is absent where the other side is 0. */
export function compare(
  here: readonly (readonly Part[])[],
  there: readonly (readonly Part[])[],
): Comparison[] {
  return (here[0] ?? []).map(({ name, machines }, index) => ({
    part: `${name} ${machines}`,
    figures: Object.fromEntries(
      Object.entries(figures).map(([figure, read]) => {
        const of = (rounds: readonly (readonly Part[])[]): number =>
          median(rounds.flatMap((parts) => parts[index] ?? []).map((part) => read(part)));
        const [ofHere, ofThere] = [of(here), of(there)];
        const ratio = ofThere === 0 ? {} : { ratio: ofHere / ofThere };
        return [figure, { here: ofHere, there: ofThere, ...ratio }];
      }),
    ),
  }));
}

/**
 * For people: a Markdown table for each part. Its last column is what the ratio would be if the
 * machine had been as fast for both.
 */
export function formatComparison(comparisons: readonly Comparison[], there: string): string {
  // Later parts may be those that save the work of the yardstick, such as a scale-in.
  const slowness = comparisons[0]?.figures[yardstickFigure]?.ratio ?? 1;
  return comparisons.map((comparison) => tableOf(comparison, { there, slowness })).join('\n\n');
}

function tableOf(
  { part, figures: rows }: Comparison,
  { there: nameThere, slowness }: { there: string; slowness: number },
): string {
  const lines = Object.entries(rows).map(([figure, { here, there, ratio }]) => {
    const share = ratio === undefined ? '' : ratio.toFixed(2);
    const isOfTime = figure === 'seconds' || figure.startsWith('CPU');
    const corrected = ratio === undefined || !isOfTime ? '' : (ratio / slowness).toFixed(2);
    return `| ${figure} | ${there.toFixed(1)} | ${here.toFixed(1)} | ${share} | ${corrected} |`;
  });
  return [
    `| ${part} | ${nameThere} | this tree | ratio | at the same speed |`,
    '| --- | --: | --: | --: | --: |',
    ...lines,
  ].join('\n');
}

function cpuOf({ processes, machines }: Part, counts: (name: string) => boolean): number {
  const used = Object.entries(processes).filter(([name]) => counts(name));
  return (sum(used.map(([, { cpuSeconds }]) => cpuSeconds)) * 1_000) / machines;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
