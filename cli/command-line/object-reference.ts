/** Objects as kubectl names them on its command line: `machine/NAME` or `machine NAME`. */
import type { Command } from 'commander';
import { group } from '../../workflows/api/constants.ts';
import { UsageError } from './usage-error.ts';

const objectKinds = ['machine', 'machineset', 'machinedeployment', 'node'] as const;
export type ObjectKind = (typeof objectKinds)[number];

export interface ObjectReference {
  kind: ObjectKind;
  name: string;
}

/** The short names of deploy/crds and of Nodes, and those that Cluster API has for its kinds. */
const shortNames: Record<ObjectKind, readonly string[]> = {
  machine: ['mc', 'ma'],
  machineset: ['mcs', 'ms'],
  machinedeployment: ['mcd', 'md'],
  node: ['no'],
};

/** Undefined for a kind that is none of ours. */
export function kindOf(word: string): ObjectKind | undefined {
  const text = word.toLowerCase();
  // `kubectl get -o name` prints `machine.machine.sapcloud.io/NAME`.
  const ofOurs = text.endsWith(`.${group}`);
  const plain = ofOurs ? text.slice(0, -group.length - 1) : text;
  const kind = objectKinds.find((known) =>
    [known, `${known}s`, ...shortNames[known]].includes(plain),
  );
  return kind === 'node' && ofOurs ? undefined : kind;
}

/**
 * Reads the words of an argument: `machine/NAME`, or `machine NAME`.
 *
 * @param allowed Kinds that the command takes; all by default.
 * @throws {UsageError} With what is allowed.
 */
export function readReference(
  words: readonly string[],
  allowed: readonly ObjectKind[] = objectKinds,
): ObjectReference {
  const given = words.join(' ');
  const [kindWord, name] = partsOf(words);
  if (name === '' || name.includes('/')) {
    const fault = given === '' ? 'An object is missing' : `"${given}" names no object`;
    throw new UsageError(`${fault}. Allowed: ${formsOf(allowed)}.`);
  }
  const kind = kindOf(kindWord);
  if (kind === undefined || !allowed.includes(kind)) {
    throw new UsageError(
      `"${kindWord}" in "${given}" is no kind for this command. Allowed: ${formsOf(allowed)}.`,
    );
  }
  // Kubernetes takes this for a name of these kinds.
  if (!/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(name)) {
    throw new UsageError(
      `"${name}" in "${given}" is no name. Allowed: small letters, digits, "-" and "."; at most 253.`,
    );
  }
  return { kind, name };
}

/** The name is empty where there is none, or more than one. */
function partsOf(words: readonly string[]): [kind: string, name: string] {
  const [first = '', second, ...rest] = words;
  if (rest.length > 0) return [first, ''];
  if (second !== undefined) return [first, second];
  const slash = first.indexOf('/');
  return slash < 0 ? [first, ''] : [first.slice(0, slash), first.slice(slash + 1)];
}

function formsOf(kinds: readonly ObjectKind[]): string {
  return kinds.map((kind) => `${kind}/NAME (${shortNames[kind].join(', ')})`).join(', ');
}

/** As `-o name` prints it. */
export function formatReference({ kind, name }: ObjectReference): string {
  return `${kind}/${name}`;
}

/**
 * Adds the argument. What the action gets for it are the words; `readReference` makes the reference
 * of them.
 */
export function withReference(command: Command): Command {
  return command.argument('<kind/name...>', 'as for kubectl: KIND/NAME or KIND NAME');
}
