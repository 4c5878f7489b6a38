/** The annotation that asks for those of a pool without machines. */
import { annotations } from './constants.ts';

/** @param notes Annotations of a MachineDeployment. */
export function asksFromZero(notes: Readonly<Record<string, string>>): boolean {
  return notes[annotations.scaleFromZero] === 'true';
}
