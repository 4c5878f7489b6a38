/** Pools whose profile and config are each right, and that no machine could be made of. */
import type { UserDataConfig } from '../../userdata/config.ts';
import type { UserDataInput } from '../../userdata/input.ts';
import type { Profile } from '../../userdata/profile.ts';
import { poolFaults, render } from '../../userdata/render.ts';
import {
  authority,
  authorityHash,
  bothOf,
  someConfig,
  somePool,
  someProfile,
  someValues,
} from './some-pool.ts';

const { kubernetes } = someConfig();
const flatcar = someProfile('flatcar');
const emptyUnit = { name: 'agent.service', content: '[Service]\nExecStart=/bin/true\n' };

interface Case {
  name: string;
  config?: Partial<UserDataConfig>;
  pool?: Partial<UserDataInput>;
  faults: string[];
}

const cases: Case[] = [
  {
    name: 'a cloud that the profile is not for',
    pool: { profile: someProfile('amazon-linux-2023'), provider: 'GCP' },
    faults: [
      'provider: "GCP" is not one that the profile amazon-linux-2023 is for: AWS, virtual, local',
    ],
  },
  {
    name: 'a version without a digest',
    config: {
      kubernetes: { ...kubernetes, version: '1.34.99' },
      downloads: { digests: { kubelet: { '1.34.99': { amd64: bothOf('a').amd64 } } } },
    },
    faults: [
      'downloads.digests.kubelet.1.34.99.arm64 is missing: kubelet 1.34.99 is not among the versions whose SHA-256 Millwright knows; put it there',
    ],
  },
  {
    name: 'a containerd where the image has one',
    pool: { profile: flatcar },
    config: { containerRuntime: { version: '2.2.0' } },
    faults: [
      'containerRuntime.version: "2.2.0" is not allowed: machines of the profile flatcar have the containerd of their image; take it away',
    ],
  },
  {
    name: 'a containerd that is too old for the kubelet',
    config: {
      kubernetes: { ...kubernetes, version: '1.36.0' },
      containerRuntime: { version: '1.7.34' },
    },
    faults: [
      'containerRuntime.version: "1.7.34" is not one that Kubernetes 1.36.0 runs with: it must be 2.0.0 or newer',
    ],
  },
  {
    name: 'packages without a package manager',
    pool: { profile: flatcar },
    config: { packages: { extra: ['jq'] }, operatingSystem: { distUpgradeOnBoot: true } },
    faults: [
      'packages.extra: ["jq"] is not allowed: the profile flatcar has no package manager',
      'operatingSystem.distUpgradeOnBoot: true is not allowed: the profile flatcar has no package manager',
    ],
  },
  {
    name: 'a subscription of another system',
    config: {
      operatingSystem: {
        subscription: { organization: '1', activationKey: { name: 'red-hat', key: 'key' } },
      },
    },
    faults: [
      'operatingSystem.subscription: it is for profiles of rhel, and ubuntu-24.04 is of ubuntu',
    ],
  },
  {
    name: 'a CA that is none',
    config: {
      kubernetes: {
        ...kubernetes,
        caBundle: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
        caCertHashes: [authorityHash],
      },
    },
    faults: ['kubernetes.caBundle: a text of 59 characters is not a list of certificates in PEM'],
  },
  {
    name: 'a CA that is not the pinned one',
    config: { kubernetes: { ...kubernetes, caCertHashes: [`sha256:${'0'.repeat(64)}`] } },
    faults: [
      `kubernetes.caBundle: the certificate of "CN=kubernetes" has ${authorityHash}, which is not one of kubernetes.caCertHashes: sha256:${'0'.repeat(64)}`,
    ],
  },
  {
    name: 'an address that is none',
    config: { kubernetes: { ...kubernetes, clusterDNS: ['10.96.0.10', '10.96.0'] } },
    faults: ['kubernetes.clusterDNS[1]: "10.96.0" is not an IP address, such as "10.96.0.10"'],
  },
  {
    name: 'a registry twice',
    config: { registries: [{ host: 'docker.io' }, { host: 'docker.io' }] },
    faults: ['registries[1].host: "docker.io" is there already: one item for each registry'],
  },
  {
    name: 'a name by which the driver finds no Node',
    pool: { provider: 'AWS' },
    config: { node: { name: 'machine' } },
    faults: ['node.name: "machine" is not what the driver of AWS finds Nodes by: "hostname"'],
  },
  {
    name: 'labels and taints that Kubernetes refuses',
    config: {
      node: {
        labels: { 'a b': 'x', pool: '$(id)', 'node-role.kubernetes.io/worker': '' },
        taints: [{ key: 'a/b/c', value: 'x,y', effect: 'NoExecute' }],
      },
    },
    faults: [
      'node.labels: "a b" is not a key, such as "example.com/pool"',
      'node.labels.pool: "$(id)" is not empty or up to 63 letters, digits, dashes, dots and underscores',
      'node.labels.node-role.kubernetes.io/worker is not one that a kubelet may set of itself: put it into nodeTemplate or the labels of the MachineDeployment',
      'node.taints[0].key: "a/b/c" is not a key, such as "example.com/pool"',
      'node.taints[0].value: "x,y" is not empty or up to 63 letters, digits, dashes, dots and underscores',
    ],
  },
  {
    name: 'quantities, bounds and durations that are none',
    config: {
      kubelet: {
        KubeReserved: 'cpu,gpu=1,memory=3 Gi',
        evictionHard: { 'memory.available': '10%%' },
        containerLogMaxSize: 'big',
        shutdownGracePeriod: '30',
      },
    },
    faults: [
      'kubelet.containerLogMaxSize: "big" is not a quantity, such as 200m or 300Mi',
      'kubelet.shutdownGracePeriod: "30" is not a duration, such as 90s or 2m',
      'kubelet.KubeReserved.cpu: "" is not a quantity, such as 200m or 300Mi',
      'kubelet.KubeReserved: "gpu" is not one of cpu, memory, ephemeral-storage, pid',
      'kubelet.KubeReserved: "memory=3 Gi" is not one of cpu, memory, ephemeral-storage, pid',
      'kubelet.evictionHard.memory.available: "10%%" is not a quantity or a percentage, such as 300Mi or 10%',
    ],
  },
  {
    name: 'settings of the kubelet that need others',
    config: {
      kubelet: {
        MaxPods: 110,
        maxPods: 200,
        maxParallelImagePulls: 5,
        swapBehavior: 'NoSwap',
        evictionSoft: { 'pid.available': '5%' },
      },
    },
    faults: [
      'kubelet.MaxPods is there in two spellings: give one',
      'kubelet.maxParallelImagePulls: 5 needs kubelet.serializeImagePulls: false',
      'kubelet.swapBehavior: "NoSwap" needs kubelet.failSwapOn: false',
      'kubelet.evictionSoftGracePeriod.pid.available is missing: kubelet.evictionSoft has pid.available',
    ],
  },
  {
    name: 'files that others have',
    config: {
      files: [
        { path: '/etc/kubernetes/kubelet.yaml', content: '' },
        { path: '/etc/systemd/system/a.service', content: '' },
        { path: '/etc/a', content: '' },
        { path: '/etc/a', content: '' },
        { path: '/etc/../etc/b', content: '' },
      ],
    },
    faults: [
      'files[0].path: "/etc/kubernetes/kubelet.yaml" is not allowed: Millwright writes it',
      'files[1].path: "/etc/systemd/system/a.service" is not allowed: units and their drop-ins belong in units',
      'files[3].path: "/etc/a" is not allowed: another file has this path',
      'files[4].path: "/etc/../etc/b" is not in its shortest form: /etc/b',
    ],
  },
  {
    name: 'a file with no content, and one with two',
    config: {
      files: [
        { path: '/etc/a' },
        { path: '/etc/b', content: '', secret: { name: 'agent', key: 'token' } },
      ],
    },
    faults: [
      'files[0] (/etc/a): exactly one of content and secret has to be given',
      'files[1] (/etc/b): exactly one of content and secret has to be given',
    ],
  },
  {
    name: 'units that others have',
    pool: { profile: { ...someProfile(), units: [emptyUnit] } },
    config: {
      units: [
        { name: 'kubelet.service', enabled: false },
        emptyUnit,
        { name: 'other.service', content: '[Unit]\n', masked: true },
        {
          name: 'containerd.service',
          dropIns: [
            { name: '10-a.conf', content: '[Unit]\n' },
            { name: '10-a.conf', content: '[Unit]\n' },
            { name: 'millwright-proxy.conf', content: '[Unit]\n' },
          ],
        },
      ],
    },
    faults: [
      'units[0].name: "kubelet.service" is there already: only dropIns are allowed beside it',
      'units[1].name: "agent.service" is there already: only dropIns are allowed beside it',
      'units[2].masked: true is not allowed where content is given',
      'units[3].dropIns: "10-a.conf" is taken: give it another name',
      'units[3].dropIns: "millwright-proxy.conf" is taken: give it another name',
    ],
  },
];

