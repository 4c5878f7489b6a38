/**
 * Texts of the annotations `millwright.dev/invalid` and `/ignored-keys` of a MachineClass: a line
 * for each reason.
 */
import { clip } from '../../values/clip.ts';

/** An Event repeats it, and the API server takes 1024 characters there. */
const longestNoteBytes = 1_000;
/** One reason must not hide the others. */
const longestReasonBytes = 400;
/**
 * The use for which the credentials were refused. Credentials that may not list may be allowed to
 * create, and the other way round: a success ends a refusal of its own use only.
 */
export type CredentialUse = 'machines' | 'listing';

/** Begins the line of what a cloud said. All others are faults of class and Secret. */
const refusalMarks: Readonly<Record<CredentialUse, string>> = {
  machines: 'credentials: ',
  listing: 'credentials, to list instances: ',
};

export interface NoteChange {
  /** Absent: nothing is known to be wrong, and the annotation goes. */
  note?: string;
  event: {
    type: 'Normal' | 'Warning';
    reason: 'InvalidClass' | 'CredentialsRefused' | 'ClassValid' | 'KeysIgnored' | 'NoKeysIgnored';
    message: string;
  };
}

/**
 * After a read of class and Secrets. Once they were edited, what a cloud said of the credentials
 * counts no more: the next call shows. Undefined when the note says that already.
 */
export function noteFaults(
  before: string | undefined,
  faults: string[],
  { isEdited }: { isEdited: boolean },
): NoteChange | undefined {
  const refusals = isEdited ? [] : linesOf(before).filter(isRefusal);
  const note = noteOf([...refusals, ...faults]);
  if (note === (before ?? '')) return undefined;
  return note === '' ? valid : { note, event: warning('InvalidClass', note) };
}

/**
 * A cloud refuses the credentials. Undefined when that is said, in whatever words: each call may be
 * refused in its own.
 */
export function noteRefusal(
  before: string | undefined,
  refusal: string,
  use: CredentialUse,
): NoteChange | undefined {
  if (isRefusedNote(before, use)) return undefined;
  const line = `${refusalMarks[use]}${refusal}`;
  const note = noteOf([line, ...linesOf(before)]);
  return { note, event: warning('CredentialsRefused', noteOf([line])) };
}

/** A cloud took the credentials. Undefined when they were not refused. */
export function noteAcceptance(
  before: string | undefined,
  use: CredentialUse,
): NoteChange | undefined {
  if (!isRefusedNote(before, use)) return undefined;
  const rest = linesOf(before).filter((line) => !line.startsWith(refusalMarks[use]));
  return noteFaults(before, rest, { isEdited: true });
}

/**
 * Keys of a provider spec that the driver ignores. Undefined when the annotation names exactly
 * these.
 */
export function noteIgnoredKeys(
  before: string | undefined,
  warnings: string[],
): NoteChange | undefined {
  const note = noteOf(warnings);
  if (note === (before ?? '')) return undefined;
  return note === '' ? noKeysIgnored : { note, event: warning('KeysIgnored', note) };
}

const noKeysIgnored: NoteChange = {
  event: {
    type: 'Normal',
    reason: 'NoKeysIgnored',
    message: 'No key of the provider spec looks like a misspelled field any more',
  },
};

export function isRefusedNote(note: string | undefined, use: CredentialUse): boolean {
  return linesOf(note).some((line) => line.startsWith(refusalMarks[use]));
}

const isRefusal = (line: string): boolean =>
  Object.values(refusalMarks).some((mark) => line.startsWith(mark));

const valid: NoteChange = {
  event: {
    type: 'Normal',
    reason: 'ClassValid',
    message: 'Nothing is known any more to be wrong with class and Secrets',
  },
};

function warning(
  reason: 'InvalidClass' | 'CredentialsRefused' | 'KeysIgnored',
  message: string,
): NoteChange['event'] {
  return { type: 'Warning', reason, message };
}

function linesOf(note: string | undefined): string[] {
  return (note ?? '').split('\n').filter((line) => line !== '');
}

/** Twice the same is the same, so that a note can be compared with the one before. */
function noteOf(reasons: string[]): string {
  const lines = reasons.map((reason) => clip(reason.replaceAll(/\s+/g, ' '), longestReasonBytes));
  return clip(lines.join('\n'), longestNoteBytes);
}
