/** How a Machine may not stay (MCM 4.3, 4.4, 4.7; docs/safety.md, docs/drain.md). */
import { customResource } from '../../../../activities/kube/client/paths.ts';
import type { Install } from '../../world/world.ts';
import { parseGoDuration } from '../durations.ts';
import type { Evidence } from '../evidence.ts';
import { isDeletable, isDeleting, phaseOf } from '../objects.ts';
import type { JudgedCondition, JudgedObject } from '../objects.ts';
import type { Life } from '../past/lives.ts';
import type { Overdue, Passing } from './overdue.ts';

const minuteMs = 60_000;
const creationTimeout = 'node.machine.sapcloud.io/effective-creation-timeout';
const drainUntil = 'millwright.dev/drain-until';
const forceDeletion = 'force-deletion';
/** Of what makes a Node unfit, by default. */
const bad = ['KernelDeadlock', 'ReadonlyFilesystem', 'DiskPressure'];

export const machineStates: readonly Passing[] = [
  { rule: 'a Machine runs when its Node is ready', patienceMs: 6 * minuteMs, find: notRunning },
  { rule: 'a Machine shows that its Node is ill', patienceMs: 6 * minuteMs, find: notUnknown },
  { rule: 'a Machine that does not join fails', patienceMs: 12 * minuteMs, find: notFailed },
  {
    rule: 'a Machine that is deleted goes',
    patienceMs: 12 * minuteMs,
    despite: 'target',
    find: notGone,
  },
  { rule: 'a drain that fails says so', patienceMs: 6 * minuteMs, find: silentDrains },
];

type Say = (machine: JudgedObject) => string | undefined;

function machinesOf(evidence: Evidence, install: Install, say: Say): Overdue[] {
  if (isRefused(evidence, install)) return [];
  return lives(evidence, install).flatMap(({ uid, last }) => {
    const what = say(last);
    if (what === undefined || isRefusedOne(evidence, install, last)) return [];
    return [{ subject: uid, text: `Machine ${last.metadata.name} is "${phaseOf(last)}", ${what}` }];
  });
}

/** An API server takes no writes to Machines, or to Nodes. */
function isRefused({ world: { weather } }: Evidence, { control, target, namespace }: Install) {
  const machines = customResource('machines', namespace);
  const calls = [
    [`PATCH ${machines}/`, control.name],
    ['PATCH /api/v1/nodes/', target.name],
    ['DELETE /api/v1/nodes/', target.name],
  ] as const;
  return calls.some(([call, cluster]) => weather.refusalOf(call, cluster) !== undefined);
}

function isRefusedOne(
  { world }: Evidence,
  { control, namespace }: Install,
  { metadata }: JudgedObject,
) {
  const path = customResource('machines', namespace, metadata.name);
  return world.weather.refusalOf(`PATCH ${path}`, control.name) !== undefined;
}

function lives(evidence: Evidence, install: Install): Life[] {
  return evidence
    .controlOf(install)
    .machines.present()
    .filter(({ last }) => last.metadata.namespace === install.namespace);
}

/** Its Node is the one with its providerID. */
function notRunning(evidence: Evidence, install: Install): Overdue[] {
  return machinesOf(evidence, install, (machine) => {
    const isWaiting =
      ['Pending', 'Unknown'].includes(phaseOf(machine)) || isKeptFailed(evidence, machine);
    if (isDeleting(machine) || !isWaiting || !isAlone(evidence, install, machine)) return undefined;
    const node = nodeOf(evidence, install, machine);
    return node && isFit(node) ? `although its Node ${node.metadata.name} is ready` : undefined;
  });
}

/** One that is preserved recovers with its Node. */
function isKeptFailed({ simulation }: Evidence, machine: JudgedObject): boolean {
  const expiry = machine.status?.currentStatus?.preserveExpiryTime ?? '';
  return phaseOf(machine) === 'Failed' && Date.parse(expiry) > simulation.now;
}

/** Of two that name an instance, neither may be right. */
function isAlone(evidence: Evidence, install: Install, { spec }: JudgedObject): boolean {
  return Array.from(evidence.controlOf(install).naming(spec?.providerID ?? '')).length === 1;
}

function nodeOf(
  evidence: Evidence,
  install: Install,
  { metadata, spec }: JudgedObject,
): JudgedObject | undefined {
  const name = metadata.labels?.['node'];
  if (name === undefined || spec?.providerID === undefined) return undefined;
  const node = evidence.targetOf(install).nodes.named('', name)?.object;
  return node?.spec?.providerID === spec.providerID ? node : undefined;
}

function conditionOf({ status }: JudgedObject, wanted: string): JudgedCondition | undefined {
  return status?.conditions?.find(({ type }) => type === wanted);
}

