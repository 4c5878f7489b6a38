import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { generateApi } from '../../tools/generate-api.ts';
import { schemaFaults } from '../support/api-server/crd-schema.ts';
import { resources } from '../support/api-server/resources.ts';
import { accepted } from '../workflows/api/manifests.ts';
import { allowed } from '../../workflows/api/validation.ts';

interface Schema {
  message?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  [keyword: string]: unknown;
}

interface Crd {
  spec: {
    versions: [
      { schema: { openAPIV3Schema: Schema }; selectableFields: readonly { jsonPath: string }[] },
    ];
  };
}

const crdFolder = new URL('../../deploy/crds/', import.meta.url);
const kinds = ['machine', 'machineset', 'machinedeployment', 'machineclass'];

async function versionOf(kind: string): Promise<Crd['spec']['versions'][0]> {
  const plural = kind.endsWith('s') ? `${kind}es` : `${kind}s`;
  const text = await readFile(new URL(`machine.sapcloud.io_${plural}.yaml`, crdFolder), 'utf8');
  const crd: Crd = parse(text);
  return crd.spec.versions[0];
}

const schemaOf = async (kind: string): Promise<Schema> =>
  (await versionOf(kind)).schema.openAPIV3Schema;

describe('the types in workflows/api', () => {
  test('are those of deploy/crds (else: npm run generate)', async () => {
    const files = await generateApi(crdFolder);
    expect([...files.keys()]).toHaveLength(kinds.length + 1);
    for (const [file, text] of files) {
      const url = new URL(`../../workflows/api/${file}`, import.meta.url);
      expect({ file, text: await readFile(url, 'utf8') }).toEqual({ file, text });
    }
  });
});

describe('the rules in deploy/crds', () => {
  test('say the same as validation.ts', async () => {
    const schemas = await Promise.all(kinds.map(schemaOf));
    const messages = new Set(schemas.flatMap((schema) => valuesOf(schema, 'message')));
    // The API server itself refuses negative replicas, because of the scale subresource.
    const { replicas: _, ...ours } = allowed;
    expect([...messages].toSorted()).toEqual([...new Set(Object.values(ours))].toSorted());
  });

  test('leave stored objects writable: each looks at the old object too', async () => {
    for (const kind of kinds) {
      for (const rule of rulesOf(await schemaOf(kind))) {
        expect(rule).toMatchObject({
          optionalOldSelf: true,
          rule: expect.stringContaining('oldSelf'),
        });
      }
    }
  });

  // From a plain write it takes nulls where none may be, before it checks.
  test.each(accepted)('take of a server-side apply what they store: $name', async ({ object }) => {
    const schema = await schemaOf(object.kind.toLowerCase());
    expect(schemaFaults(schema, JSON.parse(JSON.stringify(object)))).toEqual([]);
  });

  test('do not touch what the controllers write', async () => {
    for (const kind of kinds) {
      const { properties } = await schemaOf(kind);
      expect(rulesOf(properties?.['status'] ?? {})).toEqual([]);
    }
  });
});

test.each(kinds)('a selector finds a %s by the same fields in memory', async (kind) => {
  const { selectableFields } = await versionOf(kind);
  const inMemory = resources.find((resource) => resource.kind.toLowerCase() === kind)?.fields;
  expect(selectableFields.map(({ jsonPath }) => jsonPath.slice(1))).toEqual(inMemory);
});

describe('deploy/examples', () => {
  test.each(kinds)('every-field-%s.yaml shows every field', async (kind) => {
    const url = new URL(`../../deploy/examples/every-field-${kind}.yaml`, import.meta.url);
    const example: unknown = parse(await readFile(url, 'utf8'));
    // The spec of the machines is shown in every-field-machine.yaml only.
    const missing = missingFrom(example, await schemaOf(kind)).filter(
      (path) => !path.startsWith('spec.template.spec.'),
    );
    expect(missing).toEqual([]);
  });
});

/** Paths of fields that the schema has and the value has not. */
function missingFrom(value: unknown, schema: Schema, path = ''): string[] {
  if (schema.items) {
    const first: unknown = Array.isArray(value) ? value[0] : undefined;
    return missingFrom(first, schema.items, path);
  }
  const fields = new Map(Object.entries(typeof value === 'object' && value ? value : {}));
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const here = path === '' ? name : `${path}.${name}`;
    return fields.has(name) ? missingFrom(fields.get(name), field, here) : [here];
  });
}

function rulesOf(schema: unknown): Schema[] {
  const lists: Schema[][] = [];
  JSON.stringify(schema, (key, value: Schema[]) => {
    if (key === 'x-kubernetes-validations') lists.push(value);
    return value;
  });
  return lists.flat();
}

function valuesOf(schema: Schema, keyword: 'message'): string[] {
  return rulesOf(schema).flatMap((rule) => rule[keyword] ?? []);
}