test.each(cases)('refuses $name', ({ config, pool, faults }) => {
  const input = somePool(config, pool);
  expect(poolFaults(input)).toEqual(faults);
  expect(() => render(input, someValues())).toThrow(faults[0]);
});

const allowed: Record<string, { config?: Partial<UserDataConfig>; profile?: Partial<Profile> }> = {
  'the CA that is pinned': {
    config: { kubernetes: { ...kubernetes, caCertHashes: [authorityHash] } },
  },
  'several CAs': { config: { kubernetes: { ...kubernetes, caBundle: authority.repeat(2) } } },
  'drop-ins of profile and config for one unit': {
    profile: {
      units: [{ name: 'kubelet.service', dropIns: [{ name: 'a.conf', content: '[Unit]\n' }] }],
    },
    config: {
      units: [{ name: 'kubelet.service', dropIns: [{ name: 'b.conf', content: '[Unit]\n' }] }],
    },
  },
  'labels of the kubelet': {
    config: { node: { labels: { 'node.kubernetes.io/pool': 'a', 'kubernetes.io/os': 'linux' } } },
  },
};

test.each(Object.entries(allowed))('takes %s', (_name, { config, profile }) => {
  const input = somePool(config, { profile: { ...someProfile(), ...profile } });
  expect(poolFaults(input)).toEqual([]);
});
