import { annotations } from './constants.ts';

/** Commands for a Machine and a MachineDeployment. */
export const machineVerbs = [
  'retryNow',
  'skipDrain',
  'forceDelete',
  'extendDrain',
  'skipVolumeWait',
] as const;

export const rolloutVerbs = ['pause', 'resume', 'rollback', 'setReplicas'] as const;

/** Longer ones are refused as a whole: the text stands in signals and in histories. */
export const longestWrittenCommand = 300;

/** Annotation `millwright.dev/command`; of one that is too long so much that this shows. */
export function commandIn(notes: Record<string, string> = {}): string | undefined {
  return notes[annotations.command]?.slice(0, longestWrittenCommand + 1);
}
