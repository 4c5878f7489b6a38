/** The append-only file that outlives the process: one JSON object per line. */
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Happening, JournalEntry } from './happenings.ts';

export interface Journal {
  /**
   * Returns when the line is in the hands of the operating system: it survives kill -9, not a power
   * cut.
   */
  append(happening: Happening): JournalEntry;
  /** Entries after number `since`, `limit` at most. */
  read(since: number, limit: number): JournalEntry[];
  close(): void;
}

/** Hands each entry of an earlier life to `replay`, in order, before it returns. */
export function openJournal(
  folder: string,
  replay: (entry: JournalEntry) => void,
): { journal: Journal; droppedBytes: number } {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'journal.jsonl');
  const descriptor = openSync(file, 'a+');
  const content = readFileSync(descriptor);
  const whole = content.lastIndexOf('\n') + 1;
  // A line without its end was never answered: the process was killed in the middle of the write.
  if (whole < content.length) ftruncateSync(descriptor, whole);
  let bytes = whole;
  let seq = replayLines(content.toString('utf8', 0, whole), file, replay);
  const journal: Journal = {
    append(happening) {
      const entry: JournalEntry = { seq: seq + 1, at: Date.now(), ...happening };
      bytes += appendWhole(descriptor, `${JSON.stringify(entry)}\n`, bytes);
      seq = entry.seq;
      return entry;
    },
    // From the file, not from memory: it is read by people and tests, and grows without end.
    read: (since, limit) =>
      linesOf(readFileSync(file, 'utf8'))
        .slice(since, since + limit)
        .map((line, index) => parseLine(line, `${file}:${since + index + 1}`)),
    close: () => closeSync(descriptor),
  };
  return { journal, droppedBytes: content.length - whole };
}

/** All or nothing: a part of a line, as a full disk leaves it, would spoil the next one. */
function appendWhole(descriptor: number, line: string, bytesBefore: number): number {
  try {
    writeFileSync(descriptor, line);
  } catch (error) {
    ftruncateSync(descriptor, bytesBefore);
    throw error;
  }
  return Buffer.byteLength(line);
}

function replayLines(text: string, file: string, replay: (entry: JournalEntry) => void): number {
  const lines = linesOf(text);
  for (const [index, line] of lines.entries()) replay(parseLine(line, `${file}:${index + 1}`));
  return lines.length;
}

const linesOf = (text: string): string[] => text.split('\n').slice(0, -1);

function parseLine(line: string, place: string): JournalEntry {
  try {
    const entry: JournalEntry = JSON.parse(line);
    return entry;
  } catch (cause) {
    throw new Error(
      `${place} is not JSON. Fix or remove the line, or start with an empty folder.`,
      {
        cause,
      },
    );
  }
}
