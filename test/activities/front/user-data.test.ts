import { userDataOf, type UserDataPlace } from '../../../activities/front/user-data.ts';
import { inputFrom, readConfig } from '../../../userdata/documents.ts';
import { builtInProfile } from '../../../userdata/profiles.ts';
import { poolFaults, render } from '../../../userdata/render.ts';
import { yamlText } from '../../../userdata/quoting.ts';
import type { KubermaticProviderConfig } from '../../../workflows/api/kubermatic.ts';
import { authority, someConfig, someValues } from '../../userdata/some-pool.ts';

const key =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGFNQPvMCZYEYyJbNBkrCVAp9sBzdUnWLPbXuC5cKDLk ada@example.com';
const { downloads } = someConfig();
/** As a person writes it: without a version, which each template has. */
const cluster = {
  kubernetes: {
    apiServer: 'https://api.example.com:6443',
    caBundle: authority,
    clusterDNS: ['10.96.0.10'],
  },
  downloads,
};

interface Given {
  value?: object;
  spec?: object;
  place?: Partial<UserDataPlace>;
  shared?: object;
}

const named = 'millwright.dev/user-data';

function made({ value = {}, spec = {}, place = {}, shared = {} }: Given) {
  const config: KubermaticProviderConfig = {
    operatingSystem: 'ubuntu',
    sshPublicKeys: [],
    ...value,
  };
  const whole: UserDataPlace = {
    namespace: 'kube-system',
    name: 'pool',
    annotations: {},
    provider: 'AWS',
    isMadeByOsm: false,
    clusterConfig: yamlText({ ...cluster, ...shared }),
    ...place,
  };
  return userDataOf({ versions: { kubelet: '1.34.2' }, ...spec }, config, whole);
}

/** As the worker reads the ConfigMap. */
function readBack({ source, config = '' }: ReturnType<typeof made>) {
  const profile = builtInProfile(source);
  if (!profile) throw new Error(`there is no profile ${source}`);
  const read = inputFrom({
    profile: { value: profile },
    config: readConfig(config, 'config.yaml'),
    provider: 'AWS',
  });
  if (read.faults) throw new Error(read.faults.join('\n'));
  return read.value;
}

const everything = {
  sshPublicKeys: [`${key}\n`],
  network: { ipFamily: 'IPv4+IPv6', cidr: '', gateway: '', dns: { servers: [] } },
};

test.each<[string, string, object]>([
  ['ubuntu', 'ubuntu-24.04', { distUpgradeOnBoot: true }],
  ['amzn2', 'amazon-linux-2', { distUpgradeOnBoot: true }],
  ['rhel', 'rhel-9', { distUpgradeOnBoot: true, attachSubscription: false, rhelActivationKey: '' }],
  ['rockylinux', 'rocky-9', { distUpgradeOnBoot: true }],
  ['flatcar', 'flatcar', { disableAutoUpdate: false, disableLocksmithD: true }],
])('a template of %s makes what the worker reads and renders', (operatingSystem, source, own) => {
  const result = made({
    value: { ...everything, operatingSystem, operatingSystemSpec: own },
    spec: {
      versions: { kubelet: 'v1.34.2' },
      taints: [{ key: 'example.com/batch', effect: 'NoSchedule', timeAdded: null }],
    },
    place: {
      annotations: {
        'v1.kubelet-config.machine-controller.kubermatic.io/MaxPods': '58',
        'v1.kubelet-config.machine-controller.kubermatic.io/EvictionHard': 'memory.available<30Mi',
        'v1.kubelet-config.machine-controller.kubermatic.io/ImageGCHighThresholdPercent': '80',
        'v1.kubelet-featuregates.machine-controller.kubermatic.io/RotateKubeletServerCertificate':
          'true',
        'v1.kubelet-flags.machine-controller.kubermatic.io/ExternalCloudProvider': 'false',
      },
    },
    // Of each, the profiles of other systems would be refused.
    shared: {
      kubelet: { MaxPods: 110, podPidsLimit: 4096 },
      packages: { extra: ['amazon-ssm-agent'] },
      containerRuntime: { version: '2.2.0', sandboxImage: 'registry.example.com/pause:3.10' },
      operatingSystem: {
        subscription: { organization: '1', activationKey: { name: 'red-hat', key: 'key' } },
      },
      ssh: { authorizedKeys: ['ssh-ed25519 AAAA shared@example.com'] },
      node: { taints: [{ key: 'example.com/all', value: '', effect: 'NoExecute' }] },
    },
  });
  expect(result).toMatchObject({ source, faults: [], ignored: [] });
  const input = readBack(result);
  expect(poolFaults(input)).toEqual([]);
  expect(input.config).toMatchObject({
    kubernetes: { version: '1.34.2', apiServer: 'https://api.example.com:6443' },
    ssh: { authorizedKeys: ['ssh-ed25519 AAAA shared@example.com', key] },
    node: {
      ip: 'ipv4',
      cloudProvider: 'none',
      taints: [
        { key: 'example.com/all', value: '', effect: 'NoExecute' },
        { key: 'example.com/batch', value: '', effect: 'NoSchedule' },
      ],
    },
    kubelet: {
      maxPods: '58',
      podPidsLimit: 4096,
      evictionHard: 'memory.available<30Mi',
      imageGCHighThresholdPercent: '80',
      featureGates: { RotateKubeletServerCertificate: true },
    },
  });
  expect(input.config.operatingSystem).toEqual(
    {
      flatcar: { disableAutoUpdate: false },
      rhel: {
        distUpgradeOnBoot: true,
        subscription: { organization: '1', activationKey: { name: 'red-hat', key: 'key' } },
      },
    }[operatingSystem] ?? { distUpgradeOnBoot: true },
  );
  expect(input.config.units).toEqual(
    operatingSystem === 'flatcar' ? [{ name: 'locksmithd.service', masked: true }] : undefined,
  );
  const values = someValues({ secrets: { 'red-hat': { key: 'secret' } } });
  expect(render(input, values).text).toContain('ada@example.com');
});

