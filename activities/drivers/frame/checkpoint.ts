/**
 * What a call leaves for the next one: operations that go on in the cloud. A malformed checkpoint
 * counts as none.
 */
import { isMeaningName } from '../error-meanings.ts';
import type { Death, Place } from './cloud.ts';

/** What is remembered of the make of an instance. */
export interface InsertNote {
  /** Another attempt's note is of no use. */
  requestId: string;
  place: Place;
  operation: string;
  /** The operation is done: the instance is read once more. */
  isStarted?: boolean;
}

/** What is remembered of the deletion of one thing. */
export interface DeletionNote {
  /** The thing's `uid`. */
  id: string;
  operation: string;
}

/** An instance that failed as it was made, and is being deleted. */
export interface FailureNote extends Death {
  requestId: string;
  ref: string;
}

export function failureCheckpoint(note: FailureNote): string {
  return JSON.stringify({ failed: note });
}

/** Undefined when it is missing, or of another attempt. */
export function failureNoteIn(
  checkpoint: string | undefined,
  requestId: string,
): FailureNote | undefined {
  const { failed } = parse(checkpoint);
  const note: Partial<Record<keyof FailureNote, unknown>> = Object(failed);
  const { ref, meaning, message } = note;
  if (note.requestId !== requestId || !isName(ref) || typeof message !== 'string') return undefined;
  return isMeaningName(meaning) ? { requestId, ref, meaning, message } : undefined;
}

export function insertCheckpoint({ place, ...note }: InsertNote): string {
  return JSON.stringify({ insert: { ...place, ...note } });
}

export function deletionCheckpoint(deletions: readonly DeletionNote[]): string {
  return JSON.stringify({ deletions });
}

/** Undefined when it is missing, or of another attempt. `keys`: those of a place of this cloud. */
export function insertNoteIn(
  checkpoint: string | undefined,
  requestId: string,
  keys: readonly string[],
): InsertNote | undefined {
  const { insert } = parse(checkpoint);
  const { operation, isStarted, ...rest }: Record<string, unknown> = Object(insert);
  if (rest['requestId'] !== requestId || !isName(operation)) return undefined;
  const place = keys.map((key): [string, unknown] => [key, rest[key]]);
  if (!place.every((entry): entry is [string, string] => isName(entry[1]))) return undefined;
  return {
    requestId,
    place: Object.fromEntries(place),
    operation,
    ...(isStarted === true && { isStarted: true }),
  };
}

/** By `uid` of the thing. */
export function deletionNotesIn(checkpoint: string | undefined): Map<string, DeletionNote> {
  const { deletions } = parse(checkpoint);
  const notes: unknown[] = Array.isArray(deletions) ? deletions : [];
  return new Map(
    notes.flatMap((note) => {
      const { id, operation }: Partial<DeletionNote> = Object(note);
      return typeof id === 'string' && isName(operation) ? [[id, { id, operation }]] : [];
    }),
  );
}

/** It becomes a part of URLs. */
function isName(text: unknown): text is string {
  return typeof text === 'string' && /^[A-Za-z0-9]([-\w.:]*\w)?$/.test(text);
}

interface Notes {
  insert?: unknown;
  deletions?: unknown;
  failed?: unknown;
}

function parse(checkpoint: string | undefined): Notes {
  try {
    return Object(JSON.parse(checkpoint ?? '{}'));
  } catch {
    return {};
  }
}
