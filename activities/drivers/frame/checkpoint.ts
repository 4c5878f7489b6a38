/**
 * What a call leaves for the next one: operations that go on in the cloud. A malformed checkpoint
 * counts as none.
 */
import { isMeaningName } from '../error-meanings.ts';
import type { Death, Place } from './cloud.ts';
import { parsedJson } from '../../../workflows/values/parsed-json.ts';

/** What is remembered of the make of an instance. */
export interface InsertNote {
  /** Another attempt's note is of no use. */
  requestId: string;
  place: Place;
  operation: string;
  /** Of the part that it makes. Default: it makes the instance. */
  part?: string;
  /** The operation is done: the instance is read once more. */
  isStarted?: boolean;
}

/** What is remembered of the deletion of one thing. */
export interface DeletionNote {
  /** The thing's `uid`. */
  id: string;
  /** Where the cloud names what it works on. */
  operation?: string;
}

/** Whose an adopted instance was: tags, as they stand on it and on its parts. */
export interface EarlierOwner {
  cluster: string;
  token: string;
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

/** Of an attempt whose instance is coming: it is found by its token, and was made all the same. */
export function awaitedCheckpoint(requestId: string): string {
  return JSON.stringify({ awaited: requestId });
}

export function isAwaited(checkpoint: string | undefined, requestId: string): boolean {
  return parse(checkpoint).awaited === requestId;
}

export function insertCheckpoint({ place, ...note }: InsertNote): string {
  return JSON.stringify({ insert: { ...place, ...note } });
}

export function deletionCheckpoint(
  deletions: readonly DeletionNote[],
  owners: readonly EarlierOwner[] = [],
): string {
  return JSON.stringify({ deletions, ...(owners.length > 0 && { owners }) });
}

/** Of the instances that are being deleted, for their parts. */
export function earlierOwnersIn(checkpoint: string | undefined): EarlierOwner[] {
  const { owners } = parse(checkpoint);
  const all: unknown[] = Array.isArray(owners) ? owners : [];
  return all.flatMap((one) => {
    const { cluster, token }: Partial<Record<keyof EarlierOwner, unknown>> = Object(one);
    return typeof cluster === 'string' && typeof token === 'string' ? [{ cluster, token }] : [];
  });
}

/** Undefined when it is missing, or of another attempt. `keys`: those of a place of this cloud. */
export function insertNoteIn(
  checkpoint: string | undefined,
  requestId: string,
  keys: readonly string[],
): InsertNote | undefined {
  const { insert } = parse(checkpoint);
  const { operation, part, isStarted, ...rest }: Record<string, unknown> = Object(insert);
  if (rest['requestId'] !== requestId || !isName(operation)) return undefined;
  const place = keys.map((key): [string, unknown] => [key, rest[key]]);
  if (!place.every((entry): entry is [string, string] => isName(entry[1]))) return undefined;
  return {
    requestId,
    place: Object.fromEntries(place),
    operation,
    ...(typeof part === 'string' && { part }),
    ...(isStarted === true && { isStarted: true }),
  };
}

/** By `uid` of the thing. */
export function deletionNotesIn(checkpoint: string | undefined): Map<string, DeletionNote> {
  const { deletions } = parse(checkpoint);
  const notes: unknown[] = Array.isArray(deletions) ? deletions : [];
  return new Map(
    notes.flatMap((note) => {
      const { id, operation }: Partial<Record<keyof DeletionNote, unknown>> = Object(note);
      if (typeof id !== 'string') return [];
      if (operation === undefined) return [[id, { id }]];
      return isName(operation) ? [[id, { id, operation }]] : [];
    }),
  );
}

/** It becomes a part of URLs. */
function isName(text: unknown): text is string {
  return typeof text === 'string' && /^[A-Za-z0-9]([-\w.:]*\w)?$/.test(text);
}

interface Notes {
  awaited?: unknown;
  insert?: unknown;
  deletions?: unknown;
  owners?: unknown;
  failed?: unknown;
}

const parse = (checkpoint: string | undefined): Notes => Object(parsedJson(checkpoint));
