import type { MachineView } from './views.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { annotations, labels } from '../../workflows/api/constants.ts';
import { holdReportIn } from '../../workflows/api/deletion-hooks.ts';
import { inPlaceReasonOf } from '../../workflows/api/in-place.ts';
import { creationTimeoutSecondsOf } from '../../workflows/api/creation-timeout.ts';
import { snapshotOf } from '../../workflows/contracts/snapshots.ts';
import { digestOf } from './digest.ts';
import { ownerOf } from './metadata.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import { creationTroubleOf, failureMessageOf } from '../../workflows/api/creation-failure.ts';
import { drainBlockerOf } from '../../workflows/api/drain-failure.ts';
import { conditionStatesOf } from './condition-states.ts';
import type { MachineFigures } from './figures.ts';

export function viewOfMachine(machine: Machine, previous?: MachineView): MachineView {
  const { metadata, status } = machine;
  const held = metadata.labels ?? {};
  const creationTimeout = metadata.annotations?.[annotations.effectiveCreationTimeout] ?? '';
  const specDigest = specDigestOf(machine, creationTimeout, previous);
  const owner = ownerOf(metadata, 'MachineSet');
  const inPlace = inPlaceOf(machine);
  return {
    ...snapshotOf(machine),
    name: metadata.name,
    generation: metadata.generation ?? 0,
    creationTimeout,
    specDigest,
    countDigest: countDigestOf(machine, specDigest),
    phase: status?.currentStatus?.phase ?? '',
    createdAt: Date.parse(metadata.creationTimestamp),
    creationTimeoutSeconds: creationTimeoutSecondsOf(machine),
    labels: held,
    owner,
    isOrphan: controllerOf({ metadata }) === undefined,
    ...(inPlace !== undefined && { inPlace, ...(owner !== undefined && { movedTo: owner }) }),
    className: machine.spec.class?.name ?? '',
    nodeName: held[labels.node],
    figures: figuresOfMachine(machine),
  };
}

/** Its condition, and its phase as far as it is of an update. The condition stays after one. */
function inPlaceOf({ status }: Machine): string | undefined {
  const phase = status?.currentStatus?.phase ?? '';
  const reason = inPlaceReasonOf(status?.conditions) ?? '';
  const isUpdated = phase.startsWith('InPlace');
  return reason === '' && !isUpdated ? undefined : `${reason} ${isUpdated ? phase : ''}`;
}

/**
 * The generation moves with the spec: while it stands, nothing need be computed. The annotation
 * with the creation timeout goes before `spec.creationTimeout`, so it counts as a part of the spec.
 */
function specDigestOf(
  { metadata, spec }: Machine,
  creationTimeout: string,
  previous: MachineView | undefined,
): string {
  const isSameSpec = previous?.generation === metadata.generation;
  if (previous && isSameSpec && previous.creationTimeout === creationTimeout) {
    return previous.specDigest;
  }
  const { providerID: _ours, ...wanted } = spec;
  return creationTimeout === '' ? digestOf(wanted) : digestOf(wanted, creationTimeout);
}

/**
 * Digest of the fields by which a MachineSet counts, sorts and claims machines, and of the spec, of
 * which it keeps a part equal to its template.
 */
function countDigestOf({ metadata, status }: Machine, specDigest: string): string {
  const { annotations: notes = {} } = metadata;
  const last = status?.lastOperation;
  const failure = last?.state === 'Failed' ? [last.description, last.errorCode] : [];
  return digestOf(
    status?.currentStatus?.phase,
    metadata.deletionTimestamp,
    metadata.labels,
    metadata.ownerReferences,
    failure,
    notes[annotations.priority],
    notes[annotations.markedForDeletionTime],
    notes[annotations.preserve],
    notes[annotations.lastAppliedPreserve],
    notes[annotations.preservationExpired],
    status?.currentStatus?.preserveExpiryTime,
    notes[annotations.effectiveCreationTimeout],
    specDigest,
  );
}

/** The well-known label of a Node. */
const zoneLabel = 'topology.kubernetes.io/zone';

export function figuresOfMachine(machine: Machine): MachineFigures {
  const { metadata, spec, status } = machine;
  const { apiGroup = '', kind = '' } = spec.class ?? {};
  const isGoing = metadata.deletionTimestamp !== undefined;
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
    heldSince: isGoing ? holdReportIn(status?.conditions, Date.parse).held?.since : undefined,
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
    creationTrouble: creationTroubleOf(code, failureMessageOf(machine)),
  };
}

/** Any other failure of a creation leaves the machine in CrashLoopBackOff. */
function isCreationTimedOut(machine: Machine): boolean {
  return machine.status?.currentStatus?.phase === 'Failed' && hasFailedToCreate(machine);
}
