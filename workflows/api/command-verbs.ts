import { annotations, drainOptions, labels } from './constants.ts';

/** Commands for a Machine and a MachineDeployment. */
export const machineVerbs = [
  'retryNow',
  'skipDrain',
  'forceDelete',
  'extendDrain',
  'skipVolumeWait',
  'selectForUpdate',
  'retryUpdate',
  'giveUpUpdate',
] as const;

/** Texts that a worker writes on the Machine for a command, and in its Event. */
export const machineCommandEffects: Record<
  (typeof machineVerbs)[number],
  {
    reason: string;
    words: string;
    metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  }
> = {
  retryNow: { reason: 'RetryNow', words: 'Tried again at once' },
  skipDrain: {
    reason: 'DrainSkipped',
    words: 'Drain skipped',
    metadata: { annotations: { [drainOptions.skip]: 'true' } },
  },
  forceDelete: {
    reason: 'ForceDeletion',
    words: 'Deletion by force',
    metadata: { labels: { [labels.forceDeletion]: 'True' } },
  },
  // Until when depends on the drain.
  extendDrain: { reason: 'DrainExtended', words: 'Drain extended' },
  skipVolumeWait: {
    reason: 'VolumeWaitSkipped',
    words: 'Volumes are not waited for',
    metadata: { annotations: { [drainOptions.skipVolumeWait]: 'true' } },
  },
  // Written on its Node.
  selectForUpdate: { reason: 'SelectedForUpdate', words: 'Selected for its update in place' },
  // What they write is on the Node and in the status.
  retryUpdate: { reason: 'InPlaceUpdateRetried', words: 'Its update in place is tried again' },
  giveUpUpdate: {
    reason: 'InPlaceUpdateGivenUp',
    words: 'Its update in place was given up: its MachineSet lets it go, and its disks with it',
  },
};

export const rolloutVerbs = [
  'pause',
  'resume',
  'rollback',
  'setReplicas',
  'overridePolicies',
] as const;

/** Longer ones are refused as a whole: the text stands in signals and in histories. */
export const longestWrittenCommand = 300;

/** Annotation `millwright.dev/command`; of one that is too long so much that this shows. */
export function commandIn(notes: Record<string, string> = {}): string | undefined {
  return notes[annotations.command]?.slice(0, longestWrittenCommand + 1);
}
