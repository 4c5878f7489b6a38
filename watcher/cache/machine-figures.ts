import { creationTroubleOf, failureWordsOf } from '../../workflows/api/creation-failure.ts';
import { drainBlockerOf } from '../../workflows/api/drain-failure.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { conditionStatesOf } from './condition-states.ts';
import type { MachineFigures } from './figures.ts';

/** The well-known label of a Node. */
const zoneLabel = 'topology.kubernetes.io/zone';

export function figuresOfMachine(machine: Machine): MachineFigures {
  const { metadata, spec, status } = machine;
  const { apiGroup = '', kind = '' } = spec.class ?? {};
  return {
    providerID: spec.providerID ?? '',
    classApiGroup: apiGroup,
    classKind: kind,
    zone: zoneOf(machine),
    conditions: conditionStatesOf(status?.conditions),
    phaseSince: timeOf(status?.currentStatus?.lastUpdateTime),
    deletedAt: timeOf(metadata.deletionTimestamp),
    ...creationFiguresOf(machine),
    isCreationTimedOut: isCreationTimedOut(machine),
    drainBlockedBy: drainBlockerOf(machine),
  };
}

function zoneOf({ spec: { nodeTemplate } }: Machine): string {
  return nodeTemplate?.metadata?.labels?.[zoneLabel] ?? '';
}

function timeOf(text: string | undefined): number | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : time;
}

function hasFailedToCreate({ status }: Machine): boolean {
  const { type, state } = status?.lastOperation ?? {};
  return type === 'Create' && state === 'Failed';
}

/** Figures of a creation that is tried again: not where it was given up or is being deleted. */
function creationFiguresOf(
  machine: Machine,
): Pick<MachineFigures, 'creationFailure' | 'creationTrouble'> {
  const { metadata, status } = machine;
  const isOver = metadata.deletionTimestamp !== undefined || isCreationTimedOut(machine);
  if (isOver || !hasFailedToCreate(machine)) {
    return { creationFailure: undefined, creationTrouble: undefined };
  }
  const code = status?.lastOperation?.errorCode ?? '';
  return {
    creationFailure: code,
    creationTrouble: creationTroubleOf(code, failureWordsOf(machine)),
  };
}

/** Any other failure of a creation leaves the machine in CrashLoopBackOff. */
function isCreationTimedOut(machine: Machine): boolean {
  return machine.status?.currentStatus?.phase === 'Failed' && hasFailedToCreate(machine);
}
