/**
 * The checks of `checks.ts` as Temporal Schedules, and that of the rounds, which each worker makes
 * and keeps up to date.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type {
  Client,
  ScheduleDescription,
  ScheduleHandle,
  ScheduleOptions,
  ScheduleUpdateOptions,
} from '@temporalio/client';
import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
} from '@temporalio/client';
import { plainMemo } from '../../workflows/contracts/plain-memo.ts';
import { beforeMachines } from '../../workflows/contracts/priorities.ts';
import { memoOf } from '../../workflows/contracts/run-memo.ts';
import { scheduleIdOf } from '../../workflows/contracts/workflow-ids.ts';
import { keys } from '../../workflows/contracts/search-attributes.ts';
import type { Check, CheckSettings } from './checks.ts';
import { checkNames, checksOf, roundSecondsOf, roundsName } from './checks.ts';
import type { Logger } from '../log/logger.ts';

/** The SDK passes it on (1.24.0), and leaves it out of the type of an action. */
const priority: object = { priority: beforeMachines };

/** A run takes seconds; one that hangs must not keep the next ones from starting for ever. */
const runTimeoutMs = 10 * 60_000;
const shortestCatchupMs = 10_000;

/** When a worker starts: its flags count. */
export async function ensureSchedules(
  client: Client,
  settings: CheckSettings,
  log: Logger,
): Promise<void> {
  const install = { client, settings, log };
  await onEach(install, async ({ isOff }, wanted) =>
    isOff
      ? await remove(client.schedule.getHandle(wanted.scheduleId))
      : await ensure(client, wanted),
  );
  await removeFormer(install);
}

/**
 * Later on. Another worker may have started since with other flags, and both may run for long, as
 * in an upgrade that does not go on: this one must not bring back deletions that the other forbade,
 * nor any other flag, nor take away the search that the other has made.
 */
export async function refreshSchedules(
  client: Client,
  settings: CheckSettings,
  log: Logger,
): Promise<void> {
  const install = { client, settings, log };
  await onEach(install, async (check, wanted) =>
    check.isOff ? 'unchanged' : await refresh(install, check, wanted),
  );
  await removeFormer(install);
}

export type RoundSettings = Omit<CheckSettings, 'namespace'>;

/** The one Schedule of the install that starts runs by itself, when a worker starts. */
export async function ensureRounds(
  client: Client,
  settings: RoundSettings,
  log: Logger,
): Promise<void> {
  const wanted = roundScheduleOf(settings);
  logDone(log, wanted, await ensure(client, wanted));
}

/** Later on: which interval it has is up to the worker that started last, and to people since. */
export async function refreshRounds(
  client: Client,
  settings: RoundSettings,
  log: Logger,
): Promise<void> {
  const wanted = roundScheduleOf(settings);
  const handle = client.schedule.getHandle(wanted.scheduleId);
  const present = await orUnknown(handle.describe());
  logDone(log, wanted, present ? await resume(handle, present) : await create(client, wanted));
}

interface ScheduleOwner {
  client: Client;
  settings: CheckSettings;
  log: Logger;
}

type Done = 'created' | 'changed' | 'resumed' | 'removed' | 'unchanged';

