/** Whether updates in place get on, and leave Nodes as they were (MCM 7.9; docs/decisions/0059). */
import type { Install } from '../../../world/world.ts';
import { parseGoDuration } from '../../durations.ts';
import type { Evidence } from '../../evidence.ts';
import {
  candidateLabel,
  isInPlace,
  isSelected,
  isUnderWay,
  nodeLifeOf,
  reasonOf,
  resultLabel,
  resultOf,
} from '../../in-place.ts';
import { isClosed, isDeleting, isReady, ownerOf, phaseOf } from '../../objects.ts';
import type { JudgedObject } from '../../objects.ts';
import type { ClusterPast } from '../../past/cluster-past.ts';
import type { Life } from '../../past/lives.ts';
import { isCordonOfOurs } from '../../rules/drain-rules.ts';
import { isOfTemplate } from '../../templates.ts';
import { pausedMs } from './deletion.ts';
import { faultyMachines, isAlone } from './machines.ts';
import { isFrozen } from './owned.ts';
import type { Overdue, Passing } from './passing.ts';
import { minuteMs } from './passing.ts';
import { isNodeGuarded, isRefused } from './refusals.ts';

export const inPlaceStates: readonly Passing[] = [
  { rule: 'an update in place gets on', patienceMs: 8 * minuteMs, find: standing },
  { rule: 'a Node is open again after its update', patienceMs: 8 * minuteMs, find: keptShut },
];

interface Update {
  machine: JudgedObject;
  node: JudgedObject;
  /** Undefined: its set has none, or it is being deleted. */
  deployment: JudgedObject | undefined;
  /** Its set. */
  set: JudgedObject | undefined;
  /** Milliseconds for which it has had this phase, without pauses. */
  phaseMs: number;
}

/** Each says what has not happened; undefined: nothing is missing. */
const steps: readonly ((update: Update) => string | undefined)[] = [
  ({ machine, node }) => {
    const isFirst = ['', 'CandidateForUpdate'].includes(reasonOf(node));
    const isAsked = node.metadata.labels?.[candidateLabel] === 'true' && isSelected(node);
    const isNew = isFirst && isAsked && resultOf(node) === undefined;
    return isNew && phaseOf(machine) === 'Running' ? 'is selected, and nothing begins' : undefined;
  },
  ({ node }) =>
    reasonOf(node) === 'DrainSuccessful' ? 'is drained, and the agent is not asked' : undefined,
  ({ node }) =>
    reasonOf(node) === 'ReadyForUpdate' && resultOf(node) !== undefined
      ? `has the result "${resultOf(node)}", which is not heard`
      : undefined,
  ({ machine, phaseMs }) => {
    const { inPlaceUpdateTimeout } = machine.spec ?? {};
    const limitMs = parseGoDuration(inPlaceUpdateTimeout) ?? 20 * minuteMs;
    const isOver = phaseOf(machine) === 'InPlaceUpdating' && phaseMs > limitMs;
    return isOver ? 'has had its time to be updated' : undefined;
  },
  ({ machine, node }) =>
    phaseOf(machine) === 'InPlaceUpdateSuccessful' && isReady(node)
      ? 'is updated and ready'
      : undefined,
  (update) => {
    const { node, set, deployment } = update;
    const isUpdated = reasonOf(node) === 'UpdateSuccessful' && resultOf(node) === 'successful';
    if (!isUpdated || !set || !deployment || isOfTemplate(set, deployment)) return undefined;
    return mayMove(update)
      ? `is updated, and its Machine stays in ${set.metadata.name}`
      : undefined;
  },
  ({ machine, set, deployment }) => {
    const isMoved = machine.metadata.labels?.[resultLabel] !== undefined;
    const isThere = set && deployment && isOfTemplate(set, deployment) && !isClosed(set);
    return isMoved && isThere ? 'has moved, and bears the marks of its update' : undefined;
  },
];

function mayMove({ machine, deployment, set }: Update): boolean {
  const isWide = Object.keys(deployment?.spec?.selector?.matchLabels ?? {}).length === 0;
  const isBusy = ['InPlaceUpdating', 'Failed', 'Terminating'].includes(phaseOf(machine));
  return !isWide && !isBusy && set !== undefined && !isFrozen(set);
}

function standing(evidence: Evidence, install: Install): Overdue[] {
  const control = evidence.controlOf(install);
  const isHindered = isRefused(
    evidence,
    install,
    ['POST', 'machinesets'],
    ['PATCH', 'machinesets'],
    ['PATCH', 'machinedeployments'],
  );
  return faultyMachines(evidence, install, (machine) => {
    const node = nodeLifeOf(evidence.targetOf(install), machine)?.object;
    if (!node || isDeleting(machine) || isDeleting(node)) return undefined;
    if (isNodeGuarded(evidence, install, node) || !isAlone(evidence, install, machine)) {
      return undefined;
    }
    const set = control.sets.of(ownerOf(machine))?.object;
    const deployment = isHindered ? undefined : deploymentOf(control, set);
    const phaseMs = phaseMsOf(evidence, install, machine);
    const update = { machine, node, set, deployment, phaseMs };
    const missing = steps.map((step) => step(update)).find((text) => text !== undefined);
    return missing === undefined ? undefined : `and Node ${node.metadata.name} ${missing}`;
  });
}

function phaseMsOf(evidence: Evidence, install: Install, { status }: JudgedObject): number {
  const since = Date.parse(status?.currentStatus?.lastUpdateTime ?? '');
  // A restored Lease was renewed long ago, so all the time since then is a pause.
  const from = Math.max(since, evidence.controlOf(install).restoredAt ?? -Infinity);
  return evidence.simulation.now - from - pausedMs(evidence, install, from);
}

/** That is updated in place, and has all its sets. */
function deploymentOf(
  { deployments, sets }: ClusterPast,
  set: JudgedObject | undefined,
): JudgedObject | undefined {
  const deployment = set && deployments.of(ownerOf(set))?.object;
  if (!deployment || isDeleting(deployment) || !isInPlace(deployment)) return undefined;
  const own = Array.from(sets.ownedBy(deployment.metadata.uid));
  return own.some(({ last }) => isFrozen(last) || isDeleting(last)) ? undefined : deployment;
}

/** By us, of a Machine that stays, and that nobody updates. */
function keptShut(evidence: Evidence, install: Install): Overdue[] {
  const target = evidence.targetOf(install);
  return faultyMachines(evidence, install, (machine) => {
    const node = nodeLifeOf(target, machine);
    if (!node?.object || !isKeptShut(machine, node) || !isAlone(evidence, install, machine)) {
      return undefined;
    }
    return isNodeGuarded(evidence, install, node.object)
      ? undefined
      : `and its Node ${node.last.metadata.name} is cordoned by us`;
  });
}

function isKeptShut(machine: JudgedObject, node: Life): boolean {
  const isWell = ['Running', 'InPlaceUpdateSuccessful'].includes(phaseOf(machine));
  const isPreserved = Boolean(machine.status?.currentStatus?.preserveExpiryTime);
  const isStaying = isWell && !isDeleting(machine) && !isPreserved;
  return isStaying && isCordonOfOurs(node) && !isUnderWay(node.last);
}
