/** What a machine costs on Temporal Cloud. The numbers stand in docs/temporal.md. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pollSeconds } from '../../activities/drivers/wait.ts';
import { repository } from '../../deploy/local/layout.ts';
import { sumOf } from './actions.ts';
import {
  createBudget,
  deleteBudget,
  LivePods,
  readyOf,
  startPods,
  untilBlocked,
  untilCounted,
} from './drains.ts';
import { measure, measureDown, measureUp, untilQuiet } from './measure.ts';
import type { Bench, Part, Parts } from './measure.ts';
import { scaleAndWatch } from './pool.ts';
import { measureRollOnly } from './roll.ts';

const drainSeconds = 60;
/** A blocked drain tries again within two minutes, and an install at rest checks each minute. */
const waitSeconds = 600;

/** The names are those that `tableOf` looks for. */
export async function* measureActions(bench: Bench, machines: number, limit: number): Parts {
  yield await measureUp(bench, machines);
  await untilQuiet(bench);
  yield await measureRollOnly(bench, machines, limit);
  await untilQuiet(bench);
  yield await measureDown(bench, machines);
  await untilQuiet(bench);
  yield await measureLeaving(bench, machines);
  await untilQuiet(bench);
  yield await measureBlocked(bench, machines);
  await untilQuiet(bench);
  yield await measureWait(bench, { name: 'idle', machines: 1 });
}

/** Each machine has a pod that takes a minute to stop. */
async function measureLeaving(bench: Bench, machines: number): Promise<Part> {
  const annotations = { 'local.millwright.dev/delete-delay': `${drainSeconds}s` };
  // One that takes longer than its grace is reported as what holds the drain up.
  const graceSeconds = 2 * drainSeconds;
  await scaleAndWatch(bench.kube, machines);
  await startRunning(bench, machines, { annotations, graceSeconds });
  await untilQuiet(bench);
  return { ...(await measureDown(bench, machines)), name: 'down, a minute of drain' };
}

async function measureBlocked(bench: Bench, machines: number): Promise<Part> {
  const { kube, stack } = bench;
  await scaleAndWatch(kube, machines);
  await startRunning(bench, machines);
  await createBudget(kube, machines);
  await untilCounted(kube, machines);
  const gone = scaleAndWatch(kube, 0);
  await untilBlocked(stack, machines);
  await untilQuiet(bench);
  const part = await measureWait(bench, { name: 'blocked', machines });
  await deleteBudget(kube);
  await gone;
  return part;
}

function measureWait(bench: Bench, what: Parameters<typeof measure>[1]): Promise<Part> {
  return measure(bench, what, async () => {
    await sleep(waitSeconds * 1_000);
    return { milliseconds: waitSeconds * 1_000, waits: [] };
  });
}

async function startRunning(
  { kube }: Bench,
  machines: number,
  options: Parameters<typeof startPods>[2] = {},
): Promise<void> {
  await startPods(kube, 1, options);
  await using pods = new LivePods(kube);
  await pods.until(`${machines} pods run`, (states) => readyOf(states) === machines);
}

/** For docs/temporal.md. */
export function tableOf(parts: readonly Part[]): string {
  const of = (name: string): number => {
    const part = parts.find((one) => one.name === name);
    if (!part) throw new Error(`no part "${name}" was measured`);
    return sumOf(part.actions) / part.machines;
  };
  const drain = of('down, a minute of drain') - of('down');
  const cloud = (2 * 60) / pollSeconds.aws;
  const rows = [
    ['a machine that is made, with its share of set and deployment', of('up')],
    ['a machine that is deleted, likewise', of('down')],
    ['a machine that is replaced in a rollout, likewise', of('roll')],
    ['each minute in which its pods leave', drain],
    [`each minute in which its cloud works: a timer and a look every ${pollSeconds.aws} s`, cloud],
    ['replaced, with a minute of drain and a minute of cloud', of('roll') + drain + cloud],
    ['an hour of a drain that a budget blocks', (of('blocked') * 3_600) / waitSeconds],
    ['a day of an install at rest', (of('idle') * 86_400) / waitSeconds],
  ] as const;
  return [
    '| what | actions |',
    '| --- | ---: |',
    ...rows.map(([what, actions]) => `| ${what} | ${Math.round(actions)} |`),
  ].join('\n');
}

const page = join(repository, 'docs/temporal.md');
const section = /(<!-- actions -->\n)[^]*?(<!-- end of actions -->)/;

export async function writeTable(table: string): Promise<void> {
  const before = await readFile(page, 'utf8');
  if (!section.test(before)) throw new Error(`${page} has no section "actions"`);
  await writeFile(page, before.replace(section, `$1\n${table}\n\n$2`));
}
