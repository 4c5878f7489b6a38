/**
 * kstatus of a Machine, decided by its status alone, so it changes only with a write that there is
 * another reason for.
 */
import type { Unsettled } from '../../api/kstatus.ts';
import type { LastOperation, MachineStatus } from '../../api/machine.ts';
import { machinePhaseOf, type MachinePhase } from '../../api/phases.ts';
import { reconciling, stalled, stallOf } from '../stall.ts';

export interface MachineStanding {
  isDeleting: boolean;
  /** A MachineSet decides on its replacement. */
  isOwned: boolean;
  status: Pick<MachineStatus, 'currentStatus' | 'lastOperation'>;
  /** The last result. */
  before?: Unsettled;
}

/** Undefined when the machine is as wanted. */
export function unsettledMachine(standing: MachineStanding): Unsettled | undefined {
  const { isDeleting, status } = standing;
  const phase = machinePhaseOf(status.currentStatus?.phase);
  const last = status.lastOperation ?? {};
  return isDeleting ? leaving(last) : byPhase[phase](last, standing);
}

const byPhase: Record<
  MachinePhase,
  (last: LastOperation, standing: MachineStanding) => Unsettled | undefined
> = {
  '': creating,
  CrashLoopBackOff: creating,
  Pending: joining,
  Running: () => undefined,
  Available: () => undefined,
  Unknown: (last) => reconciling('Unhealthy', said(last, 'Its Node is not healthy')),
  Failed: (last, { isOwned }) => failed(last, isOwned),
  Terminating: leaving,
  InPlaceUpdating: (last) => reconciling('InPlaceUpdating', said(last, 'It is updated in place')),
  InPlaceUpdateSuccessful: () => undefined,
  InPlaceUpdateFailed: (last) =>
    stalled('InPlaceUpdateFailed', said(last, 'Its update in place failed'), ofUpdate),
};

const ofUpdate =
  'Repair its Node and have it tried again with millwright retry-update, or give it up with give-up-update';
const ofFailed = 'Read its lastOperation and its Events, then delete it';

function failed(last: LastOperation, isOwned: boolean): Unsettled {
  const help = isOwned ? 'Its MachineSet replaces it, unless it is preserved' : ofFailed;
  return stalled('MachineFailed', said(last, 'It failed'), stallOf(last)?.help ?? help);
}

/** A failure without a code is one of the drain: the cloud was not asked yet. */
function leaving(last: LastOperation): Unsettled {
  const words = said(last, 'It is being deleted');
  if (last.type !== 'Delete' || last.state !== 'Failed') return reconciling('Deleting', words);
  if ((last.errorCode ?? '') === '') {
    const help = 'Remove what is in the way, or set the label force-deletion=True on the Machine';
    return stalled('DrainBlocked', words, help);
  }
  const stall = stallOf(last);
  return stall ? stalled(stall.reason, words, stall.help) : reconciling('DeletionRetried', words);
}

/** While another attempt is under way, what stopped the last one still holds. */
function creating(last: LastOperation, { before }: MachineStanding): Unsettled {
  if (before?.type === 'Stalled' && last.state === 'Processing') return before;
  const words = said(last, 'Its instance is being created');
  return refused(last, words) ?? reconciling('Creating', words);
}

/** A failure without a code: another Machine has the Node, and the description says what helps. */
function joining(last: LastOperation): Unsettled {
  const words = said(last, 'Its Node is awaited');
  const isClaimed = last.state === 'Failed' && (last.errorCode ?? '') === '';
  if (isClaimed) return stalled('NodeClaimed', words, '');
  return refused(last, words) ?? reconciling('AwaitingNode', words);
}

function refused(last: LastOperation, words: string): Unsettled | undefined {
  if (last.state !== 'Failed') return undefined;
  const stall = stallOf(last);
  return stall ? stalled(stall.reason, words, stall.help) : reconciling('CreationRetried', words);
}

function said({ description = '' }: LastOperation, otherwise: string): string {
  return description === '' ? otherwise : description;
}
