/**
 * Commands of people and programs to a running workflow. Each is a signal, and an update that is
 * checked and answers with what was done. A change that the object can hold is written there first.
 */
import type { SignalDefinition } from '@temporalio/common';
import type { machineVerbs, rolloutVerbs } from '../api/command-verbs.ts';
import { defineSignal, defineUpdate } from '@temporalio/workflow';

/** All of it may be left out. */
export interface Caller {
  /** `metadata.generation` that the caller saw: an object that has another one stays as it is. */
  ifGeneration?: number;
  /** Name that the caller gives itself: it is not checked. */
  by?: string;
}

/** Why a command of another `ifGeneration` is refused. */
export function generationFault(ifGeneration: number, generation: number | undefined): string {
  return `ifGeneration: ${ifGeneration}: the object has generation ${generation}: see what has changed, and ask again if it is still wanted`;
}

/** `does`: as the Temporal UI shows it beside the name. `fields`: beside those of a `Caller`. */
function define<Verb extends string, Payload extends Caller = Caller>(
  verb: Verb,
  does: string,
  fields: readonly Exclude<keyof Payload & string, keyof Caller>[] = [],
) {
  return {
    signal: defineSignal<[Payload]>(verb),
    update: defineUpdate<string, [Payload]>(verb),
    description: does,
    fields: [...fields, 'ifGeneration', 'by'] as readonly string[],
    commandOf: (payload: Payload) => ({ ...payload, verb }),
  };
}

/** Commands to a machine that waits. */
export const machineCommands = {
  retryNow: define('retryNow', 'tries again at once'),
  skipDrain: define('skipDrain', 'the instance goes with the pods on it'),
  forceDelete: define('forceDelete', 'deletes the pods without asking their budgets'),
  extendDrain: define<'extendDrain', Caller & { minutes: number }>(
    'extendDrain',
    'pods that are left are deleted by force so much later',
    ['minutes'],
  ),
  skipVolumeWait: define('skipVolumeWait', 'does not wait for volumes to detach'),
  selectForUpdate: define('selectForUpdate', 'its Node is updated in place next'),
  retryUpdate: define('retryUpdate', 'the agent on its Node is to try the failed update again'),
  giveUpUpdate: define('giveUpUpdate', 'fails for its failed update: it goes, with its disks'),
} satisfies Record<(typeof machineVerbs)[number], unknown>;

/** Commands to a rollout. */
export const rolloutCommands = {
  pause: define('pause', 'the rollout stands still'),
  resume: define('resume', 'goes on, also past a canary or its present wave'),
  rollback: define<'rollback', Caller & { revision?: number }>(
    'rollback',
    'goes back to the template of that revision; 0: the one before',
    ['revision'],
  ),
  setReplicas: define<'setReplicas', Caller & { replicas: number }>(
    'setReplicas',
    'writes `spec.replicas`',
    ['replicas'],
  ),
  overridePolicies: define<'overridePolicies', Caller & { minutes: number; reason: string }>(
    'overridePolicies',
    'windows of policies do not count for so long, 7 days at most',
    ['minutes', 'reason'],
  ),
} satisfies Record<(typeof rolloutVerbs)[number], unknown>;

type PayloadOf<Definition> = Definition extends { signal: SignalDefinition<[infer Payload]> }
  ? Payload
  : never;

type CommandOf<Table> = {
  [Verb in keyof Table]: PayloadOf<Table[Verb]> & { verb: Verb };
}[keyof Table];

export type MachineCommand = CommandOf<typeof machineCommands>;
export type RolloutCommand = CommandOf<typeof rolloutCommands>;
