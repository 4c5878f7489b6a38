import { gunzipSync } from 'node:zlib';
import { readCloudConfig } from '../../../activities/user-data/cloud-config.ts';
import {
  aMachine,
  aMachineDeployment,
  aMachineSet,
  aSecret,
  namespace,
} from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

const name = 'workers-shoot-bootstrap-config';
const text = '#cloud-config\nhostname: <MACHINE_NAME>\nurl: a?b=%3CMACHINE_NAME%3E\n';
const made = '#cloud-config\nhostname: pool-a\nurl: a?b=pool-a\n';

const ownedBy = (kind: string, owner: string) => [
  { apiVersion: 'machine.sapcloud.io/v1alpha1', kind, name: owner, uid: owner, controller: true },
];
const machine = aMachine({ metadata: { ownerReferences: ownedBy('MachineSet', 'pool') } });
const aSet = (notes: Record<string, string> = {}): object =>
  aMachineSet({
    metadata: { annotations: notes, ownerReferences: ownedBy('MachineDeployment', 'workers') },
  });
const set = aSet();
const deployment = (notes: Record<string, string>): object =>
  aMachineDeployment({ metadata: { annotations: notes } });
const ours = deployment({ 'deployment.kubernetes.io/revision': '3' });
const theirs = deployment({ 'machinedeployment.clusters.k8s.io/revision': '3' });

function aCloudConfig(
  revision?: string,
  content: Record<string, string> = { 'cloud-config': text },
) {
  const annotations =
    revision === undefined ? {} : { 'k8c.io/machine-deployment-revision': revision };
  return aSecret(content, { name, namespace: 'cloud-init-settings', annotations });
}

async function read(objects: object[], provider = 'virtual') {
  const control = new InMemoryClient(...objects);
  const asked = { machine: { namespace, name: 'pool-a' }, name, provider };
  return await readCloudConfig(control, asked);
}

test.each<[string, object[]]>([
  ['of the revision that Kubernetes counts', [machine, set, ours, aCloudConfig('3')]],
  ['of the revision that machine-controller counts', [machine, set, theirs, aCloudConfig('3')]],
  [
    'of the revision of the latest set, for a machine of an old one',
    [machine, aSet({ 'deployment.kubernetes.io/revision': '2' }), ours, aCloudConfig('3')],
  ],
  ['of any revision, for a machine of no deployment', [aMachine(), aCloudConfig('7')]],
])('is taken with the name of the machine: %s', async (_name, objects) => {
  expect(await read(objects)).toMatchObject({ userData: made });
});

const long = (content: string): object => aCloudConfig('1', { 'cloud-config': content });

const stale = (has: string, wanted = '3'): string =>
  `Secret "${name}" in namespace cloud-init-settings was made for revision "${has}" of the MachineDeployment, which has "${wanted}" (annotation k8c.io/machine-deployment-revision)`;

test.each<[string, object[], string]>([
  [
    'it is there',
    [machine, set, ours],
    `Secret "${name}" in namespace cloud-init-settings does not exist: operating-system-manager makes it`,
  ],
  [
    'it has its key',
    [machine, set, ours, aCloudConfig('3', { userdata: 'x' })],
    `Secret "${name}" in namespace cloud-init-settings has no key "cloud-config" yet`,
  ],
  ['it is of this revision', [machine, set, ours, aCloudConfig('2')], stale('2')],
  [
    'it is of the revision of a set whose deployment does not say it yet',
    [machine, aSet({ 'deployment.kubernetes.io/revision': '10' }), ours, aCloudConfig('3')],
    stale('3', '10'),
  ],
  ['it says its revision', [machine, set, ours, aCloudConfig()], stale('')],
])('is waited for until %s', async (_name, objects, waits) => {
  expect(await read(objects)).toEqual({ waits });
});

test('is packed where the cloud takes no more, and refused where that does not help', async () => {
  const packed = await read([aMachine(), long(`#cloud-config\n${'a'.repeat(20_000)}`)], 'AWS');
  const bytes = 'userData' in packed ? packed.userData : '';
  expect(typeof bytes === 'string' ? bytes : gunzipSync(bytes).toString()).toMatch(
    /^#cloud-config\na{20000}$/,
  );
  const ignition = `{"ignition":{"version":"3.4.0"},"a":"${'a'.repeat(20_000)}"}`;
  expect(await read([aMachine(), long(ignition)], 'AWS')).toEqual({
    fault: expect.stringContaining('AWS takes 16384'),
  });
});

test('stands whole among what is hidden', async () => {
  expect(await read([aMachine(), aCloudConfig('1')])).toMatchObject({
    hidden: expect.arrayContaining([made, Buffer.from(made).toString('base64')]),
  });
});
