import { hostOf } from '../../../../activities/drivers/kubevirt/credentials.ts';
import { validateProviderSpec } from '../../../../activities/drivers/kubevirt/validate.ts';
import { kubevirt } from '../../../../activities/front/providers/kubevirt.ts';
import { translate } from '../../../../activities/front/providers/translate.ts';
import { checkTable, defaultPool } from './golden.ts';

const disk =
  'size storageClassName storageAccessType dataVolumeSecretRef extraHeaders extraHeadersSecretRef storageTarget osImage source pullMethod';
const fields = [
  'clusterName projectID auth.kubeconfig topologySpreadConstraints',
  'virtualMachine.flavor.name virtualMachine.flavor.profile virtualMachine.instancetype virtualMachine.preference',
  'virtualMachine.template.vcpus.cores virtualMachine.template.cpus virtualMachine.template.memory virtualMachine.template.secondaryDisks',
  disk.replaceAll(/\S+/g, 'virtualMachine.template.primaryDisk.$&'),
  'virtualMachine.dnsPolicy virtualMachine.dnsConfig virtualMachine.location.region virtualMachine.location.zone',
  'virtualMachine.providerNetwork.name virtualMachine.providerNetwork.vpc.name virtualMachine.providerNetwork.vpc.subnet.name',
  'virtualMachine.enableNetworkMultiQueue virtualMachine.evictionStrategy',
  'affinity.podAffinityPreset affinity.podAntiAffinityPreset',
  'affinity.nodeAffinityPreset.type affinity.nodeAffinityPreset.key affinity.nodeAffinityPreset.values',
];

const aKubeconfig = (namespace?: string): string =>
  JSON.stringify({
    'current-context': 'host',
    contexts: [{ name: 'host', context: { cluster: 'host', user: 'u', namespace } }],
    clusters: [{ name: 'host', cluster: { server: 'https://host.example.com:6443' } }],
    users: [{ name: 'u', user: { token: 'a-secret-token' } }],
  });
const inBase64 = (text: string): string => Buffer.from(text).toString('base64');
const auth = { kubeconfig: inBase64(aKubeconfig('cluster-abc')) };

const primaryDisk = {
  size: '20Gi',
  storageClassName: 'fast',
  osImage: 'https://images.example.com/ubuntu.img',
};

checkTable('kubevirt', kubevirt, {
  validate: validateProviderSpec,
  fields: fields.flatMap((line) => line.split(' ')),
  said: {
    clusterName: 'abc',
    projectID: 'project',
    auth,
    virtualMachine: {
      flavor: { name: 'old', profile: 'old' },
      template: {
        cpus: '2',
        memory: '8Gi',
        primaryDisk: {
          ...primaryDisk,
          storageAccessType: 'ReadWriteOnce',
          storageTarget: 'pvc',
          source: 'http',
          dataVolumeSecretRef: 'image-pull',
          extraHeaders: ['X-Team: blue'],
        },
        secondaryDisks: [
          { size: '10Gi', storageClassName: 'slow', storageAccessType: 'ReadWriteMany' },
        ],
      },
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['10.0.0.10'] },
      location: { region: 'europe', zone: 'europe-1' },
      providerNetwork: { name: 'kubeovn', vpc: { name: 'default' } },
      enableNetworkMultiQueue: false,
    },
    affinity: {
      podAffinityPreset: 'soft',
      podAntiAffinityPreset: 'soft',
      nodeAffinityPreset: {
        type: 'hard',
        key: 'topology.kubernetes.io/zone',
        values: ['europe-1'],
      },
    },
    topologySpreadConstraints: [
      {
        maxSkew: '1',
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
      },
    ],
  },
  refused: {
    auth: { kubeconfig: inBase64(aKubeconfig()) },
    virtualMachine: {
      instancetype: { name: 'standard-2', kind: 'VirtualMachineInstancetype' },
      preference: { name: 'sockets-advantage' },
      template: {
        vcpus: { cores: 2 },
        cpus: '2',
        primaryDisk: {
          osImage: 'ubuntu',
          storageTarget: 'pvc',
          extraHeadersSecretRef: 'headers',
        },
      },
      providerNetwork: { vpc: { subnet: { name: 'subnet-1' } } },
      evictionStrategy: 'LiveMigrate',
    },
    affinity: { nodeAffinityPreset: { type: 'soft', key: 'disk', values: ['ssd'] } },
    topologySpreadConstraints: [{ whenUnsatisfiable: 'DoNotSchedule' }],
    clusterId: 'abc',
  },
  providerIDs: [['kubevirt://workers-1', { value: 'kubevirt://workers-1' }]],
});

