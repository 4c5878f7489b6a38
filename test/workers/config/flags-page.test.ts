import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { flagsPage } from './flags-page.ts';

const filepath = fileURLToPath(new URL('../../../docs/flags.md', import.meta.url));

test('docs/flags.md says what the flag tables say', async () => {
  const page = await format(flagsPage(), { ...(await resolveConfig(filepath)), filepath });
  if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(filepath, page);
  expect(await readFile(filepath, 'utf8')).toBe(page);
});
