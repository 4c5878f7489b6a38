/**
 * A command as it is written on an object: annotation `millwright.dev/command`, with the verb and
 * its fields, such as `extendDrain minutes=30 by=ada`. The worker does it once and removes the
 * annotation in the same write.
 */
import type { MachineCommand, RolloutCommand } from './commands.ts';
import { machineVerbs, rolloutVerbs } from '../api/command-verbs.ts';
import { annotations } from '../api/constants.ts';
import { quoted } from '../api/validation.ts';

/** Longer ones are refused as a whole: the text stands in a history. */
export const longestWrittenCommand = 300;

export type WrittenCommand<Command> = { command: Command } | { fault: string };

export const writtenMachineCommand = readerOf<MachineCommand>(machineVerbs);
export const writtenRolloutCommand = readerOf<RolloutCommand>(rolloutVerbs);

function readerOf<Command>(verbs: readonly string[]): (text: string) => WrittenCommand<Command> {
  return (text) => {
    const [verb = '', ...fields] = text.trim().split(/\s+/);
    if (text.length > longestWrittenCommand) {
      return { fault: `it must be at most ${longestWrittenCommand} characters` };
    }
    if (!verbs.includes(verb)) {
      return { fault: `${quoted(verb)}: must be one of ${verbs.join(', ')}` };
    }
    const command: Record<string, unknown> = { verb };
    for (const field of fields) {
      const read = fieldIn(field);
      if (!read) return { fault: `${quoted(field)}: ${allowedFields}` };
      command[read.name] = read.value;
    }
    if (!isOfVerb<Command>(command)) throw new Error(`a command without a verb: ${text}`);
    return { command };
  };
}

/** The workflow checks the values, as it does those of a signal. */
function isOfVerb<Command>(fields: object): fields is object & Command {
  return 'verb' in fields;
}

const numbers = new Set(['minutes', 'replicas', 'revision']);
const allowedFields = 'must be minutes=NUMBER, replicas=NUMBER, revision=NUMBER or by=NAME';

function fieldIn(text: string): { name: string; value: unknown } | undefined {
  const [, name = '', value = ''] = /^(\w+)=(\S+)$/.exec(text) ?? [];
  if (name === 'by') return { name, value };
  if (!numbers.has(name) || !/^\d{1,15}(\.\d{1,3})?$/.test(value)) return undefined;
  return { name, value: Number(value) };
}

/** As it has to be written, `by` left out. */
export function formatCommand({
  verb,
  by: _by,
  ...fields
}: MachineCommand | RolloutCommand): string {
  const parts = Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`);
  return [verb, ...parts].join(' ');
}

/** How a person writes it. `resource`: as kubectl names the kind. */
export function howToWrite(
  { resource, namespace, name }: { resource: string; namespace: string; name: string },
  command: MachineCommand | RolloutCommand,
): string {
  return `kubectl -n ${namespace} annotate ${resource} ${name} '${annotations.command}=${formatCommand(command)}'`;
}