const namespaceKey = 'cluster.x-k8s.io/cluster-namespace';
const read = (template: object, pool: object = {}, given: object = { auth }) =>
  translate(
    kubevirt,
    {
      ...given,
      virtualMachine: { template: { memory: '8Gi', cpus: '2', primaryDisk, ...template } },
    },
    { pool: { ...defaultPool, ...pool }, env: {} },
  );

test.each([
  [
    { osImage: 'docker://images/ubuntu:24.04' },
    { registry: { url: 'docker://images/ubuntu:24.04', pullMethod: 'node' } },
  ],
  [
    { osImage: 'images/ubuntu', source: 'registry', pullMethod: 'pod' },
    { registry: { url: 'images/ubuntu', pullMethod: 'pod' } },
  ],
  [{ osImage: 'images/ubuntu' }, { pvc: { namespace: 'images', name: 'ubuntu' } }],
  [{ osImage: 'ubuntu', source: 'pvc' }, { pvc: { namespace: 'cluster-abc', name: 'ubuntu' } }],
])('the image of %j', (more, source) => {
  const pool = { nodeAnnotations: { [namespaceKey]: 'cluster-abc' } };
  const made = read({ primaryDisk: { ...primaryDisk, ...more } }, pool);
  expect(made.faults).toEqual([]);
  expect(made.providerSpec).toMatchObject({ rootVolume: { source } });
});

test('without an access mode CDI chooses, as machine-controller would, and what is seen is shared', () => {
  const { faults, providerSpec } = read({ cpus: undefined, vcpus: { cores: 4 } });
  expect([...faults, ...validateProviderSpec(providerSpec)]).toEqual([]);
  expect(providerSpec).toMatchObject({
    region: '*',
    zone: '*',
    cpu: { cores: 4 },
    resources: { requests: { cpu: '400m', memory: '8Gi' }, limits: { memory: '8Gi' } },
    devices: { networkInterfaceMultiqueue: true },
  });
  expect(providerSpec['rootVolume']).toEqual({
    storage: { storageClassName: 'fast', resources: { requests: { storage: '20Gi' } } },
    source: { http: { url: primaryDisk.osImage } },
  });
});

test.each([
  ['own', {}, 'own'],
  // That of machine-controller.
  ['own', { [namespaceKey]: 'theirs' }, 'theirs'],
  [undefined, { [namespaceKey]: 'theirs' }, 'theirs'],
])(
  'of kubeconfig %s and template %j machines are in %s',
  async (own, nodeAnnotations, namespace) => {
    const pool = { nodeAnnotations };
    for (const kubeconfig of [aKubeconfig(own), inBase64(aKubeconfig(own))]) {
      const { credentials } = read({}, pool, { auth: { kubeconfig } });
      expect(await hostOf(credentials, {})).toMatchObject({
        namespace,
        headers: { authorization: 'Bearer a-secret-token' },
      });
    }
  },
);

test.each(['no: [kubeconfig', 'x', inBase64('current-context: a-secret-name')])(
  'what is no kubeconfig is a fault that does not repeat it: %s',
  (kubeconfig) => {
    const { faults, credentials } = read({}, {}, { auth: { kubeconfig } });
    expect(faults).toEqual([
      expect.stringMatching(/^cloudProviderSpec.auth.kubeconfig is no kube/),
    ]);
    expect(credentials).toEqual({});
  },
);

test('Flatcar needs Ignition, which a machine does not get', () => {
  expect(read({}, { operatingSystem: 'flatcar' }).faults).toEqual([
    expect.stringContaining('flatcar'),
  ]);
});
