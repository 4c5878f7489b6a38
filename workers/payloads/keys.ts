/** The file of `--payload-keys`: which keys payloads are encrypted with. */
import { createSecretKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface PayloadKey {
  /** Stands in clear beside each payload. */
  id: string;
  /** Key of 32 bytes. It prints nothing of itself. */
  key: KeyObject;
}

/** The first one encrypts; all of them decrypt. */
export type PayloadKeys = readonly [PayloadKey, ...PayloadKey[]];

const keyBytes = 32;
const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/**
 * A key on each line: its id, a blank, and 32 random bytes in base64. Empty lines and lines that
 * begin with `#` say nothing. Throws with the line that is wrong, and with nothing of a key.
 */
export function readPayloadKeys(file: string): PayloadKeys {
  const keys = readFileSync(file, 'utf8')
    .split('\n')
    .map((line, index) => ({ text: line.trim(), where: `${file}, line ${index + 1}` }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'))
    .map(({ text, where }) => keyOf(text, where));
  const twice = keys.find(({ id }, index) => keys.findIndex((key) => key.id === id) < index);
  if (twice) throw new Error(`${file}: the id ${twice.id} is there twice: give each key its own`);
  const [first, ...others] = keys;
  if (!first) throw new Error(`${file}: there is no key: ${howToMakeOne}`);
  return [first, ...others];
}

const howToMakeOne = 'make one with: echo "ID $(openssl rand -base64 32)"';

function keyOf(line: string, where: string): PayloadKey {
  const [id = '', encoded = '', ...rest] = line.split(/\s+/);
  if (!idForm.test(id) || encoded === '' || rest.length > 0) {
    throw new Error(
      `${where}: must be an id of at most 63 letters, digits, ".", "_" and "-", a blank and a key: ${howToMakeOne}`,
    );
  }
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length !== keyBytes || bytes.toString('base64') !== encoded) {
    throw new Error(
      `${where}: the key ${id} must be ${keyBytes} bytes in base64, 44 characters: ${howToMakeOne}`,
    );
  }
  return { id, key: createSecretKey(bytes) };
}
