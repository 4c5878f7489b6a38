import { stripVTControlCharacters } from 'node:util';
import { createLogUpdate } from 'log-update';
import { reasonOf } from '../../workers/log/reason.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import type { ClusterOptions, InstallScope } from '../command-line/options.ts';
import type { ObjectChange } from './live-install.ts';
import { LiveInstall } from './live-install.ts';
import type { Install } from '../install/install.ts';
import { statusAnswer } from '../status/status.ts';
import { formatAge } from '../terminal/age.ts';
import type { KubeObject } from '../../kube/client/client.ts';
import type { MachineKind } from '../../kube/client/paths.ts';
import { oneLine } from '../terminal/screen.ts';

interface WatchOptions extends ClusterOptions, InstallScope {
  output?: undefined;
}

/** So that a rollout of hundreds does not redraw for each. */
const drawEveryMs = 250;
/** Ages go on where nothing changes. */
const redrawEveryMs = 5_000;

/** Until Ctrl-C. */
export async function watch(scope: ClusterScope, options: WatchOptions): Promise<Answer> {
  const ended = untilEnded();
  await (process.stdout.isTTY ? onScreen(scope, options, ended) : inLines(scope, options, ended));
  return { text: '', data: {} };
}

/** A pipe that is closed ends it as well. */
function untilEnded(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
    process.stdout.once('error', () => resolve());
  });
}

async function inLines(
  scope: ClusterScope,
  options: WatchOptions,
  ended: Promise<void>,
): Promise<void> {
  let isComplete = false;
  const say = (change: ObjectChange): void => {
    // An object that is there at the beginning is no change.
    const line = isComplete ? lineOf(change, Date.now()) : undefined;
    if (line !== undefined) console.log(line);
  };
  const install = new LiveInstall({
    scope,
    options,
    onChange: say,
    onError: (error) => console.error(reasonOf(error)),
  });
  try {
    await Promise.race([install.start(), ended]);
    isComplete = true;
    const machines = install.now()?.machines;
    // Ctrl-C came first: nothing was read, which is not to be taken for no machines.
    if (machines) console.log(`Watching ${machines.length} machines.`);
    await ended;
  } finally {
    await install.stop();
  }
}

async function onScreen(
  scope: ClusterScope,
  options: WatchOptions,
  ended: Promise<void>,
): Promise<void> {
  const draw = createLogUpdate(process.stdout);
  let isDirty = true;
  let trouble = '';
  let drawnAt = 0;
  const install = new LiveInstall({
    scope,
    options,
    onChange: () => {
      isDirty = true;
    },
    onError: (error) => {
      trouble = reasonOf(error);
      isDirty = true;
    },
  });
  const timer = setInterval(() => {
    const seen = install.now();
    const isDue = isDirty || Date.now() - drawnAt >= redrawEveryMs;
    if (!isDue || (!seen && trouble === '')) return;
    isDirty = false;
    drawnAt = Date.now();
    const { rows, columns } = process.stdout;
    const { awaySince } = install;
    draw(seen ? screenOf(seen, { rows, columns, trouble, awaySince }) : trouble);
    trouble = '';
  }, drawEveryMs);
  try {
    await Promise.race([install.start(), ended]);
    await ended;
  } finally {
    clearInterval(timer);
    draw.done();
    await install.stop();
  }
}

export interface ScreenView {
  /** Rows of the terminal. Default 24. */
  rows: number | undefined;
  /** Columns of the terminal: a longer line takes several rows. Default: none does. */
  columns?: number | undefined;
  /** Failures since the last drawing. */
  trouble: string;
  /** Since when the API server gives no answer, milliseconds. Default: it answers. */
  awaySince?: number | undefined;
}

/** For the line that counts what is left out, and for the cursor. */
const rowsKept = 2;
const fewestLines = 5;

/** Cuts to the room there is, from the top: the worst stands there. */
export function screenOf(install: Install, view: ScreenView): string {
  const { rows = 24, columns, trouble, awaySince } = view;
  const { text } = statusAnswer(install, { isWide: false, hasNotes: false });
  const away = formatAge(install.now - (awaySince ?? install.now));
  const head =
    awaySince === undefined
      ? ''
      : `The API server has not answered for ${away}: what follows is of then.\n`;
  const lines = [head, text, trouble]
    .filter((part) => part !== '')
    .flatMap((part) => part.split('\n'));
  const shown = fittingIn(Math.max(rows - rowsKept, fewestLines), lines, columns);
  const more = lines.length - shown.length;
  return more === 0 ? lines.join('\n') : [...shown, `(${more} more lines)`].join('\n');
}

/** The first of them: of a text that is too high log-update cuts off the top. */
function fittingIn(room: number, lines: readonly string[], columns = Infinity): readonly string[] {
  let left = room;
  const end = lines.findIndex((line) => {
    left -= Math.max(Math.ceil(stripVTControlCharacters(line).length / columns), 1);
    return left < 0;
  });
  return end < 0 ? lines : lines.slice(0, end);
}

/** `10:02:11 shoot--dev machine/pool-1 Pending -> Running: joined`. UTC. */
export function lineOf(change: ObjectChange, now: number): string | undefined {
  const message = messageOf(change);
  if (message === undefined) return undefined;
  const { namespace = '', name } = change.object.metadata;
  const time = new Date(now).toISOString().slice(11, 19);
  return `${time} ${namespace} ${singular[change.kind]}/${name} ${message}`;
}

const singular: Readonly<Record<MachineKind, string>> = {
  machinedeployments: 'machinedeployment',
  machinesets: 'machineset',
  machines: 'machine',
  machineclasses: 'machineclass',
};

function messageOf({ kind, object, previous, isGone }: ObjectChange): string | undefined {
  if (isGone) return 'is gone';
  const state = stateOf(kind, object);
  if (!previous) return `is there: ${state}`;
  const before = stateOf(kind, previous);
  // The phase alone: what was said before it has been printed.
  const [phase = before] = before.split(': ', 1);
  return before === state ? undefined : `${phase} -> ${state}`;
}

interface AnyStatus {
  status?: {
    currentStatus?: { phase?: string };
    lastOperation?: { description?: string };
    availableReplicas?: number;
    replicas?: number;
    updatedReplicas?: number;
    conditions?: { type: string; reason?: string }[];
  };
  spec?: { replicas?: number };
}

function stateOf(kind: MachineKind, object: KubeObject & AnyStatus): string {
  if (kind === 'machines') return machineState(object);
  return kind === 'machineclasses' ? 'class' : poolState(object);
}

function machineState({ metadata, status = {} }: KubeObject & AnyStatus): string {
  const isGoing = metadata.deletionTimestamp !== undefined;
  const phase = isGoing ? 'Terminating' : status.currentStatus?.phase || 'New';
  const description = status.lastOperation?.description;
  return description === undefined ? phase : `${phase}: ${oneLine(description)}`;
}

function poolState({ status = {}, spec = {} }: AnyStatus): string {
  const { availableReplicas = 0, replicas = 0, conditions = [] } = status;
  const counts = `${availableReplicas} of ${spec.replicas ?? 0} available, ${replicas} present`;
  const progress = conditions.find(({ type }) => type === 'Progressing')?.reason;
  return progress === undefined ? counts : `${counts} (${progress})`;
}
