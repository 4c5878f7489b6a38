import type { Machine } from '../../../../workflows/api/machine.ts';
import type { LastOperation } from '../../../../workflows/api/machine.ts';
import type { MachinePhase } from '../../../../workflows/api/phases.ts';
import { machineErrorOf } from '../../../../workflows/plan/front/machine-error.ts';
import { aMachine } from '../../../support/builders.ts';

interface Case {
  phase: MachinePhase;
  last?: LastOperation;
  isMade?: boolean;
  isDeleting?: boolean;
  node?: string;
}

test.each<[Case, string | undefined]>([
  [{ phase: 'Running', last: { type: 'Create', state: 'Successful' } }, undefined],
  [{ phase: 'Pending', last: { type: 'Create', state: 'Processing' } }, undefined],
  [{ phase: 'CrashLoopBackOff', last: failed('ResourceExhausted') }, 'InsufficientResources'],
  [{ phase: 'CrashLoopBackOff', last: failed('InvalidArgument') }, 'InvalidConfiguration'],
  [{ phase: 'CrashLoopBackOff', last: failed('Internal') }, 'CreateError'],
  [{ phase: 'Failed', last: failed('Internal'), isMade: true }, 'CreateError'],
  [{ phase: 'Failed', last: failed(), isMade: true }, 'JoinClusterTimeoutError'],
  [{ phase: 'Failed', last: failed(), isMade: true, node: 'a' }, 'UpdateError'],
  [{ phase: 'Failed', last: failed() }, 'CreateError'],
  [
    { phase: 'Failed', last: { type: 'HealthCheck', state: 'Failed' }, isMade: true },
    'UpdateError',
  ],
  [{ phase: 'Terminating', last: { type: 'Delete', state: 'Processing' } }, undefined],
  [
    { phase: 'Terminating', last: { type: 'DrainNode', state: 'Failed' }, isDeleting: true },
    'DeleteError',
  ],
  [{ phase: 'Running' }, undefined],
])('%j is %s', ({ phase, last, isMade = false, isDeleting = false, node }, reason) => {
  const machine: Machine = aMachine({
    metadata: isDeleting ? { deletionTimestamp: '2026-01-02T03:04:05Z' } : {},
    spec: isMade ? { providerID: 'virtual:///a' } : {},
    status: {
      currentStatus: { phase },
      ...(last && { lastOperation: last }),
      ...(node !== undefined && { nodeRef: { name: node } }),
    },
  });
  expect(machineErrorOf(machine).errorReason).toBe(reason);
});

function failed(errorCode?: string): LastOperation {
  return { type: 'Create', state: 'Failed', ...(errorCode !== undefined && { errorCode }) };
}
