/** What the workflow of a machine knows of an instance that its cloud may have lost. */
import type { MachineState } from './state.ts';
import type { MissingInstance } from '../contracts/messages.ts';
import type { LossFacts } from '../plan/machine/facts.ts';

export interface LossState {
  providerID: string;
  confirmAfterSeconds: number;
  /** Milliseconds. */
  askAt: number;
  /** When the cloud said for the first time that there is none, milliseconds. */
  missedAt?: number;
  isConfirmed: boolean;
  /** The machine was looked at in the light of that. */
  isWeighed: boolean;
}

/** Returns whether the cloud is to be asked. */
export function observeMissing(state: MachineState, told: MissingInstance): boolean {
  const { uid, instance, loss, prepared, isRecorded, teardown } = state;
  const isMeant = uid === told.uid && instance?.providerID === told.providerID;
  if (!isMeant || loss || !isRecorded || teardown || prepared?.provider === undefined) return false;
  const { providerID, confirmAfterSeconds } = told;
  const askAt = Date.now();
  state.loss = { providerID, confirmAfterSeconds, askAt, isConfirmed: false, isWeighed: false };
  return true;
}

export function lossFactsOf({ loss }: MachineState): LossFacts | undefined {
  return loss && { askAt: loss.askAt, isConfirmed: loss.isConfirmed };
}

/** A look at its health is due because of this. */
export function mustWeigh({ loss, phase }: MachineState): boolean {
  return loss !== undefined && loss.isConfirmed && !loss.isWeighed && phase !== 'Failed';
}
