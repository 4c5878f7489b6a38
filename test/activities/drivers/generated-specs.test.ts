import { readFile } from 'node:fs/promises';
import {
  driverFolder,
  driversWithSchema,
  generateTypes,
  userDataFolder,
  userDataSchemas,
} from '../../../tools/generate-provider-specs.ts';

test.each([
  ...driversWithSchema.map((driver) => ({ folder: driverFolder(driver), name: 'provider-spec' })),
  ...userDataSchemas.map((name) => ({ folder: userDataFolder, name })),
])('the types of $name in $folder are those of its schema', async ({ folder, name }) => {
  const text = await readFile(new URL(`${name}.ts`, folder), 'utf8');
  expect(text).toBe(await generateTypes(folder, name));
});
