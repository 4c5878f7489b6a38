import { readFile } from 'node:fs/promises';
import {
  driverFolder,
  driversWithSchema,
  generateProviderSpec,
} from '../../../tools/generate-provider-specs.ts';

test.each(driversWithSchema)('the types of %s are those of its schema', async (driver) => {
  const text = await readFile(new URL('provider-spec.ts', driverFolder(driver)), 'utf8');
  expect(text).toBe(await generateProviderSpec(driver));
});
