/**
 * What a Machine's status means to kstatus. It is decided by that status alone, so it changes only
 * with a write that there is another reason for.
 */
import type { Unsettled } from '../../api/kstatus.ts';
import type { LastOperation, MachineStatus } from '../../api/machine.ts';
import { reconciling, stalled, stallOf } from '../stall.ts';

export interface MachineStanding {
  isDeleting: boolean;
  /** A MachineSet decides on its replacement. */
  isOwned: boolean;
  status: Pick<MachineStatus, 'currentStatus' | 'lastOperation'>;
  /** What was said last. */
  before?: Unsettled;
}

/** Undefined when the machine is as wanted. */
export function unsettledMachine(standing: MachineStanding): Unsettled | undefined {
  const { isDeleting, isOwned, status } = standing;
  const { phase = '' } = status.currentStatus ?? {};
  const last = status.lastOperation ?? {};
  if (isDeleting || phase === 'Terminating') return leaving(last);
  switch (phase) {
    case 'Running':
    case 'Available':
    case 'InPlaceUpdateSuccessful':
      return undefined;
    case 'Failed':
      return failed(last, isOwned);
    case 'Unknown':
      return reconciling('Unhealthy', said(last, 'Its Node is not healthy'));
    case 'InPlaceUpdating':
      return reconciling('InPlaceUpdating', said(last, 'It is updated in place'));
    case 'InPlaceUpdateFailed':
      return stalled('InPlaceUpdateFailed', said(last, 'Its update in place failed'), ofFailed);
    default:
      return coming(standing, last);
  }
}

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

/** Before its Node has joined. */
function coming({ status, before }: MachineStanding, last: LastOperation): Unsettled {
  const isMade = status.currentStatus?.phase === 'Pending';
  const words = said(last, isMade ? 'Its Node is awaited' : 'Its instance is being created');
  const stall = stallOf(last);
  if (stall) return stalled(stall.reason, words, stall.help);
  // Another Machine has the Node: the description says what helps.
  if (isMade && last.state === 'Failed') return stalled('NodeClaimed', words, '');
  // While another attempt is under way, what stopped the last one still holds.
  if (before?.type === 'Stalled' && !isMade && last.state === 'Processing') return before;
  if (last.state === 'Failed') return reconciling('CreationRetried', words);
  return reconciling(isMade ? 'AwaitingNode' : 'Creating', words);
}

function said({ description = '' }: LastOperation, otherwise: string): string {
  return description === '' ? otherwise : description;
}
