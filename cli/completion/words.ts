/** Reads the words of an unfinished command line. */
import { homedir } from 'node:os';
import type { ObjectKind } from '../command-line/object-reference.ts';

export interface Words {
  /** Kinds of objects that are to be completed; none: something else is. */
  kinds: readonly ObjectKind[];
  /** The option whose value is to be completed, by its long name. */
  option: 'namespace' | 'context' | 'class' | 'profile' | undefined;
  /** Begun name, or begun value of the option. */
  typed?: string;
  namespace?: string;
  context?: string;
  kubeconfig?: string;
  targetKubeconfig?: string;
}

const longNames = new Map([
  ['-n', 'namespace'],
  ['--namespace', 'namespace'],
  ['--context', 'context'],
  ['--class', 'class'],
  ['--profile', 'profile'],
  ['--kubeconfig', 'kubeconfig'],
  ['--target-kubeconfig', 'targetKubeconfig'],
]);

/** Kinds for commands that do not take every kind. */
const kindsOf = new Map<string, readonly ObjectKind[]>([
  ['rollout', ['machinedeployment']],
  ['plan', ['machinedeployment']],
  ['drain', ['machine']],
  ['retry', ['machine']],
  ['skip-drain', ['machine']],
  ['force-delete', ['machine']],
  ['skip-volume-wait', ['machine']],
  ['extend-drain', ['machine']],
  ['select-for-update', ['machine', 'node']],
  ['retry-update', ['machine']],
  ['give-up-update', ['machine']],
  ['preserve', ['machine', 'node']],
  ['timeline', ['machine']],
  ['userdata', []],
]);
const mostKinds: readonly ObjectKind[] = ['machine', 'machineset', 'machinedeployment'];

/** The last word is the one that is to be completed; it may be empty. */
export function wordsBefore(words: readonly string[]): Words {
  const last = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const [command = ''] = before;
  const option = optionOf(last, before.at(-1));
  const isCommand = command !== '' && !command.startsWith('-');
  const isObject = option === undefined && !last.startsWith('-') && isCommand;
  const kinds = isObject ? (kindsOf.get(command) ?? mostKinds) : [];
  return {
    kinds,
    option,
    typed: option !== undefined && last.includes('=') ? last.slice(last.indexOf('=') + 1) : last,
    ...valuesIn(before),
  };
}

function valuesIn(words: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [index, word] of words.entries()) {
    const [flag = '', value = words[index + 1]] = word.split('=', 2);
    const name = longNames.get(flag);
    if (name === undefined || value === undefined) continue;
    // zsh and fish hand on `~` as it was typed.
    values[name] = value.replace(/^~(?=\/)/, homedir);
  }
  return values;
}

const completed = ['namespace', 'context', 'class', 'profile'] as const;

function optionOf(last: string, previous: string | undefined): Words['option'] {
  const name = longNames.get(last.includes('=') ? (last.split('=')[0] ?? '') : (previous ?? ''));
  return completed.find((one) => one === name);
}
