import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { providersPage } from './providers-page.ts';

const filepath = fileURLToPath(
  new URL('../../../../docs/kubermatic-providers.md', import.meta.url),
);

test('docs/kubermatic-providers.md says what the tables say', async () => {
  const page = await format(providersPage(), { ...(await resolveConfig(filepath)), filepath });
  if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(filepath, page);
  expect(await readFile(filepath, 'utf8')).toBe(page);
});
