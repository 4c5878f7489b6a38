import type { MachineView } from './views.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { annotations, labels } from '../../workflows/api/constants.ts';
import { creationTimeoutSecondsOf } from '../../workflows/api/creation-timeout.ts';
import { snapshotOf } from '../../workflows/contracts/snapshots.ts';
import { digestOf } from './digest.ts';
import { figuresOfMachine } from './machine-figures.ts';
import { ownerOf } from './metadata.ts';
import { controllerOf } from '../../kube/objects/owners.ts';

export function viewOfMachine(machine: Machine, previous?: MachineView): MachineView {
  const { metadata, status } = machine;
  const held = metadata.labels ?? {};
  const creationTimeout = metadata.annotations?.[annotations.effectiveCreationTimeout] ?? '';
  const specDigest = specDigestOf(machine, creationTimeout, previous);
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
    owner: ownerOf(metadata, 'MachineSet'),
    isOrphan: controllerOf({ metadata }) === undefined,
    className: machine.spec.class?.name ?? '',
    nodeName: held[labels.node],
    figures: figuresOfMachine(machine),
  };
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
