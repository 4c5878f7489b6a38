/**
 * What a call leaves for the next one: operations that go on at Google. A malformed checkpoint
 * counts as none.
 */

/** What is remembered of an insert. */
export interface InsertNote {
  /** Another attempt's note is of no use. */
  requestId: string;
  project: string;
  zone: string;
  operation: string;
  /**
   * The operation is done: the instance is looked at once more, as Google may take it back at once.
   */
  isStarted?: boolean;
}

/** What is remembered of the deletion of one instance. */
export interface DeletionNote {
  /** The instance's ID. */
  id: string;
  operation: string;
}

export function insertCheckpoint(note: InsertNote): string {
  return JSON.stringify({ insert: note });
}

export function deletionCheckpoint(deletions: readonly DeletionNote[]): string {
  return JSON.stringify({ deletions });
}

/** Undefined when it is missing, or of another attempt or project. */
export function insertNoteIn(
  checkpoint: string | undefined,
  { requestId, project }: Pick<InsertNote, 'requestId' | 'project'>,
): InsertNote | undefined {
  const { insert } = parse(checkpoint);
  const note: Partial<InsertNote> = Object(insert);
  const { operation, zone } = note;
  if (note.requestId !== requestId || note.project !== project) return undefined;
  if (!isName(operation) || !isName(zone)) return undefined;
  return {
    requestId,
    project,
    zone,
    operation,
    ...(note.isStarted === true && { isStarted: true }),
  };
}

/** By ID of the instance. */
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
  return typeof text === 'string' && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(text);
}

function parse(checkpoint: string | undefined): { insert?: unknown; deletions?: unknown } {
  try {
    return Object(JSON.parse(checkpoint ?? '{}'));
  } catch {
    return {};
  }
}
