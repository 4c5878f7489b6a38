/** The class with every field in deploy/examples/clouds. What is sent for it: upstream.test.ts. */
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { credentialsOf as awsCredentialsOf } from '../../../activities/drivers/aws/credentials.ts';
import { planCredentials } from '../../../activities/drivers/azure/credentials.ts';
import { credentialsOf as gcpCredentialsOf } from '../../../activities/drivers/gcp/credentials.ts';
import { createDrivers } from '../../../activities/drivers/index.ts';

const root = new URL('../../../', import.meta.url);
const settings = { env: {}, allowsAmbientCredentials: false };
const drivers = createDrivers(settings);

const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

type Secret = Record<string, string>;

/** With a project in place of PROJECT, which none is called. */
function filled({ serviceAccountJSON = '', ...secret }: Secret): Secret {
  const account = { ...JSON.parse(serviceAccountJSON), project_id: 'a-project' };
  return { ...secret, projectID: 'a-project', serviceAccountJSON: JSON.stringify(account) };
}

interface Cloud {
  provider: string;
  credentials: (secret: Secret) => unknown;
  is: object;
  /** Fields that are not in the example. */
  unshown: string[];
}

describe.each<Cloud>([
  {
    provider: 'AWS',
    credentials: (secret) => awsCredentialsOf(secret, settings),
    is: { kind: 'keys' },
    unshown: [],
  },
  {
    provider: 'Azure',
    credentials: (secret) => planCredentials(secret, settings),
    is: { kind: 'secret' },
    // Gardener deprecated this field, and no driver reads it.
    unshown: ['networkInterfaces'],
  },
  {
    provider: 'GCP',
    credentials: (secret) => gcpCredentialsOf(filled(secret)),
    is: { project: 'a-project', account: { kind: 'serviceAccount' } },
    unshown: [],
  },
])('the example class for $provider', ({ provider, credentials, is, unshown }) => {
  const cloud = provider.toLowerCase();
  const text = read(`deploy/examples/clouds/${cloud}.yaml`);
  const [secret, machineClass] = parseAllDocuments(text).map((document) => document.toJS());

  test('is valid, and so is its Secret', () => {
    expect(machineClass.provider).toBe(provider);
    expect(drivers.get(provider)?.validate(machineClass.providerSpec)).toEqual([]);
    expect(credentials(secret.stringData)).toMatchObject(is);
  });

  test('shows every field of the schema, if only in a comment', () => {
    const schema = JSON.parse(read(`activities/drivers/${cloud}/provider-spec.schema.json`));
    const missing = fieldsOf(schema).filter((name) => !new RegExp(`\\b${name}\\b`).test(text));
    expect(missing).toEqual(unshown);
  });
});

interface Schema {
  properties?: Record<string, Schema>;
  $defs?: Record<string, Schema>;
  items?: Schema;
}

function fieldsOf({ properties = {}, $defs = {}, items }: Schema): string[] {
  const inner = [...Object.values(properties), ...Object.values($defs), ...(items ? [items] : [])];
  return [...new Set([...Object.keys(properties), ...inner.flatMap(fieldsOf)])];
}
