/** The state of a machine as one run hands it to the next, which may be of the release before. */
import type { Requeue } from '../plan/requeues.ts';
import { requeueOf } from '../plan/requeues.ts';
import { defined } from '../values/defined.ts';
import type { MachineObjectState, MachineState, PreservationState } from './state.ts';

interface Outage {
  reason: string;
  attempts: number;
  retryAt: number;
}

export interface CarriedMachine extends Omit<MachineState, 'requeues' | 'object' | 'preservation'> {
  object: MachineObjectState & { outage?: Outage };
  preservation?: Omit<PreservationState, 'drain'> & {
    outage?: Outage;
    drain?: NonNullable<PreservationState['drain']> & {
      error?: string;
      attempts: number;
      retryAt?: number;
    };
  };
}

export function fromCarried({ object, preservation, ...state }: CarriedMachine): MachineState {
  const { outage: read, ...known } = object;
  const { outage: preserve, drain, ...kept } = preservation ?? { seen: '' };
  const { error, attempts = 0, retryAt, ...begun } = drain ?? { startedAt: 0, isDone: false };
  return defined({
    ...state,
    object: known,
    preservation: preservation && defined({ ...kept, drain: drain && begun }),
    requeues: defined({
      read: read && requeueOf(read.attempts, read.retryAt, read.reason),
      preserve: preserve && requeueOf(preserve.attempts, preserve.retryAt, preserve.reason),
      drainPreserved: requeueOf(attempts, retryAt, error),
    }),
  });
}

export function toCarried({
  requeues,
  object,
  preservation,
  ...state
}: MachineState): CarriedMachine {
  const { read, preserve, drainPreserved } = requeues;
  const { message: error, failures: attempts = 0, retryAt } = drainPreserved ?? {};
  const drain =
    preservation?.drain &&
    defined({ ...preservation.drain, error, attempts, retryAt: retryAt || undefined });
  return defined({
    ...state,
    object: defined({ ...object, outage: outageOf(read) }),
    preservation: preservation && defined({ ...preservation, outage: outageOf(preserve), drain }),
  });
}

function outageOf(requeue: Requeue | undefined): Outage | undefined {
  if (!requeue) return undefined;
  const { message: reason, failures: attempts, retryAt } = requeue;
  return { reason, attempts, retryAt };
}
