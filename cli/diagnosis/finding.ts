/** Something that waits for longer than it should, and what a person can do about it. */
import { isoOf } from '../install/times.ts';
import type { Trouble } from './trouble.ts';
import { rankOf, runbookOf } from './trouble.ts';

export interface FoundObject {
  /** As kubectl takes it, e.g. `machine`; `temporal` and `queue` are not of Kubernetes. */
  kind: string;
  name: string;
  /** Absent for what belongs to no namespace. */
  namespace?: string | undefined;
}

/** Times in milliseconds. */
export interface Finding {
  /** Absent where there is no page about it: the cause says all that there is to say. */
  trouble?: Trouble | undefined;
  object: FoundObject;
  /** One sentence without a full stop. */
  cause: string;
  since?: number | undefined;
  until?: number | undefined;
  /** Happens by itself at `until`. */
  sequel?: string | undefined;
  /** To copy. A line that begins with "#" says what the next one does. */
  commands: readonly string[];
}

/** Worst first; among equals, what has lasted longest. */
export function worstFirst(findings: readonly Finding[]): Finding[] {
  return findings.toSorted(
    (a, b) =>
      rankOf(a.trouble) - rankOf(b.trouble) ||
      (a.since ?? Infinity) - (b.since ?? Infinity) ||
      keyOf(a.object).localeCompare(keyOf(b.object)),
  );
}

function keyOf({ namespace = '', kind, name }: FoundObject): string {
  return `${namespace}/${kind}/${name}`;
}

/** For programs: times in ISO 8601. */
export function findingData({ object, since, until, ...finding }: Finding): object {
  const { trouble, cause, sequel, commands } = finding;
  return {
    ...(trouble !== undefined && { trouble, runbook: runbookOf(trouble) }),
    object,
    cause,
    ...(since !== undefined && { since: isoOf(since) }),
    ...(until !== undefined && { until: isoOf(until) }),
    ...(sequel !== undefined && { sequel }),
    commands,
  };
}
