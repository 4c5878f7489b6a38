/** Whether statuses say what is (MCM 6.6, 7.9; docs/safety.md: a stop stops no status). */
import type { Install } from '../../../world/world.ts';
import type { Evidence } from '../../evidence.ts';
import { isDeleting } from '../../objects.ts';
import type { JudgedCondition } from '../../objects.ts';
import { ownersIn } from './owned.ts';
import type { Overdue, Passing } from './passing.ts';
import { minuteMs } from './passing.ts';
import { isRefused, isStatusRefused } from './refusals.ts';
import type { Call } from './refusals.ts';

const writes: readonly Call[] = [
  ['PATCH', 'machinesets'],
  ['PATCH', 'machinedeployments'],
];

export const statusStates: readonly Passing[] = [
  {
    rule: 'a status follows its spec',
    patienceMs: 4 * minuteMs,
    despite: 'stop',
    find: oldStatuses,
  },
  {
    rule: 'a deployment says what its sets say',
    patienceMs: 5 * minuteMs,
    find: silentDeployments,
  },
];

function oldStatuses(evidence: Evidence, install: Install): Overdue[] {
  if (isRefused(evidence, install, ...writes)) return [];
  const { sets, deployments } = evidence.controlOf(install);
  const all = [...sets.present(), ...deployments.present()];
  const isRefusedHere = isStatusRefused(evidence, install);
  return ownersIn(install, all).flatMap(({ uid, last }) => {
    const { metadata, status, kind } = last;
    const { generation = 0, name } = metadata;
    const observed = status?.observedGeneration ?? 0;
    if (observed === generation || (kind === 'MachineSet' && isRefusedHere(last))) return [];
    const text = `${kind} ${name} has the status of generation ${observed} instead of ${generation}`;
    return [{ subject: uid, text }];
  });
}

/** A set that cannot make or delete machines is a deployment that cannot. */
function silentDeployments(evidence: Evidence, install: Install): Overdue[] {
  if (isRefused(evidence, install, ...writes)) return [];
  const { sets, deployments } = evidence.controlOf(install);
  return ownersIn(install, deployments.present()).flatMap(({ uid, last }) => {
    const failing = Array.from(sets.ownedBy(uid)).find(
      ({ last: set }) => !isDeleting(set) && fails(set.status?.machineSetCondition),
    );
    if (!failing || fails(last.status?.conditions)) return [];
    const text = `MachineDeployment ${last.metadata.name} has no ReplicaFailure, and its set ${failing.last.metadata.name} has`;
    return [{ subject: uid, text }];
  });
}

function fails(conditions: readonly JudgedCondition[] = []): boolean {
  return conditions.some(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
}
