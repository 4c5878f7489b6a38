import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalEntry } from '../../../deploy/local/virtual-cloud/happenings.ts';
import { openJournal } from '../../../deploy/local/virtual-cloud/journal.ts';
import { temporaryFolder } from './a-cloud.ts';

let folder = '';
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => rmSync(folder, { recursive: true }));

const fileOf = (): string => join(folder, 'journal.jsonl');

function open(): ReturnType<typeof openJournal> & { replayed: JournalEntry[] } {
  const replayed: JournalEntry[] = [];
  return { ...openJournal(folder, (entry) => replayed.push(entry)), replayed };
}

function write(...names: string[]): void {
  const { journal } = open();
  for (const name of names) journal.append({ type: 'vanished', id: 'i', name });
  journal.close();
}

test('the entries of the journal are replayed in order, and numbers go on', () => {
  write('a', 'b');
  const { journal, replayed, droppedBytes } = open();
  expect(replayed).toMatchObject([
    { seq: 1, name: 'a' },
    { seq: 2, name: 'b' },
  ]);
  expect(droppedBytes).toBe(0);
  expect(journal.append({ type: 'vanished', id: 'i', name: 'c' }).seq).toBe(3);
  journal.close();
});

test('an entry of the journal is in the file when append returns', () => {
  const { journal } = open();
  journal.append({ type: 'vanished', id: 'i', name: 'ä' });
  expect(readFileSync(fileOf(), 'utf8')).toMatch(/"name":"ä"}\n$/);
  journal.close();
});

test('a half-written last line of the journal is dropped, and the next one starts clean', () => {
  write('a');
  appendFileSync(fileOf(), '{"seq":2,"type":"vani');
  const { journal, replayed, droppedBytes } = open();
  expect(replayed).toHaveLength(1);
  expect(droppedBytes).toBe(21);
  journal.append({ type: 'vanished', id: 'i', name: 'b' });
  journal.close();
  expect(open().replayed).toMatchObject([
    { seq: 1, name: 'a' },
    { seq: 2, name: 'b' },
  ]);
});

test('a broken line of the journal before the last is an error', () => {
  write('a');
  appendFileSync(fileOf(), 'nonsense\n');
  expect(open).toThrow(/journal\.jsonl:2 is not JSON/);
});

test('a part of the journal can be read', () => {
  write('a', 'b', 'c', 'd');
  const { journal } = open();
  expect(journal.read(1, 2)).toMatchObject([{ name: 'b' }, { name: 'c' }]);
  expect(journal.read(9, 2)).toEqual([]);
  journal.close();
});
