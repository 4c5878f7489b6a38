/** What a Machine says of its own preservation. */
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
  forcesDrain?: true;
}

/** Undefined for a machine without any such annotation. */
export function preservationNotesOf({ metadata, status }: Machine): PreservationNotes | undefined {
  const notes = metadata.annotations ?? {};
  const found = {
    preserve: notes[annotations.preserve] ?? '',
    lastApplied: notes[annotations.lastAppliedPreserve] ?? '',
    expiry: status?.currentStatus?.preserveExpiryTime ?? '',
  };
  const forcesDrain = metadata.labels?.[labels.forceDrain] === 'True';
  const said = Object.entries(found).filter(([, text]) => text !== '');
  if (said.length === 0) return undefined;
  return { ...Object.fromEntries(said), ...(forcesDrain && { forcesDrain }) };
}
