/**
 * deploy/examples/clouds/gcp.yaml: each field of the provider spec is in it, is valid, and reaches
 * the request.
 */
import { readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import { instanceResource } from '../../../../activities/drivers/gcp/instance-resource.ts';
import { credentialsOf } from '../../../../activities/drivers/gcp/credentials.ts';
import { specOf, validateProviderSpec } from '../../../../activities/drivers/gcp/validate.ts';
import { aRequest } from '../a-request.ts';

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

  test('becomes a request with every field in its place', () => {
    const { userData } = secret.stringData;
    const resource = instanceResource({
      spec: specOf(machineClass.providerSpec),
      project: 'a-project',
      request: aRequest('m', { userData }),
    });
    const zone = 'europe-west1-b';
    expect(resource).toEqual({
      name: 'm',
      machineType: `zones/${zone}/machineTypes/n1-standard-4`,
      canIpForward: true,
      deletionProtection: false,
      description: 'Worker of the example',
      minCpuPlatform: 'Intel Skylake',
      labels: {
        name: 'shoot--garden--example',
        'millwright-cluster': 'cluster-1',
        'millwright-namespace': 'shoot',
        'millwright-machine-uid': 'uid-of-m',
        'millwright-token': 'uid-of-m-0',
      },
      tags: {
        items: [
          'shoot--garden--example',
          'kubernetes-io-cluster-shoot--garden--example',
          'kubernetes-io-role-node',
        ],
      },
      metadata: {
        items: [
          { key: 'user-data', value: userData },
          { key: 'serial-port-enable', value: 'true' },
        ],
      },
      disks: [
        {
          type: 'PERSISTENT',
          boot: true,
          autoDelete: true,
          diskEncryptionKey: {
            kmsKeyName: 'projects/PROJECT/locations/europe-west1/keyRings/RING/cryptoKeys/KEY',
            kmsKeyServiceAccount: 'disks@PROJECT.iam.gserviceaccount.com',
          },
          initializeParams: {
            diskSizeGb: 50,
            diskType: `zones/${zone}/diskTypes/hyperdisk-balanced`,
            sourceImage: 'projects/debian-cloud/global/images/family/debian-12',
            labels: { name: 'shoot--garden--example' },
            provisionedIops: 3_000,
            provisionedThroughput: 140,
            storagePool: `projects/PROJECT/zones/${zone}/storagePools/POOL`,
          },
        },
        {
          type: 'SCRATCH',
          boot: false,
          autoDelete: true,
          interface: 'NVME',
          initializeParams: { diskType: `zones/${zone}/diskTypes/local-ssd` },
        },
      ],
      networkInterfaces: [
        {
          network: 'projects/a-project/global/networks/shoot--garden--example',
          subnetwork: 'regions/europe-west1/subnetworks/shoot--garden--example-nodes',
          stackType: 'IPV4_IPV6',
          ipv6AccessType: 'EXTERNAL',
          aliasIpRanges: [{ ipCidrRange: '/24', subnetworkRangeName: 'pods' }],
        },
      ],
      scheduling: {
        onHostMaintenance: 'TERMINATE',
        automaticRestart: false,
        provisioningModel: 'SPOT',
        instanceTerminationAction: 'DELETE',
      },
      guestAccelerators: [
        {
          acceleratorType: `projects/a-project/zones/${zone}/acceleratorTypes/nvidia-tesla-t4`,
          acceleratorCount: 1,
        },
      ],
      serviceAccounts: [
        {
          email: 'nodes@PROJECT.iam.gserviceaccount.com',
          scopes: ['https://www.googleapis.com/auth/compute'],
        },
      ],
      shieldedInstanceConfig: {
        enableSecureBoot: true,
        enableVtpm: true,
        enableIntegrityMonitoring: false,
      },
      advancedMachineFeatures: { enableNestedVirtualization: false },
    });
  });
});
