/** What is sent for the example class, and which classes and Secrets are refused. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { parseAllDocuments } from 'yaml';
import { hostOf } from '../../../../activities/drivers/kubevirt/credentials.ts';
import {
  createFaults,
  validateProviderSpec,
} from '../../../../activities/drivers/kubevirt/validate.ts';
import {
  userDataOf,
  virtualMachineOf,
} from '../../../../activities/drivers/kubevirt/virtual-machine.ts';
import { crds, crdsFile } from '../../../doubles/kubevirt/generate-crds.ts';
import { aRequest } from '../a-request.ts';
import { failureOf } from '../failure-of.ts';
import { aSpec, kubeconfigOf } from './kubevirt-world.ts';

const file = new URL('../../../../deploy/examples/clouds/kubevirt.yaml', import.meta.url);
const [secret, machineClass] = parseAllDocuments(readFileSync(file, 'utf8')).map((document) =>
  document.toJS(),
);
const { providerSpec } = machineClass;
const request = aRequest('node-1', { providerSpec, userData: '#cloud-config\n' });

const labels = {
  'mcm.gardener.cloud/cluster': 'shoot--dev',
  'mcm.gardener.cloud/role': 'node',
  'kubevirt.io/vm': 'node-1',
  'millwright.dev/cluster': 'cluster-1',
  'millwright.dev/namespace': 'shoot',
  'millwright.dev/machine-uid': 'uid-of-node-1',
  'millwright.dev/token': 'uid-of-node-1-0',
};

test('the example class is valid, and so is its kubeconfig', async () => {
  expect(validateProviderSpec(providerSpec)).toEqual([]);
  expect(createFaults(request)).toEqual([]);
  expect(await hostOf(secret.stringData, {})).toMatchObject({
    server: 'https://host.example.com:6443',
    namespace: 'shoot--dev',
    headers: { authorization: 'Bearer TOKEN' },
  });
});

test('the Secret of the example class has user data and keys, as Gardener puts them together', () => {
  const text = '#cloud-config\n\nssh_authorized_keys:\n- ssh-ed25519 AAAA somebody\n';
  expect(userDataOf(request)).toEqual([
    {
      name: expect.stringMatching(/^userdata-node-1-[0-9a-f]{16}$/),
      content: {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: expect.any(String), labels },
        data: { userdata: Buffer.from(text).toString('base64') },
      },
    },
  ]);
});

test('user data that are bytes stay as they are, and without any there is no Secret', () => {
  const bytes = Uint8Array.from([0x1f, 0x8b, 0xff]);
  const asked = { ...request, providerSpec: aSpec, userData: '', userDataBytes: bytes };
  expect(userDataOf(asked)).toMatchObject([{ content: { data: { userdata: 'H4v/' } } }]);
  expect(userDataOf(aRequest('a', { providerSpec: aSpec }))).toEqual([]);
  expect(JSON.stringify(virtualMachineOf(request, undefined))).not.toContain('cloudinitdisk');
});

const claim = (storage: string) => ({
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage } },
});

test('a class may leave the place and the access mode open, and label the pod for its traffic', () => {
  const storage = { resources: { requests: { storage: '1Gi' } } };
  const tags = { 'cluster.x-k8s.io/role': 'worker', team: 'blue' };
  const spec = { ...aSpec, region: '*', zone: '*', rootVolume: { storage }, tags };
  expect(validateProviderSpec(spec)).toEqual([]);
  expect(validateProviderSpec({ ...spec, rootVolume: { storage, pvc: storage } })).toHaveLength(1);
  const made = virtualMachineOf(aRequest('node-2', { providerSpec: spec }), undefined);
  expect(made).toMatchObject({
    spec: { dataVolumeTemplates: [{ spec: { storage } }] },
  });
  const { template } = Object(Object(made)['spec']);
  expect(template.spec.affinity).toBeUndefined();
  expect(template.metadata.labels).toEqual({
    'cluster.x-k8s.io/role': 'worker',
    'kubevirt.io/vm': 'node-2',
  });
});

test('the virtual machine of the example class is the one that Gardener makes', () => {
  const bus = { bus: 'virtio' };
  expect(virtualMachineOf(request, 'userdata-1')).toEqual({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: {
      name: 'node-1',
      labels,
      annotations: { 'millwright.dev/user-data-without-owner': 'userdata-1' },
    },
    spec: {
      runStrategy: 'Always',
      dataVolumeTemplates: [
        {
          metadata: { name: 'node-1', labels },
          spec: {
            pvc: { ...claim('20Gi'), storageClassName: 'standard' },
            source: { http: { url: 'https://images.example.com/node.qcow2' } },
          },
        },
        {
          metadata: { name: 'node-1-0', labels },
          spec: { pvc: claim('10Gi'), source: { blank: {} } },
        },
      ],
      template: {
        metadata: { labels: { 'kubevirt.io/vm': 'node-1' } },
        spec: {
          domain: {
            resources: {
              requests: { cpu: '2', memory: '8Gi' },
              limits: { cpu: '4', memory: '8Gi' },
              overcommitGuestOverhead: false,
            },
            cpu: { cores: 1, sockets: 2, threads: 1 },
            memory: { hugepages: { pageSize: '2Mi' } },
            devices: {
              disks: [
                { name: 'root-disk', dedicatedIOThread: true, disk: bus },
                { name: 'cloudinitdisk', disk: bus },
                { name: 'disk0', disk: { bus: 'scsi' } },
                { name: 'disk1', disk: bus },
                { name: 'disk2', disk: bus },
                { name: 'disk3', disk: bus },
              ],
              interfaces: [
                { name: 'default', bridge: {} },
                { name: 'net0', bridge: {} },
              ],
              rng: {},
              blockMultiQueue: true,
              networkInterfaceMultiqueue: true,
            },
          },
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [
                  {
                    matchExpressions: [
                      {
                        key: 'topology.kubernetes.io/region',
                        operator: 'In',
                        values: ['europe-1'],
                      },
                      { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['europe-1a'] },
                    ],
                  },
                ],
              },
            },
          },
          terminationGracePeriodSeconds: 30,
          volumes: [
            { name: 'root-disk', dataVolume: { name: 'node-1' } },
            {
              name: 'cloudinitdisk',
              cloudInitNoCloud: {
                secretRef: { name: 'userdata-1' },
                networkData:
                  'version: 2\nethernets:\n  id0:\n    match:\n      name: "e*"\n    dhcp4: true\n',
              },
            },
            { name: 'disk0', dataVolume: { name: 'node-1-0' } },
            { name: 'disk1', configMap: { name: 'settings' } },
            { name: 'disk2', secret: { secretName: 'keys' } },
            { name: 'disk3', persistentVolumeClaim: { claimName: 'shared' } },
          ],
          networks: [
            { name: 'default', pod: {} },
            { name: 'net0', multus: { networkName: 'default/storage' } },
          ],
          dnsPolicy: 'None',
          dnsConfig: { nameservers: ['10.0.0.10'] },
        },
      },
    },
  });
});

test('a network that is the default stands in the place of the pod network, and zone default has no label', () => {
  const networks = [{ name: 'own', default: true }];
  const body = virtualMachineOf(aRequest('a', { providerSpec: { ...aSpec, networks } }), undefined);
  expect(body).toMatchObject({
    spec: {
      template: {
        spec: {
          networks: [{ name: 'net0', multus: { networkName: 'own', default: true } }],
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [
                  {
                    matchExpressions: [
                      { key: 'topology.kubernetes.io/region', operator: 'DoesNotExist' },
                      { key: 'topology.kubernetes.io/zone', operator: 'DoesNotExist' },
                    ],
                  },
                ],
              },
            },
          },
        },
      },
    },
  });
});

test('the same request makes the same objects', () => {
  expect(virtualMachineOf({ ...request }, 's')).toEqual(virtualMachineOf(request, 's'));
  expect(userDataOf({ ...request })).toEqual(userDataOf(request));
  const [one] = userDataOf(request);
  const [other] = userDataOf({ ...request, userData: '#cloud-config\nother: 1\n' });
  expect(one?.name).not.toBe(other?.name);
});

test.each([
  [{ region: '' }, /^providerSpec\.region: "" is not a non-empty string$/],
  [{ zone: 3 }, /^providerSpec\.zone: 3 is not a string/],
  [{ resources: undefined }, /^providerSpec\.resources is missing$/],
  [
    { resources: { requests: { cpu: 1 } } },
    /^providerSpec\.resources\.requests\.memory is missing$/,
  ],
  [
    { resources: { requests: { cpu: 0, memory: '1Gi' } } },
    /requests\.cpu: 0 is not a quantity above zero/,
  ],
  [
    { resources: { requests: { cpu: '1', memory: '0Gi' } } },
    /requests\.memory: "0Gi" is not a quantity above zero/,
  ],
  [{ rootVolume: { source: {} } }, /^providerSpec\.rootVolume\.pvc is missing$/],
  [
    { rootVolume: { pvc: { resources: { requests: { storage: '0' } } } } },
    /requests\.storage: "0" is not a quantity/,
  ],
  [
    { additionalVolumes: [{ name: 'a' }] },
    /additionalVolumes\[0\]: an object with name is not an object with a name and exactly one/,
  ],
  [
    { additionalVolumes: [{ name: 'a', volumeSource: {} }] },
    /volumeSource: \{\} is not an object with exactly one/,
  ],
  [
    { devices: { disks: [{ name: 'none' }] } },
    /disks\[0\]\.name: "none" is not the name of a volume: root-disk$/,
  ],
  [
    { devices: { disks: [{ name: 'root-disk' }, { name: 'root-disk' }] } },
    /"root-disk" is there twice/,
  ],
  [{ devices: { disks: [{ name: 'root-disk', bootOrder: 1 }] } }, /bootOrder: 1 is not to be set/],
  [{ dnsPolicy: 'Mine' }, /dnsPolicy: "Mine" is not one of ClusterFirstWithHostNet/],
  [{ dnsPolicy: 'None' }, /^providerSpec\.dnsConfig is missing$/],
  [
    { dnsPolicy: 'None', dnsConfig: { nameservers: [] } },
    /nameservers: \[\] is not a list with at least 1/,
  ],
  [
    { networks: [{ name: 'a/b/c' }] },
    /networks\[0\]\.name: "a\/b\/c" is not NAME or NAMESPACE\/NAME/,
  ],
  [{ tags: { 'kubernetes.io/cluster/x': '1' } }, /is not the name of a label/],
  [{ tags: { 'millwright.dev/token': '1' } }, /millwright\.dev\/ is ours/],
  [{ tags: { a: 'shoot,' } }, /tags\.a: "shoot," is not the value of a label/],
])('%j is refused with its field', (more, message) => {
  const faults = validateProviderSpec({ ...aSpec, ...more });
  expect(faults).toContainEqual(expect.stringMatching(message));
});

test('a name that is no label, and keys that cannot be added, are refused at the create', () => {
  const name = 'n'.repeat(64);
  expect(createFaults(aRequest(name))).toEqual([
    expect.stringMatching(/is not a name of up to 63/),
  ]);
  const keys = { providerSpec: { sshKeys: ['k'] } };
  for (const userData of ['#!/bin/sh\n', '#cloud-config\nssh_authorized_keys: []\n']) {
    const faults = createFaults(aRequest('a', { ...keys, userData }));
    expect(faults).toEqual([
      expect.stringMatching(/^providerSpec\.sshKeys: keys can only be added/),
    ]);
  }
});

test.each([
  ['exec', { exec: { command: 'canary' } }],
  ['auth-provider', { 'auth-provider': { name: 'oidc', config: {} } }],
  ['tokenFile', { tokenFile: '/canary' }],
  ['client-certificate', { 'client-certificate': '/canary', token: 'x' }],
  ['client-key', { 'client-key': '/canary', token: 'x' }],
])('a kubeconfig with %s is refused, naming the field', async (field, user) => {
  const kubeconfig = kubeconfigOf({ server: 'https://host.example.com' }, user);
  const failure = await failureOf(hostOf({ kubeconfig }, {}));
  expect(failure).toMatchObject({ code: 'Unauthenticated', kind: 'credentials' });
  expect(failure.message).toMatch(
    new RegExp(`kubeconfig: .*${field}.* is not allowed in a Secret`),
  );
  expect(failure.message).not.toContain('canary');
});

test.each([
  ['', /kubeconfig is missing/],
  ['{', /kubeconfig is no kubeconfig/],
  ['users: [canary', /kubeconfig is no kubeconfig/],
  ['{}', /current-context is not set/],
  [kubeconfigOf({ server: 'https://h' }, { token: 'canary' }, '../x'), /namespace of its context/],
  [kubeconfigOf({ server: 'ftp://h' }, { token: 'canary' }), /allowed: a URL/],
])('a kubeconfig that cannot be used is refused without its text', async (kubeconfig, words) => {
  const failure = await failureOf(hostOf({ kubeconfig }, {}));
  expect(failure).toMatchObject({ code: 'Unauthenticated', message: expect.stringMatching(words) });
  expect(failure.message).not.toContain('canary');
});

test('the CRDs of the tests are those of the package', () => {
  expect(JSON.parse(gunzipSync(readFileSync(crdsFile)).toString())).toEqual(crds());
});
