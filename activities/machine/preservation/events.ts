/** Events of a preservation, for people who read `kubectl describe machine`. */
import { annotations } from '../../../workflows/api/constants.ts';
import type { PreservationPlan } from '../../../workflows/plan/machine/preservation.ts';
import type { EventText } from '../../../kube/objects/event.ts';
import { component } from '../object.ts';
import { timestamp } from '../../../kube/objects/time.ts';

export type Preserving = Extract<PreservationPlan, { action: 'preserve' }>;
export type Stopping = Extract<PreservationPlan, { action: 'stop' }>;

export function preservedEvent({ value, until, from }: Preserving): EventText {
  const who = from === 'node' ? 'Node' : 'Machine';
  const why =
    value === 'auto-preserved'
      ? 'its MachineSet keeps failed machines (autoPreserveFailedMachineMax)'
      : `annotation ${annotations.preserve} of its ${who} is "${value}"`;
  const message = `Preserved until ${timestamp(until)}: ${why}`;
  return { type: 'Normal', reason: 'Preserved', message, component };
}

const formatReasons: Record<Exclude<Stopping['reason'], 'expired'>, string> = {
  recovered: 'the machine is not Failed any more',
  withdrawn: 'its annotation was removed',
};

/** `until`: when it would have ended, milliseconds. */
export function stoppedEvent({ reason }: Stopping, until: number): EventText {
  const end = timestamp(until);
  const [name, message] =
    reason === 'expired'
      ? [
          'PreservationExpired',
          `The preservation ended at ${end}: if the machine is Failed, its MachineSet replaces it now`,
        ]
      : [
          'PreservationStopped',
          `The preservation until ${end} ends before, as ${formatReasons[reason]}`,
        ];
  return { type: 'Normal', reason: name, message, component };
}

export function undrainedEvent(error: string): EventText {
  const message = `The Node of this preserved machine could not be drained: ${error}`;
  return { type: 'Warning', reason: 'PreservationDrainFailed', message, component };
}
