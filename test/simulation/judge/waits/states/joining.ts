/** Whether a Machine is what its Node is (MCM 4.3, 4.4). */
import type { Install } from '../../../world/world.ts';
import { parseGoDuration } from '../../durations.ts';
import type { Evidence } from '../../evidence.ts';
import { conditionOf, isDeleting, isReady, phaseOf } from '../../objects.ts';
import type { JudgedObject } from '../../objects.ts';
import { faultyMachines, isAlone, nodeOf } from './machines.ts';
import type { Overdue, Passing } from './passing.ts';
import { minuteMs } from './passing.ts';
import { isNodeGuarded } from './refusals.ts';

const creationTimeout = 'node.machine.sapcloud.io/effective-creation-timeout';
/** Of what makes a Node unfit, by default or by `nodeConditions`. */
const unfit = ['KernelDeadlock', 'ReadonlyFilesystem', 'DiskPressure'];

export const joiningStates: readonly Passing[] = [
  { rule: 'a Machine runs when its Node is ready', patienceMs: 6 * minuteMs, find: notRunning },
  { rule: 'a Machine shows that its Node is ill', patienceMs: 6 * minuteMs, find: notUnknown },
  { rule: 'a Machine that does not join fails', patienceMs: 12 * minuteMs, find: notFailed },
];

function notRunning(evidence: Evidence, install: Install): Overdue[] {
  return faultyMachines(evidence, install, (machine) => {
    if (isDeleting(machine) || !isToRun(evidence, machine)) return undefined;
    const node = nodeOf(evidence, install, machine);
    if (!node || !isFit(node) || !isAlone(evidence, install, machine)) return undefined;
    if (isNodeGuarded(evidence, install, node)) return undefined;
    return `although its Node ${node.metadata.name} is ready`;
  });
}

/** One that has failed and is preserved recovers with its Node. */
function isToRun({ simulation }: Evidence, machine: JudgedObject): boolean {
  const phase = phaseOf(machine);
  const expiry = Date.parse(machine.status?.currentStatus?.preserveExpiryTime ?? '');
  const isPreserved = phase === 'Failed' && expiry > simulation.now;
  return isPreserved || ['Pending', 'Unknown'].includes(phase);
}

function isFit(node: JudgedObject): boolean {
  const isBad = unfit.some((type) => conditionOf(node, type)?.status === 'True');
  return !isDeleting(node) && !isBad && isReady(node);
}

function notUnknown(evidence: Evidence, install: Install): Overdue[] {
  const { nodes } = evidence.targetOf(install);
  return faultyMachines(evidence, install, (machine) => {
    const name = machine.metadata.labels?.['node'];
    if (isDeleting(machine) || phaseOf(machine) !== 'Running' || name === undefined)
      return undefined;
    const node = nodes.named('', name)?.object;
    if (!node)
      return hasNode(evidence, install, machine) ? undefined : `although there is no Node ${name}`;
    return isIll(node, machine) ? `although its Node ${name} is ill` : undefined;
  });
}

/**
 * A run knows the Node that its instance joined by, and goes by that one when a user has made the
 * label name another.
 */
function hasNode(evidence: Evidence, install: Install, { spec }: JudgedObject): boolean {
  const nodes = evidence.targetOf(install).nodes.present();
  return nodes.some(({ last }) => last.spec?.providerID === spec?.providerID);
}

/**
 * A label that names the Node of another is a mistake of a user, who soon finds out. With a Node
 * that is being deleted the Machine goes, however long a policy refuses that.
 */
function isIll(node: JudgedObject, machine: JudgedObject): boolean {
  const isOwn = node.spec?.providerID === machine.spec?.providerID;
  const isLocked = conditionOf(node, 'KernelDeadlock')?.status === 'True';
  return isOwn && (!isReady(node) || isLocked) && !isDeleting(node);
}

function notFailed(evidence: Evidence, install: Install): Overdue[] {
  const { simulation, limits } = evidence;
  return faultyMachines(evidence, install, (machine) => {
    const isJoining = ['', 'Pending', 'CrashLoopBackOff'].includes(phaseOf(machine));
    const limitMs = creationLimitOf(machine) ?? limits.creationMs;
    const ageMs = simulation.now - Date.parse(machine.metadata.creationTimestamp);
    if (isDeleting(machine) || !isJoining || ageMs < limitMs) return undefined;
    const node = nodeOf(evidence, install, machine);
    if (node && isReady(node) && isNodeGuarded(evidence, install, node)) return undefined;
    return `although the ${limitMs / 1_000} s of its creation are over`;
  });
}

function creationLimitOf({ metadata, spec }: JudgedObject): number | undefined {
  const annotated = parseGoDuration(metadata.annotations?.[creationTimeout]);
  return annotated ?? parseGoDuration(spec?.creationTimeout);
}
