/** What a read of the object tells of its life. */
import type { PreparedMachine } from './activities.ts';
import type { MachinePhase } from './api/phases.ts';
import { setPhase } from './machine-phase.ts';
import type { MachineState, ObservedMachine } from './machine-state.ts';
import { isLater } from './messages.ts';
import { defined } from './plan/defined.ts';

/** Takes over what the object says of its life: also after Temporal was lost, or from MCM. */
export function adopt(state: MachineState, machine: PreparedMachine, cluster: string): void {
  const { uid, resourceVersion, isDeleting, hasFinalizer } = machine;
  const isFirstRead = state.prepared === undefined;
  // What an earlier read learned of the class holds until a later one learns more.
  const { provider, bootstrapTokenId } = state.prepared ?? {};
  state.prepared = { ...defined({ provider, bootstrapTokenId }), ...machine };
  state.uid = uid;
  const sighting = { cluster, epoch: state.observed?.epoch ?? 0, resourceVersion };
  // A signal that came while we read may know better.
  if (isLater(sighting, state.observed)) {
    const { preservation: _older, ...known }: Partial<ObservedMachine> = state.observed ?? {};
    const { preservation, drain = {} } = machine;
    state.observed = {
      ...known,
      ...sighting,
      ...defined({ uid, isDeleting, hasFinalizer, preservation, drain }),
    };
  }
  if (isFirstRead) adoptProgress(state, machine);
}

const recordedPhases: MachinePhase[] = ['Pending', 'Running', 'Available', 'Unknown', 'Failed'];

function adoptProgress(state: MachineState, machine: PreparedMachine): void {
  const { providerID, nodeName, phase, createGeneration, usesTarget } = machine;
  state.createGeneration = createGeneration;
  state.wasCreateSent = providerID !== undefined;
  // With the providerID alone the driver is asked for the Node's name; a known providerID never creates.
  if (providerID === undefined || (nodeName === undefined && usesTarget)) return;
  state.instance = { providerID, nodeName: nodeName ?? '', isFound: true };
  state.isRecorded = recordedPhases.includes(phase);
  // The Machine may have been edited while nobody looked.
  if (phase === 'Running') state.nodeBehind = {};
  setPhase(state, phase);
}
