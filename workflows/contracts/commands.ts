/**
 * What people and programs ask of a running workflow. Each command is there as a signal, and as an
 * update that is checked and answers with what was done. What the object can say is written there
 * first.
 */
import type { SignalDefinition } from '@temporalio/common';
import type { machineVerbs, rolloutVerbs } from '../api/command-verbs.ts';
import { defineSignal, defineUpdate } from '@temporalio/workflow';

/** `by` is what the caller says of itself: it is not checked. The payload may be left out. */
export interface Caller {
  by?: string;
}

/** `fields`: of the payload, beside `by`. */
function define<Verb extends string, Payload extends Caller = Caller>(
  verb: Verb,
  fields: readonly Exclude<keyof Payload & string, 'by'>[] = [],
) {
  return {
    signal: defineSignal<[Payload]>(verb),
    update: defineUpdate<string, [Payload]>(verb),
    fields: [...fields, 'by'] as readonly string[],
    commandOf: (payload: Payload) => ({ ...payload, verb }),
  };
}

/** Of a machine that waits. */
export const machineCommands = {
  retryNow: define('retryNow'),
  /** The instance goes with the pods on it. */
  skipDrain: define('skipDrain'),
  forceDelete: define('forceDelete'),
  extendDrain: define<'extendDrain', Caller & { minutes: number }>('extendDrain', ['minutes']),
  skipVolumeWait: define('skipVolumeWait'),
} satisfies Record<(typeof machineVerbs)[number], unknown>;

/** Of a rollout. */
export const rolloutCommands = {
  pause: define('pause'),
  /** Ends a pause, and a hold after the first machines. */
  resume: define('resume'),
  /** Revision 0, or none: the one before. */
  rollback: define<'rollback', Caller & { revision?: number }>('rollback', ['revision']),
  setReplicas: define<'setReplicas', Caller & { replicas: number }>('setReplicas', ['replicas']),
} satisfies Record<(typeof rolloutVerbs)[number], unknown>;

type PayloadOf<Definition> = Definition extends { signal: SignalDefinition<[infer Payload]> }
  ? Payload
  : never;

type CommandOf<Table> = {
  [Verb in keyof Table]: PayloadOf<Table[Verb]> & { verb: Verb };
}[keyof Table];

export type MachineCommand = CommandOf<typeof machineCommands>;
export type RolloutCommand = CommandOf<typeof rolloutCommands>;
