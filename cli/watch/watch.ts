import { createLogUpdate } from 'log-update';
import { reasonOf } from '../../workers/log/reason.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { lineOf } from './changes.ts';
import type { ClusterOptions, InstallScope } from '../command-line/options.ts';
import { LiveInstall } from './live-install.ts';
import type { ObjectChange } from './live-install.ts';
import { screenOf } from './screen.ts';

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
    // What is there at the beginning is no change.
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
