/** What a workflow knows of a machine whose Node may be updated in place. */
import type { InPlaceNode } from '../../../workflows/api/in-place.ts';
import type { MachineState } from '../../../workflows/machine/state.ts';
import { newMachineState } from '../../../workflows/machine/state.ts';

const instance = { isFound: false, providerID: 'virtual:///a/i-1', nodeName: 'node-a' };

export function candidateState(changes: InPlaceNode = {}): MachineState {
  const state = newMachineState(0);
  state.creation = { stage: 'recorded', instance, generation: 0 };
  state.node.seen = {
    cluster: 'target',
    epoch: 1,
    resourceVersion: '1',
    uid: 'uid-of-node-a',
    name: instance.nodeName,
    providerID: instance.providerID,
    exists: true,
    isReady: true,
    isDeleting: false,
    isWaitingForCriticalComponents: false,
    conditionsDigest: '',
    inPlace: { isCandidate: true, reason: 'CandidateForUpdate', ...changes },
  };
  return state;
}
