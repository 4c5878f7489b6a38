import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { documented, metricsPage } from './metrics-page.ts';

const filepath = fileURLToPath(new URL('../../../docs/metrics.md', import.meta.url));

test('docs/metrics.md says what the registries say', async () => {
  const page = await format(metricsPage(), { ...(await resolveConfig(filepath)), filepath });
  if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(filepath, page);
  expect(await readFile(filepath, 'utf8')).toBe(page);
});

test('no series is on the page twice', () => {
  const names = documented.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

test('counters are named as Prometheus asks, but for those of MCM', () => {
  const named = documented.filter(({ name }) => !name.startsWith('mcm_'));
  const wrong = named.filter(({ name, type }) => (type === 'counter') !== name.endsWith('_total'));
  expect(wrong).toEqual([]);
});
