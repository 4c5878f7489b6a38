/** What people and programs ask of a running workflow. */
import { defineSignal, defineUpdate } from '@temporalio/workflow';

/**
 * What a person or a program asks of a rollout. `by` is what the caller says of itself: nobody
 * checks it.
 */
export type RolloutCommand = { by?: string } & (
  | { verb: 'pause' }
  /** Ends a pause, and a hold after the first machines. */
  | { verb: 'resume' }
  /** Revision 0, or none: the one before. */
  | { verb: 'rollback'; revision?: number }
  | { verb: 'setReplicas'; replicas: number }
);

/** Whoever has nothing to say may leave it out. */
export interface Caller {
  by?: string;
}

/** What a person or a program asks of a machine that waits. */
export type MachineCommand = { by?: string } & (
  | { verb: 'retryNow' }
  /** The instance goes with the pods on it. */
  | { verb: 'skipDrain' }
  | { verb: 'forceDelete' }
  | { verb: 'extendDrain'; minutes: number }
  | { verb: 'skipVolumeWait' }
);

/**
 * Each is there as a signal, and as an update that is checked and answered. What the object can say
 * is written there first.
 */
export const retryNowSignal = defineSignal<[Caller]>('retryNow');
export const skipDrainSignal = defineSignal<[Caller]>('skipDrain');
export const forceDeleteSignal = defineSignal<[Caller]>('forceDelete');
export const extendDrainSignal = defineSignal<[Caller & { minutes: number }]>('extendDrain');
export const skipVolumeWaitSignal = defineSignal<[Caller]>('skipVolumeWait');

/** They return what was done, in words. */
export const retryNowUpdate = defineUpdate<string, [Caller]>('retryNow');
export const skipDrainUpdate = defineUpdate<string, [Caller]>('skipDrain');
export const forceDeleteUpdate = defineUpdate<string, [Caller]>('forceDelete');
export const extendDrainUpdate = defineUpdate<string, [Caller & { minutes: number }]>(
  'extendDrain',
);
export const skipVolumeWaitUpdate = defineUpdate<string, [Caller]>('skipVolumeWait');

/**
 * Each is there as a signal, and as an update that is checked and answered. All write the
 * MachineDeployment first.
 */
export const pauseSignal = defineSignal<[Caller]>('pause');
export const resumeSignal = defineSignal<[Caller]>('resume');
export const rollbackSignal = defineSignal<[Caller & { revision?: number }]>('rollback');
export const setReplicasSignal = defineSignal<[Caller & { replicas: number }]>('setReplicas');

/** They return what was done, in words. */
export const pauseUpdate = defineUpdate<string, [Caller]>('pause');
export const resumeUpdate = defineUpdate<string, [Caller]>('resume');
export const rollbackUpdate = defineUpdate<string, [Caller & { revision?: number }]>('rollback');
export const setReplicasUpdate = defineUpdate<string, [Caller & { replicas: number }]>(
  'setReplicas',
);