test.each<[string, Given, object]>([
  [
    'a version of two numbers, as their webhook takes it',
    { spec: { versions: { kubelet: '1.34' } } },
    { config: expect.stringContaining('version: 1.34.0') },
  ],
  [
    'another profile of the system',
    { value: { operatingSystem: 'rhel' }, place: { annotations: { [named]: 'rhel-8' } } },
    { source: 'rhel-8', faults: [] },
  ],
  [
    'a profile of the person, whose system is not known',
    { place: { annotations: { [named]: 'ConfigMap/mine' } } },
    { source: 'ConfigMap/mine', faults: [] },
  ],
  [
    'what the shared config says of updates',
    {
      value: { operatingSystem: 'flatcar', operatingSystemSpec: { disableAutoUpdate: false } },
      shared: { operatingSystem: { disableAutoUpdate: true } },
    },
    { config: expect.stringContaining('disableAutoUpdate: true') },
  ],
  [
    'the first family of two',
    { value: { network: { ipFamily: 'IPv6+IPv4' } } },
    { config: expect.stringContaining('ip: ipv6') },
  ],
  [
    'the name of the Secret of operating-system-manager, and no config',
    { place: { isMadeByOsm: true, clusterConfig: undefined } },
    {
      source: 'Secret/cloud-init-settings/pool-kube-system-bootstrap-config',
      faults: [],
      ignored: [],
    },
  ],
])('%s', (_name, given, expected) => {
  const result = made(given);
  expect(result).toMatchObject(expected);
  expect('config' in result).toBe(given.place?.isMadeByOsm !== true);
});

const elsewhere =
  'put operatingSystem.subscription, with an organization and the Secret of an activation key, into the config.yaml of --user-data-config';

