/** Hooks: annotations of a Machine with which others hold up its deletion until they are done. */
import type { Condition } from './meta.ts';
import { timeIn } from './time.ts';

/** Each asks for a wait before one part of the deletion. */
export interface DeletionHooks {
  /** Before cordon and drain. */
  drain?: Hook[];
  /** After the drain, before a driver is asked to delete the instance. */
  instance?: Hook[];
}

export type HeldPart = keyof DeletionHooks;

export interface Hook {
  annotation: string;
  /** Its value, in one line. */
  owner: string;
}

/** With the slash. The first is of the coming MCM, the others are of the Cluster API. */
const prefixes: readonly [string, HeldPart][] = [
  ['suspend-instance-deletion.node.machine.sapcloud.io/', 'instance'],
  ['pre-terminate.delete.hook.machine.cluster.x-k8s.io/', 'instance'],
  ['pre-drain.delete.hook.machine.cluster.x-k8s.io/', 'drain'],
];

/** The owner of a hook may need as long to do its part; after that a person should know. */
export const hookPatienceMs = 30 * 60_000;

/** Of either part. Others follow when these are gone. */
export const mostHooks = 20;

/** Signals and histories have it. */
const longestOwner = 100;

/** Undefined where there is none. */
export function hooksIn(annotations: Record<string, string> = {}): DeletionHooks | undefined {
  const hooks: DeletionHooks = {};
  for (const annotation of Object.keys(annotations).toSorted()) {
    const part = prefixes.find(([prefix]) => annotation.startsWith(prefix))?.[1];
    if (part === undefined) continue;
    const held = (hooks[part] ??= []);
    if (held.length < mostHooks) held.push({ annotation, owner: ownerIn(annotations[annotation]) });
  }
  return Object.keys(hooks).length > 0 ? hooks : undefined;
}

function ownerIn(value = ''): string {
  const line = value.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  return Array.from(line).slice(0, longestOwner).join('');
}

/** Name of the annotation without the prefix. */
export function purposeOf({ annotation }: Hook): string {
  return annotation.slice(annotation.indexOf('/') + 1);
}

/** Words for people: the purpose, and whose it is. */
export function formatHook(hook: Hook): string {
  return `${purposeOf(hook)} (${hook.owner || 'no owner'})`;
}

/** Conditions of a Machine while hooks hold one of the parts. */
export const holdConditions = {
  /** False from the end of the wait on: the drain timeout counts from there. */
  drain: 'DrainSuspended',
  /** As in the coming MCM; there only while it holds. */
  instance: 'InstanceDeletionSuspended',
} as const satisfies Record<HeldPart, string>;

/** What the conditions of a Machine that is being deleted say of its hooks. */
export interface HoldReport {
  /** Absent while none holds it. */
  held?: { since: number; message: string };
  /** Milliseconds. */
  drainHeldUntil?: number;
}

/** A time that others made nonsense of is long ago. */
export function holdReportIn(
  conditions: readonly Condition[] | null = [],
  parse: (text: string) => number,
): HoldReport {
  const holds = conditions?.filter(isHoldCondition) ?? [];
  const timeOf = (condition: Condition) => timeIn(condition.lastTransitionTime, parse) ?? 0;
  const held = holds.find(({ status }) => status === 'True');
  const drain = holds.find(({ type }) => type === holdConditions.drain);
  return {
    ...(held && { held: { since: timeOf(held), message: held.message ?? '' } }),
    ...(drain?.status === 'False' && { drainHeldUntil: timeOf(drain) }),
  };
}

/** Not copied from a Node, and kept when the conditions of the Node are. */
export function isHoldCondition({ type }: { type: string }): boolean {
  return Object.values<string>(holdConditions).includes(type);
}
