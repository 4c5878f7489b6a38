/** Notes on a Machine about its own preservation. */
import { annotations, labels } from './constants.ts';
import type { Machine } from './machine.ts';

/** As it stands there, nonsense included; what is empty is left out. */
export interface PreservationNotes {
  /** Annotation `node.machine.sapcloud.io/preserve`. */
  preserve?: string;
  /** The same of its Node, as it was noted last. */
  lastApplied?: string;
  /** `status.currentStatus.preserveExpiryTime`. */
  expiry?: string;
  /** Label `force-drain`. */
  forcesDrain?: boolean;
}

/** No text of use is as long; of nonsense no more is read, since signals and histories have it. */
const longestNote = 100;

/** Annotation `node.machine.sapcloud.io/preserve` of a Machine or a Node; empty when absent. */
export function preserveNoteIn(notes: Record<string, string> = {}): string {
  return noteOf(notes[annotations.preserve]);
}

const noteOf = (text?: string | null): string => (text ?? '').slice(0, longestNote);

/** Undefined for a machine without any such annotation. */
export function preservationNotesOf({ metadata, status }: Machine): PreservationNotes | undefined {
  const notes = metadata.annotations ?? {};
  const found = {
    preserve: preserveNoteIn(notes),
    lastApplied: noteOf(notes[annotations.lastAppliedPreserve]),
    expiry: noteOf(status?.currentStatus?.preserveExpiryTime),
  };
  const forcesDrain = metadata.labels?.[labels.forceDrain] === 'True';
  const said = Object.entries(found).filter(([, text]) => text !== '');
  if (said.length === 0) return undefined;
  return { ...Object.fromEntries(said), ...(forcesDrain && { forcesDrain }) };
}
