/** The file of --payload-keys, and what is said of one that is wrong: never a part of a key. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPayloadKeys } from '../../../workers/payloads/keys.ts';

const folder = mkdtempSync(join(tmpdir(), 'payload-keys-'));
const file = join(folder, 'keys');
afterAll(() => rmSync(folder, { recursive: true }));

const keyText = (fill: number): string => Buffer.alloc(32, fill).toString('base64');

function read(text: string) {
  writeFileSync(file, text);
  return readPayloadKeys(file);
}

test('keys are read in the order of the file, without comments and empty lines', () => {
  const keys = read(`# of this year\n2026-11 ${keyText(1)}\n\n  2025-11   ${keyText(2)}  \r\n`);
  expect(keys.map(({ id }) => id)).toEqual(['2026-11', '2025-11']);
  expect(keys.map(({ key }) => key.export()[0])).toEqual([1, 2]);
  expect(JSON.stringify(keys)).not.toContain(keyText(1));
});

test.each([
  ['has no key', '# nothing\n', 'there is no key'],
  ['lacks a key', '2026-11\n', 'line 1: must be an id'],
  ['has an id that cannot be one', `a/b ${keyText(1)}\n`, 'line 1: must be an id'],
  ['has a short key', `\na c2hvcnQtc2VjcmV0\n`, 'line 2: the key a must be 32 bytes in base64'],
  ['has an id twice', `a ${keyText(1)}\na ${keyText(2)}\n`, 'the id a is there twice'],
])('a file that %s is refused', (_what, text, message) => {
  expect(() => read(text)).toThrow(message);
  expect(() => read(text)).not.toThrow(/c2hvcnQ|AQEB/);
});
