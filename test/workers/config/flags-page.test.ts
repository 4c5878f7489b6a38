import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { flagsPage } from './flags-page.ts';

const page = new URL('../../../docs/flags.md', import.meta.url);

test('docs/flags.md says what the flag tables say', async () => {
  if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(page, flagsPage());
  expect(await readFile(page, 'utf8')).toBe(flagsPage());
});
