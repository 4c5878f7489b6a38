/** `errorReason` and `errorMessage` of a Machine of theirs: while the cause is there. */
import type { Machine } from '../../api/machine.ts';

export interface MachineError {
  errorReason?: string;
  errorMessage?: string;
}

export function machineErrorOf({ metadata, spec, status }: Machine): MachineError {
  const { state, type, errorCode, description } = status?.lastOperation ?? {};
  const phase = status?.currentStatus?.phase;
  if (state !== 'Failed' && phase !== 'Failed') return {};
  const errorMessage = description ?? `phase ${phase}`;
  if (metadata.deletionTimestamp !== undefined || type === 'Delete') {
    return { errorReason: 'DeleteError', errorMessage };
  }
  // A machine that is unhealthy keeps the operation that was its last.
  const hasJoined = phase === 'Failed' && status?.nodeRef?.name !== undefined;
  if (type !== 'Create' || hasJoined) return { errorReason: 'UpdateError', errorMessage };
  return { errorReason: reasonOfCreate(errorCode, { spec, phase }), errorMessage };
}

/** An instance without an error of the cloud has not joined. */
function reasonOfCreate(
  errorCode: string | undefined,
  { spec, phase }: { spec: Machine['spec']; phase: string | undefined },
): string {
  if (errorCode === 'ResourceExhausted') return 'InsufficientResources';
  if (errorCode === 'InvalidArgument') return 'InvalidConfiguration';
  const isMade = spec.providerID !== undefined && !errorCode;
  return isMade && phase === 'Failed' ? 'JoinClusterTimeoutError' : 'CreateError';
}