function isFit(node: JudgedObject): boolean {
  const isBad = bad.some((type) => conditionOf(node, type)?.status === 'True');
  return !isDeleting(node) && !isBad && conditionOf(node, 'Ready')?.status === 'True';
}

function notUnknown(evidence: Evidence, install: Install): Overdue[] {
  return machinesOf(evidence, install, (machine) => {
    const name = machine.metadata.labels?.['node'];
    if (isDeleting(machine) || phaseOf(machine) !== 'Running' || name === undefined)
      return undefined;
    const node = evidence.targetOf(install).nodes.named('', name)?.object;
    if (!node) return `although there is no Node ${name}`;
    const isReady = conditionOf(node, 'Ready')?.status === 'True';
    return isReady ? undefined : `although its Node ${name} is not ready`;
  });
}

/** Of all values of the last minutes the longest counts. */
function notFailed(evidence: Evidence, install: Install): Overdue[] {
  const { simulation, limits } = evidence;
  const limitOf = ({ spec, metadata }: JudgedObject): number =>
    parseGoDuration(metadata.annotations?.[creationTimeout]) ??
    parseGoDuration(spec?.creationTimeout) ??
    limits.creationMs;
  return machinesOf(evidence, install, (machine) => {
    const isJoining = ['', 'Pending', 'CrashLoopBackOff'].includes(phaseOf(machine));
    const ageMs = simulation.now - Date.parse(machine.metadata.creationTimestamp);
    if (isDeleting(machine) || !isJoining || ageMs < limitOf(machine)) return undefined;
    return `although the ${limitOf(machine) / 1_000} s of its creation are over`;
  });
}

/** After the time for its drain, unless the cloud cannot be asked for want of a class. */
function notGone(evidence: Evidence, install: Install): Overdue[] {
  const { simulation, limits } = evidence;
  return machinesOf(evidence, install, (machine) => {
    const { metadata, spec = {} } = machine;
    if (!isDeletable(machine) || metadata.annotations?.[drainUntil] !== undefined) return undefined;
    if (!hasClass(evidence, install, machine)) return undefined;
    const isForced = metadata.labels?.[forceDeletion] === 'True';
    const timeoutMs = isForced ? 0 : (parseGoDuration(spec.drainTimeout) ?? limits.drainMs);
    const deletedAt = Date.parse(metadata.deletionTimestamp ?? '');
    const agoMs = simulation.now - deletedAt - pausedMs(evidence, install, deletedAt);
    if (agoMs < timeoutMs || !evidence.instances.isLiving(spec.providerID ?? '')) return undefined;
    return `and its instance ${spec.providerID} is there, after ${timeoutMs / 1_000} s for its drain`;
  });
}

/** The time of a pause is added, unless only the target cluster was away (docs/safety.md). */
function pausedMs(evidence: Evidence, install: Install, from: number): number {
  const { isStopped, isLeaderless, isControlAway } = evidence.authorityOf(install);
  const { now } = evidence.simulation;
  const traces = [isStopped, isLeaderless, isControlAway];
  return traces.reduce((sum, trace) => sum + trace.lengthSince(from, now), 0);
}

/** As with MCM, `lastOperation` is Failed while the Node cannot be closed. */
function silentDrains(evidence: Evidence, install: Install): Overdue[] {
  const { nodes } = evidence.targetOf(install);
  return evidence
    .controlOf(install)
    .machines.present()
    .filter(({ last }) => last.metadata.namespace === install.namespace)
    .flatMap(({ uid, last: machine }) => {
      const { metadata, spec = {}, status } = machine;
      const node = nodes.named('', metadata.labels?.['node'] ?? '')?.object;
      const isOwn =
        node?.spec?.providerID === spec.providerID && isAlone(evidence, install, machine);
      const isOpen = node && isOwn && node.spec?.unschedulable !== true && !isDeleting(node);
      const isSkipped = metadata.annotations?.['millwright.dev/skip-drain'] !== undefined;
      if (!isDeletable(machine) || !isOpen || isSkipped) return [];
      if (!evidence.instances.isLiving(spec.providerID ?? '')) return [];
      if (status?.lastOperation?.state === 'Failed') return [];
      if (isRefusedOne(evidence, install, machine)) return [];
      const text = `Machine ${metadata.name} is deleted, its Node is open, and it says: ${status?.lastOperation?.description}`;
      return [{ subject: uid, text }];
    });
}

function hasClass(
  evidence: Evidence,
  { control, namespace }: Install,
  machine: JudgedObject,
): boolean {
  const name = machine.spec?.class?.name ?? '';
  const found = evidence.pastOf(control).classes.named(namespace, name)?.object;
  return (
    found !== undefined &&
    control.server.has(`/api/v1/namespaces/${namespace}/secrets/${found.secretRef?.name}`)
  );
}
