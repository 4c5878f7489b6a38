/**
 * A command as it is written on an object: annotation `millwright.dev/command`, with the verb and
 * its fields, such as `extendDrain minutes=30 by=ada`. The worker does it once and removes the
 * annotation in the same write.
 */
import type { MachineCommand, RolloutCommand } from './commands.ts';
import { longestWrittenCommand, machineVerbs, rolloutVerbs } from '../api/command-verbs.ts';
import { annotations } from '../api/constants.ts';
import { quoted } from '../api/validation.ts';

export type WrittenCommand<Command> = { command: Command } | { fault: string };

export const writtenMachineCommand = readerOf(machineVerbs, (fields): fields is MachineCommand =>
  machineVerbs.some((verb) => verb === fields.verb),
);
export const writtenRolloutCommand = readerOf(rolloutVerbs, (fields): fields is RolloutCommand =>
  rolloutVerbs.some((verb) => verb === fields.verb),
);

interface CommandFields {
  verb: string;
}

/** The workflow checks the values of fields, as it does those of a signal. */
function readerOf<Command extends CommandFields>(
  verbs: readonly string[],
  isCommand: (fields: CommandFields) => fields is Command,
): (text: string) => WrittenCommand<Command> {
  return (text) => {
    const [verb = '', ...rest] = text.trim().split(/\s+/);
    if (text.length > longestWrittenCommand) {
      return { fault: `it must be at most ${longestWrittenCommand} characters` };
    }
    const command: CommandFields & Record<string, unknown> = { verb };
    if (!isCommand(command)) {
      return { fault: `${quoted(verb)}: must be one of ${verbs.join(', ')}` };
    }
    for (const field of fieldsIn(rest)) {
      const read = fieldIn(field);
      if (!read) return { fault: `${quoted(field)}: ${allowedFields}` };
      Object.assign(command, { [read.name]: read.value });
    }
    return { command };
  };
}

/** A reason has several words: those that name no field belong to it. */
function fieldsIn(words: readonly string[]): string[] {
  return words.reduce<string[]>((fields, word) => {
    const last = fields.at(-1);
    const goesOn = last?.startsWith('reason=') === true && !/^\w+=/.test(word);
    return goesOn ? [...fields.slice(0, -1), `${last} ${word}`] : [...fields, word];
  }, []);
}

const numbers = ['minutes', 'replicas', 'revision', 'ifGeneration'];
const allowedFields = `must be ${numbers.map((name) => `${name}=NUMBER`).join(', ')}, reason=TEXT or by=NAME`;

function fieldIn(text: string): { name: string; value: unknown } | undefined {
  const [, name = '', value = ''] = /^(\w+)=(\S.*)$/.exec(text) ?? [];
  if (name === 'by' || name === 'reason') return { name, value };
  if (!numbers.includes(name) || !/^\d{1,15}(\.\d{1,3})?$/.test(value)) return undefined;
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
  // A reason may have a quote in it.
  const text = formatCommand(command).replaceAll("'", `'\\''`);
  return `kubectl -n ${namespace} annotate ${resource} ${name} '${annotations.command}=${text}'`;
}
