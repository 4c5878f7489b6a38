import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { customResource } from '../../kube/client/paths.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { workflowIdOf } from '../../workflows/contracts/workflow-ids.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { readEvents } from '../explain/events.ts';
import { readInstallFlags } from '../install/read.ts';
import { TolerantReads } from '../install/tolerant.ts';
import {
  clusterIdOf,
  isTemporalKnown,
  OtherClusterError,
  temporalOptionsOf,
} from '../connection/temporal-options.ts';
import { isUnicode, oneLine, screenWidth, clipLine } from '../terminal/screen.ts';
import type { Palette, Style } from '../terminal/style.ts';
import { ownPalette } from '../terminal/style.ts';
import type { ObjectReference } from '../command-line/object-reference.ts';
import type { ClusterOptions, OutputOptions, TemporalOptions } from '../command-line/options.ts';
import type { Lifecycle, Step } from './step.ts';
import { timeOf, isoOf } from '../install/times.ts';
import type { SeenEvent } from '../explain/explanation.ts';
import { phaseOf } from '../explain/machine.ts';
import { formatColumns } from '../terminal/columns.ts';

export interface TimelineOptions extends ClusterOptions, TemporalOptions, OutputOptions {
  object: ObjectReference;
  releaseNamespace?: string | undefined;
  /** Undefined: as the flags of the watcher say. */
  clusterName?: string | undefined;
}

export async function timeline(scope: ClusterScope, options: TimelineOptions): Promise<Answer> {
  const { name } = options.object;
  const { lifecycle, notes } = await lifecycleOf(scope, options);
  if (!lifecycle) {
    const message = `Nothing is known of machine/${name} in namespace ${scope.namespace}.`;
    throw new Error([message, ...notes].join('\n'));
  }
  return timelineAnswer(name, { ...lifecycle, notes: [...lifecycle.notes, ...notes] });
}

/** @param now Milliseconds. */
export function timelineAnswer(name: string, lifecycle: Lifecycle, now = Date.now()): Answer {
  const view = {
    now,
    width: screenWidth() ?? 120,
    palette: ownPalette(),
    hasBlocks: isUnicode(process.env),
  };
  const failures = lifecycle.steps.flatMap(({ name: step, failure }) =>
    failure === undefined ? [] : [`${step} failed last with: ${oneLine(failure)}`],
  );
  const sections = [
    titleOf(name, lifecycle, now),
    formatChart(lifecycle, view),
    failures.join('\n'),
    lifecycle.notes.map(oneLine).join('\n'),
  ];
  return {
    text: sections.filter((text) => text !== '').join('\n\n'),
    data: lifeData(name, lifecycle),
    names: [`machine/${name}`],
  };
}

function lifeData(name: string, { from, until, steps, ...lifecycle }: Lifecycle): object {
  return {
    machine: name,
    ...lifecycle,
    from: new Date(from).toISOString(),
    ...(until !== undefined && { until: new Date(until).toISOString() }),
    steps: steps.map(({ start, end, ...step }) => ({
      ...step,
      start: new Date(start).toISOString(),
      ...(end !== undefined && { end: new Date(end).toISOString(), milliseconds: end - start }),
    })),
  };
}

interface LifecycleRead {
  lifecycle: Lifecycle | undefined;
  notes: string[];
}

async function lifecycleOf(scope: ClusterScope, options: TimelineOptions): Promise<LifecycleRead> {
  const flags = await readInstallFlags(scope, options);
  const temporal = temporalOptionsOf(options, flags, process.env);
  if (!isTemporalKnown(temporal, process.env)) {
    return await fromObjects(
      scope,
      options,
      'Temporal was not asked: --temporal-address says where it is.',
    );
  }
  const { lifeInTemporal } = await import('./from-temporal.ts');
  const clusterName = options.clusterName ?? (flags.clusterName || undefined);
  const ref = { namespace: scope.namespace, name: options.object.name };
  try {
    const workflowId = workflowIdOf('machine', ref, clusterName);
    const cluster = await clusterIdOf(scope.kube, flags);
    const lifecycle = await lifeInTemporal(workflowId, temporal, cluster);
    if (lifecycle) return { lifecycle, notes: [] };
    return await fromObjects(scope, options, 'Temporal knows no workflow of it, or no more.');
  } catch (error) {
    const why = error instanceof OtherClusterError ? error.message : undefined;
    return await fromObjects(scope, options, why ?? `Temporal does not answer: ${reasonOf(error)}`);
  }
}

