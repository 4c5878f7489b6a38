/** Optional parts of a config of user data, with the values that are the hardest to carry. */
import { stringify } from 'yaml';
import type { UserDataConfig } from '../../../userdata/config.ts';
import { readConfig } from '../../../userdata/documents.ts';
import type { Profile } from '../../../userdata/profile.ts';
import { poolFaults } from '../../../userdata/render.ts';
import { selfSigned } from '../self-signed.ts';

/** Of a config, as a person writes it. */
type Part = Readonly<Record<string, object>>;

const { certificate } = await selfSigned({ name: 'kubernetes', isAuthority: true });

/** What every config has to say. */
const leastConfig = {
  kubernetes: {
    version: '1.35.4',
    apiServer: 'https://api.example.com:6443',
    caBundle: certificate,
    clusterDNS: ['10.96.0.10'],
  },
};

const awkward = `it's "quoted" \\ $HOME \`id\` %n 100% ümläut\n\ttab: yes # no\n`;

/** By option, and by level of it; `none` is its absence. */
export const options = {
  cluster: {
    none: {},
    more: {
      kubernetes: {
        ...leastConfig.kubernetes,
        clusterDNS: ['10.96.0.10', 'fd00::a'],
        clusterDomain: 'pods.example.com',
      },
    },
  },
  proxy: {
    none: {},
    http: { proxy: { http: 'http://proxy.example.com:3128' } },
    all: {
      proxy: {
        http: 'http://u:p%40ss@proxy.example.com:3128',
        https: 'https://proxy.example.com:3129',
        noProxy: ['10.0.0.0/8', '.example.com'],
      },
    },
  },
  registries: {
    none: {},
    mirrors: {
      registries: [
        {
          host: 'docker.io',
          mirrors: ['https://mirror.example.com', 'http://10.1.2.3:5000/v2/hub'],
        },
        { host: 'registry.example.com:5000', caBundle: certificate },
      ],
    },
    credentials: {
      registries: [
        {
          host: 'docker.io',
          credentialsSecret: 'hub',
          mirrors: ['https://mirror.example.com'],
          caBundle: certificate,
        },
        { host: 'ghcr.io', credentialsSecret: 'ghcr' },
      ],
    },
  },
  ntp: { none: {}, servers: { ntpServers: ['ntp1.example.com', '10.1.2.3'] } },
  ssh: {
    none: {},
    keys: { ssh: { authorizedKeys: ['ssh-ed25519 AAAAC3Nza someone@example.com'] } },
    user: {
      ssh: { user: 'admin', authorizedKeys: ['ssh-ed25519 AAAAC3Nza', 'ssh-rsa AAAAB3Nza x'] },
    },
  },
  files: {
    none: {},
    texts: {
      files: [
        { path: '/etc/motd', content: awkward },
        { path: '/opt/check', permissions: '0755', content: '#!/bin/bash\necho "$0"\n' },
        { path: '/etc/empty', content: '' },
      ],
    },
    secrets: { files: [{ path: '/etc/agent/token', secret: { name: 'agent', key: 'token' } }] },
  },
  units: {
    none: {},
    own: {
      units: [
        {
          name: 'agent.service',
          content:
            '[Service]\nExecStart=/bin/bash -c "exit 0"\n[Install]\nWantedBy=multi-user.target\n',
          dropIns: [{ name: '10-limits.conf', content: '[Service]\nLimitNOFILE=1024\n' }],
        },
        { name: 'rsync.service', masked: true },
      ],
    },
    over: {
      units: [
        {
          name: 'kubelet.service',
          dropIns: [{ name: '10-nice.conf', content: '[Service]\nNice=-5\n' }],
        },
        { name: 'systemd-timesyncd.service', enabled: true },
      ],
    },
  },
  commands: {
    none: {},
    some: {
      commands: {
        beforeJoin: [`echo 'it is "quoted"' >/run/before`, 'test -e /run/before'],
        afterJoin: ['echo joined'],
      },
    },
  },
  packages: {
    none: {},
    off: { packages: { install: false } },
    extra: { packages: { extra: ['jq', 'nfs-common'] } },
  },
  source: { none: {}, folder: { downloads: { source: 'http://10.1.2.3:8080/mirror/' } } },
  nodeName: {
    none: {},
    machine: { node: { name: 'machine' } },
    hostname: { node: { name: 'hostname' } },
  },
  nodeAddress: { none: {}, ipv4: { node: { ip: 'ipv4' } }, ipv6: { node: { ip: 'ipv6' } } },
  nodeMarks: {
    none: {},
    both: {
      node: {
        labels: { 'example.com/pool': 'a', 'node.kubernetes.io/kind': '', on: 'yes' },
        taints: [
          { key: 'example.com/only', value: 'true', effect: 'NoSchedule' },
          { key: 'bare', effect: 'NoExecute' },
        ],
      },
    },
  },
  cloudProvider: {
    none: {},
    external: { node: { cloudProvider: 'external' } },
    no: { node: { cloudProvider: 'none' } },
  },
  kubelet: {
    none: {},
    gardener: {
      kubelet: {
        maxPods: 200,
        podPidsLimit: 4096,
        protectKernelDefaults: true,
        failSwapOn: false,
        swapBehavior: 'LimitedSwap',
        serializeImagePulls: false,
        maxParallelImagePulls: 5,
        imageGCHighThresholdPercent: 80,
        imageGCLowThresholdPercent: 70,
        imageMinimumGCAge: '2m',
        imageMaximumGCAge: '24h',
        kubeReserved: { cpu: '200m', memory: '300Mi' },
        evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%' },
        evictionSoft: { 'memory.available': '200Mi' },
        evictionSoftGracePeriod: { 'memory.available': '1m30s' },
        shutdownGracePeriod: '30s',
        shutdownGracePeriodCriticalPods: '10s',
        containerLogMaxSize: '100Mi',
        seccompDefault: true,
        topologyManagerPolicy: 'best-effort',
        featureGates: { NodeSwap: true },
      },
    },
    kubermatic: {
      kubelet: {
        ContainerLogMaxFiles: '5',
        ContainerLogMaxSize: '50Mi',
        MaxPods: '110',
        KubeReserved: 'cpu=200m,memory=300Mi,ephemeral-storage=1Gi',
        SystemReserved: 'cpu=100m',
        EvictionHard: 'memory.available<100Mi,nodefs.available<10%',
        serverTLSBootstrap: false,
      },
    },
  },
  system: {
    none: {},
    upgrade: { operatingSystem: { distUpgradeOnBoot: true } },
    update: { operatingSystem: { disableAutoUpdate: false } },
    subscription: {
      operatingSystem: {
        subscription: { organization: '1234567', activationKey: { name: 'red-hat', key: 'key' } },
      },
    },
  },
  runtime: {
    none: {},
    sandbox: { containerRuntime: { sandboxImage: 'registry.example.com:5000/pause:3.10' } },
    first: {
      containerRuntime: { name: 'containerd', version: '1.7.99' },
      downloads: { digests: { containerd: { '1.7.99': bothOf('a') } } },
    },
    second: { containerRuntime: { version: '2.2.7', sandboxImage: 'pause:3.10' } },
  },
} as const satisfies Record<string, Record<string, Part>>;

