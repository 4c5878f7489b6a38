/** The patch of a Machine's status that says what happened to it. */
import type { MachineErrorCode } from '../../workflows/api/failures.ts';
import type { LastOperation, Machine, NodeReference } from '../../workflows/api/machine.ts';
import type { MachinePhase } from '../../workflows/api/phases.ts';
import type { Node } from '../../kube/objects/nodes.ts';
import { timestamp } from '../../kube/objects/time.ts';

export interface StatusChange {
  /** Absent: the phase stays, and so does the time of its last update. */
  phase?: MachinePhase;
  /** The creation timeout runs while the machine is in this phase. */
  isTimeoutActive?: boolean;
  /** The machine is not preserved any more. Otherwise the time stays. */
  preserveExpiryTime?: null;
  operation: Required<Pick<LastOperation, 'description' | 'state' | 'type'>>;
  /**
   * Required, because this is a merge patch: a code that is left out stays beside the new text, and
   * the cluster autoscaler acts on it. `null` removes it. `keep`: the new text says more about the
   * same failure.
   */
  errorCode: MachineErrorCode | null | 'keep';
}

interface StatusPatch {
  currentStatus?: {
    phase: MachinePhase;
    timeoutActive: true | null;
    preserveExpiryTime?: null;
    lastUpdateTime: string;
  };
  lastOperation: Omit<LastOperation, 'errorCode'> & { errorCode?: MachineErrorCode | null };
}

export function statusPatch({
  phase,
  isTimeoutActive = false,
  operation,
  errorCode,
  ...preservation
}: StatusChange): StatusPatch {
  const lastUpdateTime = timestamp();
  const timeoutActive = isTimeoutActive || null;
  const currentStatus = phase && { phase, timeoutActive, ...preservation, lastUpdateTime };
  return {
    ...(currentStatus && { currentStatus }),
    lastOperation: { ...operation, ...(errorCode !== 'keep' && { errorCode }), lastUpdateTime },
  };
}

/** With a CRD of MCM, which does not know the field, the API server leaves it out. */
export function nodeRefOf({ metadata }: Node): Required<NodeReference> {
  return { kind: 'Node', name: metadata.name };
}

/**
 * The cluster autoscaler of the Kubernetes project gives up a machine with this text, and the pool
 * for a while. So only what another pool may have stands there, not what a retry brings.
 */
export function failureMessageOf(
  { status }: Machine,
  failure?: { code: MachineErrorCode; description: string },
): { failureMessage?: string | null } {
  if (failure?.code === 'ResourceExhausted') return { failureMessage: failure.description };
  return status?.failureMessage === undefined ? {} : { failureMessage: null };
}
