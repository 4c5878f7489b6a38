/**
 * deploy/examples/clouds/gcp.yaml: each field of the provider spec is in it, is valid, and reaches
 * the request.
 */
import { readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import { credentialsOf } from '../../../../activities/drivers/gcp/credentials.ts';
import { validateProviderSpec } from '../../../../activities/drivers/gcp/validate.ts';

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  $ref?: string;
  $defs?: Record<string, Schema>;
  description?: string;
}

const read = async (path: string): Promise<string> =>
  await readFile(new URL(`../../../../${path}`, import.meta.url), 'utf8');
const text = await read('deploy/examples/clouds/gcp.yaml');
const [secret, machineClass] = parseAllDocuments(text).map((document) => Object(document.toJS()));
const schema: Schema = JSON.parse(await read('activities/drivers/gcp/provider-spec.schema.json'));

/** `disks[].boot` and so on, of all fields that hold no others. */
function leaves(node: Schema, path = ''): string[] {
  const { $ref } = node;
  if ($ref) return leaves(schema.$defs?.[$ref.replace('#/$defs/', '')] ?? {}, path);
  if (node.items) return leaves(node.items, `${path}[]`);
  const fields = Object.entries(node.properties ?? {});
  if (fields.length === 0) return [path];
  return fields.flatMap(([name, field]) => leaves(field, path === '' ? name : `${path}.${name}`));
}

function leavesOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => leavesOf(item, `${path}[]`));
  const isMap = typeof value === 'object' && value !== null && !path.endsWith('labels');
  if (!isMap) return [path];
  return Object.entries(value).flatMap(([name, item]) =>
    leavesOf(item, path === '' ? name : `${path}.${name}`),
  );
}

describe('the example', () => {
  test('shows every field of the schema, and each has a description there', () => {
    expect([...new Set(leavesOf(machineClass.providerSpec))].toSorted()).toEqual(
      leaves(schema).toSorted(),
    );
    const described = Object.values(schema.$defs ?? {}).flatMap(({ properties }) =>
      Object.values(properties ?? {}),
    );
    const fields = [...Object.values(schema.properties ?? {}), ...described];
    const silent = fields.filter(({ description, $ref }) => !description && !$ref);
    expect(silent).toEqual([]);
  });

  test('the example is valid', () => {
    expect(machineClass.provider).toBe('GCP');
    expect(validateProviderSpec(machineClass.providerSpec)).toEqual([]);
    const shown = { ...secret.stringData, projectID: 'a-project' };
    const account = JSON.parse(shown.serviceAccountJSON);
    const filled = { ...account, project_id: 'a-project' };
    expect(credentialsOf({ ...shown, serviceAccountJSON: JSON.stringify(filled) })).toMatchObject({
      project: 'a-project',
      account: { kind: 'serviceAccount' },
    });
  });
});
