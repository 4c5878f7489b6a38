import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { flagDefinitions } from './flags-schema.ts';

const folder = '../../../deploy/helm/millwright';
const filepath = fileURLToPath(new URL(`${folder}/values.schema.json`, import.meta.url));

test('the schema of the values knows each flag, and no other', async () => {
  const text = await readFile(filepath, 'utf8');
  const schema: object = JSON.parse(text);
  const definitions = flagDefinitions();
  const options = { ...(await resolveConfig(filepath)), filepath };
  const wanted = await format(JSON.stringify({ ...schema, definitions }, null, 2), options);
  if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(filepath, wanted);
  expect(JSON.parse(await readFile(filepath, 'utf8'))).toEqual(JSON.parse(wanted));
});
