/** The JSON schema of what drivers serve, and the TypeScript types of the port, say the same. */
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { compile } from 'json-schema-to-typescript';
import type { DriverActivities } from '../../../workflows/contracts/driver-activities.ts';
import type { DriverContract } from './driver-contract-types.ts';

const schemaFile = new URL('../../../workflows/contracts/driver.schema.json', import.meta.url);
const typesFile = new URL('driver-contract-types.ts', import.meta.url);

type Activity = keyof DriverActivities;

type Port = {
  [Name in Activity]: {
    input: Parameters<DriverActivities[Name]>[0];
    output: Awaited<ReturnType<DriverActivities[Name]>>;
  };
};

type Schema = { [Name in keyof DriverContract]: Pick<DriverContract[Name], 'input' | 'output'> };

/** With all optional fields: those that only one side has would be assignable. */
type Whole<T> = T extends (infer Item)[]
  ? Whole<Item>[]
  : T extends object
    ? { [Field in keyof T]-?: Whole<Exclude<T[Field], undefined>> }
    : T;

// These do not compile when one has a field, a value or an activity that the other does not have,
// or is less strict about one.
const sameTypes = [
  (port: Port): Schema => port,
  (schema: Schema): Port => schema,
  (port: Whole<Port>): Whole<Schema> => port,
  (schema: Whole<Schema>): Whole<Port> => schema,
];

test('the types are those of the schema', async () => {
  // Descriptions would make a long file of it.
  const schema: Parameters<typeof compile>[0] = JSON.parse(
    await readFile(schemaFile, 'utf8'),
    (name, value: unknown) => (name === 'description' ? undefined : value),
  );
  const text = await compile(schema, 'DriverContract', {
    additionalProperties: false,
    bannerComment:
      '/** Made from workflows/contracts/driver.schema.json with UPDATE_GOLDEN=1; do not edit. */',
    style: { printWidth: 100, singleQuote: true },
  });
  if (process.env['UPDATE_GOLDEN']) await writeFile(typesFile, text);
  expect(await readFile(typesFile, 'utf8')).toBe(text);
  expect(sameTypes).toHaveLength(4);
});
