/** Whether sets and deployments come to their size (MCM 6.5, 7.4; docs/rollouts.md). */
import type { Install } from '../../../world/world.ts';
import type { Evidence } from '../../evidence.ts';
import { isClosed, isDeleting, matches, ownerOf, phaseOf } from '../../objects.ts';
import type { JudgedObject } from '../../objects.ts';
import type { ClusterPast } from '../../past/cluster-past.ts';
import type { Life } from '../../past/lives.ts';
import { isSelected } from '../../policies/gates.ts';
import { isOfTemplate } from '../../templates.ts';
import { isFrozen, machinesOf, ownersIn } from './owned.ts';
import type { Overdue, Passing } from './passing.ts';
import { minuteMs } from './passing.ts';
import { isMachineRefused, isRefused, isStatusRefused } from './refusals.ts';

const rolloutAfter = 'millwright.dev/rollout-after';
const preserve = 'node.machine.sapcloud.io/preserve';

export const sizeStates: readonly Passing[] = [
  { rule: 'a deployment gets its machines', patienceMs: 10 * minuteMs, find: smallDeployments },
  { rule: 'a set gets its machines', patienceMs: 10 * minuteMs, find: wrongSets },
  { rule: 'a Failed Machine is replaced', patienceMs: 12 * minuteMs, find: keptFailures },
];

/** Also while it is paused or held; a machine that goes takes the room of another one. */
function smallDeployments(evidence: Evidence, install: Install): Overdue[] {
  const past = evidence.controlOf(install);
  const isHindered = isRefused(evidence, install, ['POST', 'machines'], ['POST', 'machinesets']);
  if (isHindered || isRefused(evidence, install, ['PATCH', 'machinesets'])) return [];
  const isUnsettled = isUnsettledBy(isStatusRefused(evidence, install));
  return ownersIn(install, past.deployments.present()).flatMap(({ uid, last }) => {
    const sets = Array.from(past.sets.ownedBy(uid));
    const active = sets.filter((set) => isActive(past, set));
    const isAlone = active.every((set) => isOfTemplate(set.last, last));
    if (!isAlone && active.some((set) => isUnsettled(set.last))) return [];
    const { replicas = 0 } = last.spec ?? {};
    const there = sets.reduce((sum, set) => sum + machinesOf(past, set).length, 0);
    const isGated = sets.every((set) => isDeleting(set.last)) && isSelected(past, last);
    if (there >= replicas || !isRolling(last) || isHeld(last, sets) || isGated) return [];
    const text = `MachineDeployment ${last.metadata.name} has ${there} machines of ${replicas}`;
    return [{ subject: uid, text }];
  });
}

/** Has machines, is to have some, or says that it has. */
function isActive(past: ClusterPast, set: Life): boolean {
  const { spec, status } = set.last;
  const numbers = [spec?.replicas, status?.replicas, machinesOf(past, set).length];
  return numbers.some((number = 0) => number > 0);
}

/**
 * By the status of a set a deployment knows in a rollout that it has taken its size, and what
 * another one may have (docs/rollouts.md). The only set gets its size all the same.
 */
function isUnsettledBy(isRefusedHere: (set: JudgedObject) => boolean) {
  return (set: JudgedObject): boolean => {
    const isObserved = set.status?.observedGeneration === set.metadata.generation;
    return !isObserved && isRefusedHere(set);
  };
}

/** The other strategies may have fewer; without a selector nothing is done. */
function isRolling({ spec }: JudgedObject): boolean {
  const isWide = Object.keys(spec?.selector?.matchLabels ?? {}).length === 0;
  return !isWide && ['RollingUpdate', 'InPlaceUpdate'].includes(spec?.strategy?.type ?? '');
}

/**
 * While it is paused, or its template is not to be used yet, it makes no set, and one that is being
 * deleted makes no machines.
 */
function isHeld({ metadata, spec }: JudgedObject, sets: readonly Life[]): boolean {
  const mayMake = !spec?.paused && metadata.annotations?.[rolloutAfter] === undefined;
  const isBare = sets.every(({ last }) => isDeleting(last));
  return (isBare && !mayMake) || sets.some(({ last }) => isFrozen(last));
}

function wrongSets(evidence: Evidence, install: Install): Overdue[] {
  const past = evidence.controlOf(install);
  if (isRefused(evidence, install, ['POST', 'machines'], ['PATCH', 'machines'])) return [];
  const isKept = isMachineRefused(evidence, install, 'DELETE');
  return ownersIn(install, past.sets.present()).flatMap((life) => {
    const set = life.last;
    const own = machinesOf(past, life).filter(
      (machine) => !isDeleting(machine) && matches(machine, set),
    );
    const { replicas = 0 } = set.spec ?? {};
    const isTooSmall = own.length < replicas && !isFrozen(set) && !isClosed(set);
    const isTooLarge = own.filter((machine) => !isKept(machine)).length > replicas;
    if (!isTooSmall && !isTooLarge) return [];
    const text = `MachineSet ${set.metadata.name} has ${own.length} machines of ${replicas}`;
    return [{ subject: life.uid, text }];
  });
}

/** By a set without a deployment: no rollout makes it wait. */
function keptFailures(evidence: Evidence, install: Install): Overdue[] {
  const past = evidence.controlOf(install);
  if (isRefused(evidence, install, ['POST', 'machines'], ['PATCH', 'machines'])) return [];
  const isKept = isMachineRefused(evidence, install, 'DELETE');
  const { now } = evidence.simulation;
  const mayPutOff = (set: Life): boolean =>
    machinesOf(past, set).some(
      ({ metadata }) => now - Date.parse(metadata.creationTimestamp ?? '') < longestPutOffMs,
    );
  return ownersIn(install, past.sets.present())
    .filter(({ last }) => ownerOf(last) === undefined && !isFrozen(last) && !isClosed(last))
    .flatMap((set) =>
      machinesOf(past, set)
        .filter((machine) => isReplaceable(machine) && matches(machine, set.last))
        .filter((machine) => !isKept(machine) && !(isUnjoined(machine) && mayPutOff(set)))
        .map(({ metadata: { uid, name } }) => ({
          subject: uid,
          text: `Machine ${name} of MachineSet ${set.last.metadata.name} is Failed`,
        })),
    );
}

/** The next one of those is replaced up to 30 min, with jitter, after the last one. */
const longestPutOffMs = 40 * minuteMs;

function isUnjoined({ status }: JudgedObject): boolean {
  return status?.lastOperation?.type === 'Create';
}

function isReplaceable(machine: JudgedObject): boolean {
  const { metadata, status } = machine;
  const asks = metadata.annotations?.[preserve] !== undefined;
  const isPreserved = asks || Boolean(status?.currentStatus?.preserveExpiryTime);
  return phaseOf(machine) === 'Failed' && !isDeleting(machine) && !isPreserved;
}