test.each<[string, Given, string[]]>([
  [
    'a cluster without a config',
    { place: { clusterConfig: undefined } },
    [
      'what machines join is not known: make a ConfigMap in namespace kube-system with the key config.yaml (kubernetes: apiServer, caBundle and clusterDNS), and name it by the flag --user-data-config',
    ],
  ],
  [
    'a config that is no YAML',
    { place: { clusterConfig: 'kubernetes:\n  a: 1\n  a: 2\n' } },
    ['config.yaml of --user-data-config:3: a is there twice'],
  ],
  [
    'a config without fields',
    { place: { clusterConfig: '- a' } },
    ['config.yaml of --user-data-config must have fields, such as kubernetes'],
  ],
  [
    'a config that lacks the CA',
    { shared: { kubernetes: { ...cluster.kubernetes, caBundle: undefined } } },
    ['user data: kubernetes.caBundle is missing'],
  ],
  [
    'a system of another name',
    { value: { operatingSystem: 'ubunto' } },
    ['operatingSystem "ubunto" is not known: did you mean "ubuntu"?'],
  ],
  [
    'a system that was taken out',
    { value: { operatingSystem: 'centos' } },
    [
      'operatingSystem "centos" is not known: it must be one of ubuntu, amzn2, rockylinux, flatcar, rhel',
    ],
  ],
  [
    'a profile of another system',
    { value: { operatingSystem: 'rockylinux' }, place: { annotations: { [named]: 'rhel-9' } } },
    [
      `annotation ${named}: "rhel-9" is not of rocky: it must be one of rocky-10, rocky-8, rocky-9, or ConfigMap/NAME`,
    ],
  ],
  [
    'fields of the wrong type',
    { value: { operatingSystemSpec: { distUpgradeOnBoot: 'yes' } } },
    ['operatingSystemSpec.distUpgradeOnBoot must be true or false'],
  ],
  [
    'a subscription by password',
    {
      value: {
        operatingSystem: 'rhel',
        operatingSystemSpec: {
          rhelSubscriptionManagerUser: 'ada',
          rhelSubscriptionManagerPassword: 'not-for-logs',
          rhelUseSatelliteServer: true,
        },
      },
    },
    [
      'rhelSubscriptionManagerUser',
      'rhelSubscriptionManagerPassword',
      'rhelUseSatelliteServer',
    ].map((field) => `operatingSystemSpec.${field} cannot be said: ${elsewhere}`),
  ],
  ['no version', { spec: { versions: {} } }, ['versions.kubelet is missing: such as 1.34.2']],
  [
    'a version before its release',
    { spec: { versions: { kubelet: '1.34.2-rc.1' } } },
    ['versions.kubelet "1.34.2-rc.1" is not the version of a release, such as 1.34.2'],
  ],
  [
    'an address for all machines',
    { value: { network: { cidr: '192.0.2.2/24', dns: { servers: ['a'] }, ipFamily: 'v4' } } },
    [
      'network.cidr "192.0.2.2/24" cannot be said, as each machine would have it: take DHCP; or write the files of a pool of one machine by config.yaml',
      'network.dns.servers "a" cannot be said, as each machine would have it: take DHCP; or write the files of a pool of one machine by config.yaml',
      'network.ipFamily "v4" is not known: it must be one of IPv4, IPv6, IPv4+IPv6, IPv6+IPv4',
    ],
  ],
  [
    'what the kubelet would not start with',
    {
      place: {
        annotations: {
          'v1.kubelet-config.machine-controller.kubermatic.io/KubeReserved': 'cpu=much',
        },
      },
    },
    ['user data: kubelet.kubeReserved.cpu: "much" is not a quantity, such as 200m or 300Mi'],
  ],
  [
    'a gate that is neither open nor closed',
    {
      place: {
        annotations: { 'v1.kubelet-featuregates.machine-controller.kubermatic.io/A': '1' },
      },
    },
    [
      'annotation v1.kubelet-featuregates.machine-controller.kubermatic.io/A: "1" must be "true" or "false"',
    ],
  ],
  [
    'taints and keys that are none, as their CRDs have no schema',
    { value: { sshPublicKeys: 'x' }, spec: { taints: ['a'] } },
    ['sshPublicKeys must be a list of keys', 'taints must be a list of taints'],
  ],
])('a fault is said of %s', (_name, given, faults) => {
  const result = made(given);
  expect(result.faults).toEqual(faults);
  expect(JSON.stringify(result)).not.toContain('not-for-logs');
});

test('what has no effect is listed, and keeps nothing', () => {
  const result = made({
    value: {
      operatingSystem: 'rhel',
      operatingSystemSpec: {
        rhelSubscriptionManagerUser: 'ada',
        rhsmOfflineToken: 'not-for-logs',
        distUpgradeonBoot: true,
      },
      caPublicKey: 'ssh-rsa AAAA',
      overwriteCloudConfig: 'not-for-logs',
    },
    spec: { versions: { kubelet: '1.34.2', controlPlane: '1.34.2' } },
    place: {
      annotations: { 'v1.kubelet-config.machine-controller.kubermatic.io/PodPidsLimit': '1' },
    },
    shared: {
      operatingSystem: {
        subscription: { organization: '1', activationKey: { name: 'red-hat', key: 'key' } },
      },
    },
  });
  expect(result).toMatchObject({
    faults: [],
    ignored: [
      'operatingSystemSpec.rhelSubscriptionManagerUser: machines are registered as operatingSystem.subscription says',
      'operatingSystemSpec.rhsmOfflineToken: machines that go are not taken from the list of Red Hat',
      'operatingSystemSpec.distUpgradeonBoot is no field of this system; machine-controller ignores it too',
      'annotation v1.kubelet-config.machine-controller.kubermatic.io/PodPidsLimit: they know no such setting either; put it into kubelet of config.yaml',
      'versions.controlPlane: machines of a deployment are no control plane',
      'caPublicKey: operating-system-manager does not use it either; write it, and TrustedUserCAKeys for sshd, by files of config.yaml',
      'overwriteCloudConfig: kubelets read no cloud config any more; the cloud controller manager has its own',
    ],
  });
  expect(JSON.stringify(result)).not.toContain('not-for-logs');
});

test('null stands for nothing, wherever it is', () => {
  const value = {
    sshPublicKeys: null,
    operatingSystemSpec: null,
    network: null,
    caPublicKey: null,
    overwriteCloudConfig: null,
  };
  const spec = { taints: null };
  expect(made({ value, spec })).toEqual({ ...made({}) });
});