function bothOf(digit: string) {
  return { amd64: digit.repeat(64), arm64: digit.repeat(64) };
}

export type Option = keyof typeof options;
const partsOf: Readonly<Record<Option, Readonly<Record<string, Part>>>> = options;

export const optionNames = Object.keys(options).filter((name): name is Option => name in options);

/** By option: the levels that a pool of this profile may have on one of the clouds. */
export function levelsFor(
  profile: Profile,
  providers: readonly string[],
): Record<string, string[]> {
  const entries = optionNames.map((option) => {
    const allowed = Object.keys(options[option]).filter((level) => {
      const config = configOf({ [option]: level });
      return providers.some((provider) => poolFaults({ profile, provider, config }).length === 0);
    });
    return [option, allowed] as const;
  });
  return Object.fromEntries(entries);
}

/** Read from YAML, as the worker reads it. */
export function configOf(levels: Readonly<Record<string, string>>): UserDataConfig {
  const config: Record<string, object> = { ...leastConfig };
  for (const option of optionNames) {
    for (const [key, part] of Object.entries(partsOf[option][levels[option] ?? 'none'] ?? {})) {
      config[key] = Array.isArray(part) ? part : { ...config[key], ...part };
    }
  }
  const { value, faults } = { value: undefined, ...readConfig(stringify(config), 'config.yaml') };
  if (value === undefined) throw new Error(faults?.join('\n'));
  return value;
}
