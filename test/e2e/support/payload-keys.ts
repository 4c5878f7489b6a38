/** Files of keys for `--payload-keys`, gone with the test. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface PayloadKeyFile {
  path: string;
  /** The key that encrypts from now on. */
  use(id: string): void;
  remove(): void;
}

/** The first one encrypts. */
export function writePayloadKeys(...ids: readonly string[]): PayloadKeyFile {
  const folder = mkdtempSync(join(tmpdir(), 'millwright-keys-'));
  const path = join(folder, 'keys');
  const keys = ids.map((id) => ({ id, line: `${id} ${randomBytes(32).toString('base64')}` }));
  const use = (first: string): void => {
    const sorted = keys.toSorted((a, b) => Number(b.id === first) - Number(a.id === first));
    writeFileSync(path, `${sorted.map(({ line }) => line).join('\n')}\n`, { mode: 0o600 });
  };
  use(ids[0] ?? '');
  return { path, use, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
