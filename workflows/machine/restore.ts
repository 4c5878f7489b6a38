/** What a read of the object tells of its life. */
import type { PreparedMachine } from '../contracts/machine-activities.ts';
import type { MachinePhase } from '../api/phases.ts';
import { setPhase } from './phase.ts';
import type { MachineState, ObservedMachine } from './state.ts';
import { noteFinalizer } from './state.ts';
import { isLater } from '../contracts/references.ts';
import { defined } from '../values/defined.ts';
import { isBegunAnew } from '../runtime/continue-as-new.ts';

/** Takes over what the object says of its life: also after Temporal was lost, or from MCM. */
export function adopt(state: MachineState, machine: PreparedMachine, cluster: string): void {
  const { uid, resourceVersion, isDeleting, hasFinalizer } = machine;
  const isFirstRead = state.prepared === undefined;
  // What an earlier read learned of the class holds until a later one learns more, or the Machine names another.
  const { className, provider, bootstrapTokenId } = state.prepared ?? {};
  const known =
    className === machine.className ? { provider, bootstrapTokenId } : { bootstrapTokenId };
  state.prepared = { ...defined(known), ...machine };
  state.uid = uid;
  const sighting = { cluster, epoch: state.observed?.epoch ?? 0, resourceVersion };
  // A signal that came while we read may know better.
  if (isLater(sighting, state.observed)) {
    const { preservation: _older, ...rest }: Partial<ObservedMachine> = state.observed ?? {};
    const { preservation, drain = {}, forceDeletion = false } = machine;
    state.observed = {
      ...rest,
      ...sighting,
      ...defined({ uid, isDeleting, hasFinalizer, forceDeletion, preservation, drain }),
    };
  }
  noteFinalizer(state, machine);
  if (isFirstRead) adoptProgress(state, machine);
}

const recordedPhases: MachinePhase[] = ['Pending', 'Running', 'Available', 'Unknown', 'Failed'];
/** As with MCM the creation goes on where its last step did not end: the instance may not be initialised. */
const phasesInCreation: MachinePhase[] = ['', 'CrashLoopBackOff'];

function adoptProgress(state: MachineState, machine: PreparedMachine): void {
  const { providerID, phase, createGeneration } = machine;
  state.createGeneration = createGeneration;
  state.wasCreateSent = providerID !== undefined;
  state.mayHaveCreated = providerID === undefined && isBegun(machine);
  const instance = instanceOf(machine);
  if (!instance) return;
  state.instance = instance;
  state.isRecorded = recordedPhases.includes(phase);
  // The Machine may have been edited while nobody looked.
  if (phase === 'Running') state.nodeBehind = {};
  setPhase(state, phase);
}

/** Something was done for this object before, which is not known. */
function isBegun({ isDeleting, phase }: PreparedMachine): boolean {
  return isDeleting || phase !== '' || isBegunAnew();
}

/** Undefined where the driver is to be asked. A known providerID never creates. */
function instanceOf(machine: PreparedMachine): MachineState['instance'] {
  const { providerID, nodeName = '', phase, usesTarget, isDeleting } = machine;
  if (providerID === undefined || (nodeName === '' && usesTarget)) return undefined;
  if (phasesInCreation.includes(phase) && !isDeleting) return undefined;
  return { providerID, nodeName, isFound: true };
}
