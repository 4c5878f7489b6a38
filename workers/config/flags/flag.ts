/** Definition of a flag. The parser, the help text and docs/flags.md are made of it. */
import type { Kind } from './kinds.ts';

export type Component = 'watcher' | 'worker' | 'front';

/** One of them, or more. */
type Components = Component | readonly Component[];

export const groups = [
  'Clusters',
  'Temporal',
  'Work',
  'Front',
  'Machines',
  'Safety',
  'Leader election',
  'HTTP',
  'Logs',
  'Without effect',
] as const;

export interface Flag<T> {
  group: (typeof groups)[number];
  kind: Kind<T>;
  /** As a person would write it. Several where the processes differ. */
  default: string | Record<Component, string>;
  /** In a process that was started by a name of MCM; default the same. */
  defaultAsMcm?: string;
  says: string;
  /** Set when the flag has no effect in some process: those in which it has one. */
  only?: Components;
  /** Set when the flag is accepted and has no effect: why. */
  noop?: string;
  /** MCM does not have it. */
  ours?: true;
}

/** Of one group, by name. */
export type Flags = Readonly<Record<string, Omit<Flag<unknown>, 'group'>>>;

export function grouped<Table extends Flags>(
  group: Flag<unknown>['group'],
  flags: Table,
): { [Name in keyof Table]: Table[Name] & Pick<Flag<unknown>, 'group'> } {
  const all = Object.entries(flags).map(([name, flag]) => [name, { group, ...flag }]);
  return Object(Object.fromEntries(all));
}

/** Which process the default is for. */
export interface Started {
  component: Component;
  /** See ../mcm-name.ts. */
  isNamedAsMcm?: boolean | undefined;
}

export function defaultOf(
  flag: Pick<Flag<unknown>, 'default' | 'defaultAsMcm'>,
  { component, isNamedAsMcm = false }: Started,
): string {
  if (isNamedAsMcm && flag.defaultAsMcm !== undefined) return flag.defaultAsMcm;
  return typeof flag.default === 'string' ? flag.default : flag.default[component];
}

/**
 * Undefined: the flag has an effect in a process that does the work of `components`. Otherwise a
 * sentence.
 */
export function withoutEffectIn(
  { only }: Pick<Flag<unknown>, 'only'>,
  components: Components,
): string | undefined {
  if (only === undefined) return undefined;
  const users = processesOf(only);
  if (processesOf(components).some((component) => users.includes(component))) return undefined;
  const [first, ...others] = processesOf(only).map((name) => `the ${name}`);
  return others.length === 0
    ? `only ${first} uses it.`
    : `only ${[first, ...others].join(' and ')} use it.`;
}

export function processesOf(only: Components): readonly Component[] {
  return typeof only === 'string' ? [only] : only;
}
