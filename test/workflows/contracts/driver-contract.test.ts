/** The JSON schema of what drivers serve is the source of the types. */
import { readFile, writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';
import {
  generateDriverContract,
  options,
  readSchema,
  sharedNames,
  typesFile,
} from '../../../tools/generate-driver-contract.ts';
import type { ObjectReference } from '../../../workflows/contracts/references.ts';
import type { Instance, MachineFailure } from '../../../workflows/plan/machine/facts.ts';
import type { NodeTemplate } from '../../../workflows/plan/machine/node-template.ts';
import type { SharedTypes } from './shared-types.ts';

const sharedFile = new URL('shared-types.ts', import.meta.url);

interface Core {
  ObjectReference: ObjectReference;
  Instance: Instance;
  MachineFailure: MachineFailure;
  NodeTemplate: NodeTemplate;
}

/** With all optional fields: those that only one side has would be assignable. */
type Whole<T> = T extends (infer Item)[]
  ? Whole<Item>[]
  : T extends object
    ? { [Field in keyof T]-?: Whole<Exclude<T[Field], undefined>> }
    : T;

// These do not compile when one has a field or a value that the other does not have, or is less
// strict about one.
const sameTypes = [
  (core: Core): SharedTypes => core,
  (schema: SharedTypes): Core => schema,
  (core: Whole<Core>): Whole<SharedTypes> => core,
  (schema: Whole<SharedTypes>): Whole<Core> => schema,
];

test('driver-contract.ts is made from the schema (else: npm run generate)', async () => {
  expect(await readFile(typesFile, 'utf8')).toBe(await generateDriverContract());
});

test('types that the core shares with drivers are those of the schema', async () => {
  const { $defs } = await readSchema();
  const properties = Object.fromEntries(
    sharedNames.map((name) => [name, { $ref: `#/$defs/${name}` }]),
  );
  const schema = { type: 'object', properties, required: sharedNames, $defs } as const;
  const banner = '/** Made from driver.schema.json with UPDATE_GOLDEN=1; do not edit. */';
  const text = await compile(withoutDescriptions(schema), 'SharedTypes', {
    ...options,
    bannerComment: banner,
    unreachableDefinitions: false,
  });
  if (process.env['UPDATE_GOLDEN']) await writeFile(sharedFile, text);
  expect(await readFile(sharedFile, 'utf8')).toBe(text);
  expect(sameTypes).toHaveLength(4);
});

/** They would make a long file of it. */
function withoutDescriptions(schema: object): Parameters<typeof compile>[0] {
  return JSON.parse(
    JSON.stringify(schema, (name, value: unknown) => (name === 'description' ? undefined : value)),
  );
}
