/** Whether a deletion gets on (MCM 4.7; docs/drain.md, docs/safety.md). */
import type { Install } from '../../../world/world.ts';
import { parseGoDuration } from '../../durations.ts';
import type { Evidence } from '../../evidence.ts';
import { isDeletable, isDeleting } from '../../objects.ts';
import type { JudgedObject } from '../../objects.ts';
import { heldUntil, isHookedBeforeDrain } from '../../rules/hook-rules.ts';
import { faultyMachines, isAlone, nodeOf, silentMachines } from './machines.ts';
import type { Overdue, Passing } from './passing.ts';
import { minuteMs } from './passing.ts';

const drainUntil = 'millwright.dev/drain-until';
const skipDrain = 'millwright.dev/skip-drain';
const forceDeletion = 'force-deletion';
/** The only one that has a driver here. */
const servedProvider = 'virtual';

export const deletionStates: readonly Passing[] = [
  {
    rule: 'a Machine that is deleted goes',
    patienceMs: 8 * minuteMs,
    despite: 'target',
    find: notGone,
  },
  { rule: 'a drain that fails says so', patienceMs: 6 * minuteMs, find: silentDrains },
];

/** After the time for its drain. */
function notGone(evidence: Evidence, install: Install): Overdue[] {
  return faultyMachines(evidence, install, (machine) => {
    if (!isTornDown(evidence, machine) || !canAskCloud(evidence, install, machine)) {
      return undefined;
    }
    const { metadata, spec = {} } = machine;
    const deletedAt = Date.parse(metadata.deletionTimestamp ?? '');
    // A restored Lease was renewed long ago, so all the time since then is a pause.
    const { restoredAt = -Infinity } = evidence.controlOf(install);
    const life = evidence.controlOf(install).machines.of(metadata.uid);
    const begun = Math.max(deletedAt, restoredAt);
    const from = life ? heldUntil(life, begun, evidence.simulation.now) : begun;
    const passedMs = evidence.simulation.now - from - pausedMs(evidence, install, from);
    const timeoutMs = drainTimeoutOf(evidence, machine);
    if (timeoutMs === undefined || passedMs < timeoutMs) return undefined;
    return `and its instance ${spec.providerID} is there, after ${timeoutMs / 1_000} s for its drain`;
  });
}

export function isTornDown({ instances }: Evidence, machine: JudgedObject): boolean {
  return isDeletable(machine) && instances.isLiving(machine.spec?.providerID ?? '');
}

/** Undefined: a user has given it another end. */
function drainTimeoutOf({ limits }: Evidence, { metadata, spec }: JudgedObject) {
  if (metadata.annotations?.[drainUntil] !== undefined) return undefined;
  if (metadata.labels?.[forceDeletion] === 'True') return 0;
  return parseGoDuration(spec?.drainTimeout) ?? limits.drainMs;
}

/** A pause for want of a leader begins with the last renewal, and is seen when its Lease ends. */
const leaseMs = 15_000;

/**
 * The time of a pause is added, unless only the target cluster was away. A worker that begins
 * without that cluster waits for it, so then there may be none for long (docs/safety.md, pauses).
 */
export function pausedMs(evidence: Evidence, install: Install, from: number): number {
  const { isStopped, isLeaderless, isControlAway, isWatcherCut, isWorkerless } =
    evidence.authorityOf(install);
  const { now } = evidence.simulation;
  const traces = [isStopped, isLeaderless, isControlAway, isWatcherCut, isWorkerless];
  const seenMs = traces.reduce((sum, trace) => sum + trace.lengthSince(from, now), 0);
  return seenMs + isLeaderless.timesSince(from) * leaseMs;
}

/**
 * Without a class, and without its Secret, it cannot be asked; nor while it names a driver that is
 * not there, or a Secret of another namespace, which is never read (docs/safety.md).
 */
export function canAskCloud(
  evidence: Evidence,
  { control, namespace }: Install,
  { spec }: JudgedObject,
): boolean {
  if (evidence.cloud.refusesAll) return false;
  const { classes } = evidence.pastOf(control);
  const found = classes.named(namespace, spec?.class?.name ?? '')?.object;
  return found !== undefined && isUsable(found, { control, namespace });
}

/** It names a driver that is there, and Secrets that are there and may be read. */
export function isUsable(
  { provider, secretRef, credentialsSecretRef }: JudgedObject,
  { control, namespace }: Pick<Install, 'control' | 'namespace'>,
): boolean {
  const refs = [secretRef, ...(credentialsSecretRef ? [credentialsSecretRef] : [])];
  const isThere = (ref: (typeof refs)[number]): boolean =>
    (ref?.namespace ?? namespace) === namespace &&
    control.server.has(`/api/v1/namespaces/${namespace}/secrets/${ref?.name}`);
  return provider === servedProvider && refs.every(isThere);
}

/** As with MCM, `lastOperation` is Failed while the Node cannot be closed, e.g. by a webhook. */
function silentDrains(evidence: Evidence, install: Install): Overdue[] {
  return silentMachines(evidence, install, (machine) => {
    const { metadata, status = {} } = machine;
    const isSkipped = metadata.annotations?.[skipDrain] !== undefined;
    if (isSkipped || isHookedBeforeDrain(machine) || !isTornDown(evidence, machine))
      return undefined;
    const { state, description } = status.lastOperation ?? {};
    if (state === 'Failed' || !hasOpenNode(evidence, install, machine)) return undefined;
    return `its Node is open, and it says: ${description}`;
  });
}

function hasOpenNode(evidence: Evidence, install: Install, machine: JudgedObject): boolean {
  const node = nodeOf(evidence, install, machine);
  if (!node || isDeleting(node) || !isAlone(evidence, install, machine)) return false;
  return node.spec?.unschedulable !== true;
}