/** One that cannot be read, as its key is gone, must not hold up the others. Throws the first. */
async function onEach(
  { settings, log }: ScheduleOwner,
  apply: (check: Check, wanted: ScheduleOptions) => Promise<Done>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const check of checksOf(settings)) {
    const wanted = scheduleOf(check, settings);
    try {
      logDone(log, wanted, await apply(check, wanted));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

function logDone(log: Logger, { scheduleId }: ScheduleOptions, done: Done): void {
  if (done !== 'unchanged') log.info({ scheduleId }, `schedule ${done}`);
}

/**
 * An install that becomes a fleet, or was one, has its Schedules by other ids. Those of before
 * would go on beside them, with flags of then: its workers ask the same queue. A worker that ends
 * makes them again until then.
 */
async function removeFormer(install: ScheduleOwner): Promise<void> {
  // Never switched off, and the last to go: without it there are no others.
  const isThere = await formerOf(install, 'lost-workflows');
  if (!isThere) return;
  const others = checkNames.filter((name) => name !== 'lost-workflows');
  for (const name of [...others, 'lost-workflows'] as const) {
    const former = await formerOf(install, name);
    if (former) await replaceBy(ownHandle(install, name), former, install);
  }
}

interface Former {
  handle: ScheduleHandle;
  description: ScheduleDescription;
}

async function formerOf(
  { client, settings: { namespace, identity } }: ScheduleOwner,
  check: Check['name'],
): Promise<Former | undefined> {
  const { fleetNamespace, ...alone } = identity;
  const former = fleetNamespace === undefined ? { ...alone, fleetNamespace: namespace } : alone;
  const handle = client.schedule.getHandle(scheduleIdOf(check, former));
  const description = await orUnknown(handle.describe());
  const { namespace: its, cluster }: OfCheck = Object(description?.action.args?.[0]);
  const isOurs = its === namespace && cluster === identity.cluster;
  return description && isOurs ? { handle, description } : undefined;
}

interface OfCheck {
  namespace?: unknown;
  cluster?: unknown;
}

function ownHandle({ client, settings }: ScheduleOwner, check: Check['name']): ScheduleHandle {
  return client.schedule.getHandle(scheduleIdOf(check, settings.identity));
}

/** A pause by a person goes over. */
async function replaceBy(
  own: ScheduleHandle,
  { handle, description }: Former,
  { log }: ScheduleOwner,
): Promise<void> {
  const { paused, note } = description.state;
  if (paused && !isPausedByFailure(description) && (await orUnknown(own.describe())))
    await own.pause(note);
  if ((await remove(handle)) === 'removed')
    log.info({ scheduleId: handle.scheduleId, by: own.scheduleId }, 'schedule replaced');
}

async function remove(handle: ScheduleHandle): Promise<Done> {
  try {
    await handle.delete();
    return 'removed';
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return 'unchanged';
    throw error;
  }
}

async function refresh(
  install: ScheduleOwner,
  check: Check,
  wanted: ScheduleOptions,
): Promise<Done> {
  const { client } = install;
  const handle = client.schedule.getHandle(wanted.scheduleId);
  const present = await orUnknown(handle.describe());
  if (!present)
    return (await isTakenAway(install, check)) ? 'unchanged' : await ensure(client, wanted);
  // What a run is to do is up to the worker that started last.
  const hasOurs = isDeepStrictEqual(present.action.args, wanted.action.args);
  return hasOurs ? await ensure(client, wanted) : await resume(handle, present);
}

async function resume(handle: ScheduleHandle, present: ScheduleDescription): Promise<Done> {
  if (!isPausedByFailure(present)) return 'unchanged';
  await handle.unpause(resumedNote);
  return 'resumed';
}

/**
 * A search for orphans that is missing was taken away, by a worker with `--safety-orphans=off` or a
 * person. A Temporal that lost its data has none of the other Schedules either.
 */
async function isTakenAway({ client, settings }: ScheduleOwner, { name }: Check): Promise<boolean> {
  if (name !== 'orphans') return false;
  const other = scheduleIdOf('lost-workflows', settings.identity);
  return (await orUnknown(client.schedule.getHandle(other).describe())) !== undefined;
}

/** Another worker may do the same at the same time. */
async function ensure(client: Client, wanted: ScheduleOptions): Promise<Done> {
  const handle = client.schedule.getHandle(wanted.scheduleId);
  const present = await orUnknown(handle.describe());
  if (!present) return await create(client, wanted);
  const isChanged = !isDeepStrictEqual(decidedIn(present), decidedIn(wanted));
  const isResumed = isPausedByFailure(present);
  if (!isChanged && !isResumed) return 'unchanged';
  await handle.update((found) => updateOf(found, withPlainMemos(wanted)));
  return isResumed ? 'resumed' : 'changed';
}

async function orUnknown(
  description: Promise<ScheduleDescription>,
): Promise<ScheduleDescription | undefined> {
  try {
    return await description;
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return undefined;
    throw error;
  }
}

async function create(client: Client, wanted: ScheduleOptions): Promise<Done> {
  try {
    await client.schedule.create(withPlainMemos(wanted));
    return 'created';
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    return 'unchanged';
  }
}

/**
 * Rounds and people start the runs of a check. Temporal deletes a Schedule that has no time to come
 * after a week, and with it the last report; each run of its own costs some four actions.
 */
const ownSeconds = 365 * 86_400;

export function scheduleOf(check: Check, settings: CheckSettings): ScheduleOptions {
  const { namespace, identity } = settings;
  const scheduleId = scheduleIdOf(check.name, identity);
  const input = { ...check.input, namespace };
  const times = { everySeconds: ownSeconds, offsetSeconds: offsetOf(scheduleId, ownSeconds) };
  return optionsOf({ ...check, scheduleId, input, ...times, namespace }, settings);
}

export function roundScheduleOf(settings: RoundSettings): ScheduleOptions {
  const { fleetNamespace: _all, ...install } = settings.identity;
  const scheduleId = scheduleIdOf(roundsName, install);
  const everySeconds = roundSecondsOf(settings);
  const times = { everySeconds, offsetSeconds: offsetOf(scheduleId, everySeconds) };
  const about = {
    workflow: 'safety',
    summary: `Safety checks of install ${install.name}`,
    details:
      'Finds out in all namespaces of the install which checks have something to do, and starts their runs by their own Schedules. A run that is started by hand checks everything. docs/safety.md',
  };
  return optionsOf({ ...about, scheduleId, input: times, ...times }, settings);
}

interface Scheduled extends Pick<Check, 'workflow' | 'input' | 'summary' | 'details'> {
  scheduleId: string;
  everySeconds: number;
  offsetSeconds: number;
  /** Its search attribute. Undefined: it is for all of the install. */
  namespace?: string;
}

function optionsOf(scheduled: Scheduled, settings: RoundSettings): ScheduleOptions {
  const { workflow, scheduleId, namespace, input, summary, details } = scheduled;
  const { cluster, taskQueue } = settings.identity;
  const typedSearchAttributes = [
    { key: keys.KubeCluster, value: cluster },
    ...(namespace === undefined ? [] : [{ key: keys.KubeNamespace, value: namespace }]),
  ];
  const everyMs = scheduled.everySeconds * 1_000;
  return {
    scheduleId,
    spec: { intervals: [{ every: everyMs, offset: scheduled.offsetSeconds * 1_000 }] },
    action: {
      type: 'startWorkflow',
      workflowType: workflow,
      // Temporal adds the time.
      workflowId: scheduleId,
      taskQueue,
      // The cluster stands in the input of every workflow.
      args: [{ ...input, cluster }],
      workflowExecutionTimeout: runTimeoutMs,
      workflowTaskTimeout: settings.timeouts.workflowTaskSeconds * 1_000,
      memo: { ...memoOf(settings.timeouts), ...keyNoteOf(settings) },
      ...priority,
      staticSummary: summary,
      staticDetails: details,
      typedSearchAttributes,
    },
    policies: {
      overlap: ScheduleOverlapPolicy.SKIP,
      // Runs that an outage kept from running are run once, if at all: the next run sees as much.
      catchupWindow: Math.max(everyMs, shortestCatchupMs),
      // Of an install that sleeps, with no process at all, one run times out and no other starts.
      pauseOnFailure: true,
    },
    memo: { summary },
    typedSearchAttributes,
  };
}

/**
 * What the input is encrypted with. A Schedule is described with its input decrypted: it would be
 * left as it is under a new key, and end with the old one, for which no run has any use by then.
 */
function keyNoteOf({ temporal }: RoundSettings): { payloadKey?: string } {
  const [key] = temporal.payloadKeys ?? [];
  return key ? { payloadKey: key.id } : {};
}

/** Memos are not encrypted, as those of runs: clients with other keys read them (`plainMemo`). */
function withPlainMemos({ action, memo = {}, ...options }: ScheduleOptions): ScheduleOptions {
  return {
    ...options,
    action: { ...action, memo: plainMemo(action.memo ?? {}) },
    memo: plainMemo(memo),
  };
}

/** Whole seconds. Installs that share a Temporal server do not all run on the full hour. */
function offsetOf(scheduleId: string, everySeconds: number): number {
  const seed = createHash('sha256').update(scheduleId).digest().readUInt32BE();
  return seed % Math.max(Math.floor(everySeconds), 1);
}

/** Fields of a schedule that a worker decides. */
function decidedIn({ spec, action, policies }: ScheduleOptions | ScheduleDescription): object {
  const { workflowType, workflowId, taskQueue, args, memo } = action;
  const { workflowExecutionTimeout, workflowTaskTimeout } = action;
  return {
    intervals: spec.intervals?.map(({ every, offset }) => ({ every, offset })),
    workflowType,
    workflowId,
    taskQueue,
    args,
    memo,
    workflowTaskTimeout,
    workflowExecutionTimeout,
    summary: action.staticSummary,
    details: action.staticDetails,
    overlap: policies?.overlap,
    catchupWindow: policies?.catchupWindow,
    pauseOnFailure: policies?.pauseOnFailure,
  };
}

const resumedNote = 'resumed by a worker';

/** In the words of both schedulers of Temporal server 1.32. */
const failureNote = /^paused(,| due to) workflow /;

/** No person paused it: a run failed, or found no worker. This process is one. */
function isPausedByFailure({ state }: ScheduleDescription): boolean {
  return state.paused && failureNote.test(state.note ?? '');
}

/** Whether a person paused it, why, and how many runs are left is not ours to say. */
function updateOf(
  present: ScheduleDescription,
  { spec, action, policies }: ScheduleOptions,
): ScheduleUpdateOptions {
  const resumed = isPausedByFailure(present) && { paused: false, note: resumedNote };
  const state = { ...present.state, ...resumed };
  return { spec, action, ...(policies && { policies }), state };
}
