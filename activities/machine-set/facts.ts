/** What plans need to know of a Machine. */
import { annotations, labels } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { defined } from '../../workflows/plan/defined.ts';
import type { MachineFact, Preserve } from '../../workflows/plan/scale-down.ts';
import { preserves } from '../../workflows/plan/scale-down.ts';

const defaultPriority = 3;

export function factOf({ metadata, status }: Machine): MachineFact {
  const notes = metadata.annotations ?? {};
  const { phase = '', preserveExpiryTime } = status?.currentStatus ?? {};
  return defined({
    name: metadata.name,
    uid: metadata.uid,
    phase,
    isDeleting: metadata.deletionTimestamp !== undefined,
    priority: priorityOf(notes[annotations.priority]),
    markedAt: timeOf(notes[annotations.markedForDeletionTime]),
    preservedUntil: timeOf(preserveExpiryTime),
    preserve: preserveOf(notes[annotations.preserve]),
    isUpdatedInPlace: metadata.labels?.[labels.updateResult] === 'successful',
    createdAt: Date.parse(metadata.creationTimestamp),
  });
}

/** Milliseconds; nonsense counts as absent. */
export function timeOf(text: string | null | undefined): number | undefined {
  const time = Date.parse(text ?? '');
  return Number.isFinite(time) ? time : undefined;
}

function priorityOf(text: string | undefined): number {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : defaultPriority;
}

function preserveOf(text: string | undefined): Preserve | undefined {
  return preserves.find((value) => value === text);
}

/** It bears load. `Available` is for a machine without a target cluster what `Running` is for one with a Node. */
export function isAvailable({ status }: Machine): boolean {
  const phase = status?.currentStatus?.phase;
  return phase === 'Running' || phase === 'Available';
}