async function fromObjects(
  scope: ClusterScope,
  options: TimelineOptions,
  why: string,
): Promise<LifecycleRead> {
  const { kube, namespace } = scope;
  const { name } = options.object;
  const reads = new TolerantReads();
  const [machine, events] = await Promise.all([
    ignoreNotFound(kube.get<Machine>(customResource('machines', namespace, name))),
    reads.read('Events', readEvents(kube, { kind: 'machine', namespace, name })),
  ]);
  return {
    lifecycle: lifeOfObjects(machine, events ?? []),
    notes: [why, ...reads.unread.map((what) => `Not readable with your rights: ${what}.`)],
  };
}

/** Undefined where there is neither. */
export function lifeOfObjects(
  machine: Machine | undefined,
  events: readonly SeenEvent[],
): Lifecycle | undefined {
  const moments = momentsOf(machine, events);
  const [first] = moments;
  if (!first) return undefined;
  const until = machine ? undefined : moments.at(-1)?.at;
  return {
    from: first.at,
    until,
    state: machine ? phaseOf(machine) : 'gone',
    source: 'the object and its Events',
    runs: 0,
    steps: moments.map((moment, index) => stepOf(moment, moments[index + 1]?.at ?? until)),
    notes: ['Kubernetes keeps Events for an hour: what came before may be missing.'],
  };
}

interface Moment {
  at: number;
  words: string;
  isTrouble: boolean;
  count: number;
}

/** Each lasts until the next. */
function stepOf({ at, words, isTrouble, count }: Moment, end: number | undefined): Step {
  return {
    kind: isTrouble ? 'activity' : 'event',
    name: words,
    start: at,
    end,
    times: count,
  };
}

function momentsOf(machine: Machine | undefined, events: readonly SeenEvent[]): Moment[] {
  const { metadata, status } = machine ?? {};
  const seen = events.map(({ at, type, reason, message, count }) => ({
    at,
    words: `${reason}: ${oneLine(message)}`,
    isTrouble: type === 'Warning',
    count,
  }));
  const ofObject = [
    { at: timeOf(metadata?.creationTimestamp), words: 'its creation is asked for' },
    { at: timeOf(metadata?.deletionTimestamp), words: 'its deletion is asked for' },
    {
      at: timeOf(status?.lastOperation?.lastUpdateTime),
      words: oneLine(status?.lastOperation?.description ?? ''),
    },
  ].flatMap(({ at, words }) =>
    at === undefined || words === '' ? [] : [{ at, words, isTrouble: false, count: 1 }],
  );
  const isTold = ({ words }: Moment): boolean => seen.some((one) => one.words.endsWith(words));
  return [...ofObject.filter((one) => !isTold(one)), ...seen].toSorted((a, b) => a.at - b.at);
}

interface ChartView {
  now: number;
  /** Columns of the terminal. */
  width: number;
  palette: Palette;
  /** The terminal shows blocks; else ASCII. */
  hasBlocks: boolean;
}

const nameMax = 44;

/** The steps of a lifecycle as a bar chart. */
function formatChart(lifecycle: Lifecycle, view: ChartView): string {
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

function titleOf(
  name: string,
  { from, until, state, source, runs }: Lifecycle,
  now: number,
): string {
  const end = until === undefined ? 'now' : isoOf(until);
  const times = runs > 1 ? `, ${runs} runs` : '';
  return `machine/${name}, ${state}: ${formatSpan((until ?? now) - from)}, from ${isoOf(from)} to ${end} (by ${source}${times})`;
}
