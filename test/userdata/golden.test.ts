/**
 * What machines are started with, one text for each family of systems, for people who review a
 * change: `UPDATE_GOLDEN=1` writes them anew.
 */
import { readFile, writeFile } from 'node:fs/promises';
import type { UserDataConfig } from '../../userdata/config.ts';
import { yamlText } from '../../userdata/quoting.ts';
import { render } from '../../userdata/render.ts';
import { authority, somePool, someProfile, someValues } from './some-pool.ts';

const everything: Partial<UserDataConfig> = {
  containerRuntime: { sandboxImage: 'registry.example.com/pause:3.10' },
  node: {
    ip: 'ipv6',
    labels: { 'example.com/pool': 'a' },
    taints: [{ key: 'example.com/only', value: 'gpu', effect: 'NoSchedule' }],
  },
  kubelet: { MaxPods: '110', KubeReserved: 'cpu=200m,memory=300Mi', protectKernelDefaults: true },
  registries: [
    { host: 'docker.io', mirrors: ['https://harbor.example.com/v2/hub'], caBundle: authority },
    { host: 'registry.example.com', credentialsSecret: 'registry' },
  ],
  proxy: { http: 'http://proxy.example.com:3128', noProxy: ['10.0.0.0/8'] },
  ntpServers: ['ntp.example.com'],
  ssh: { user: 'ops', authorizedKeys: ['ssh-ed25519 AAAA someone'] },
  files: [{ path: '/etc/agent/token', secret: { name: 'agent', key: 'token' } }],
  units: [{ name: 'rpcbind.socket', masked: true }],
  commands: { beforeJoin: ['echo before'], afterJoin: ['echo after'] },
};

const subscription = { organization: '1234567', activationKey: { name: 'red-hat', key: 'key' } };

/** By profile: the cloud, and what the config has beside the least. */
const pools: Readonly<Record<string, [provider: string, parts?: Partial<UserDataConfig>]>> = {
  'ubuntu-24.04': ['OpenStack'],
  'debian-13': ['Alicloud', everything],
  flatcar: ['OpenStack', { ssh: { authorizedKeys: ['ssh-ed25519 AAAA someone'] } }],
  'rhel-9': ['Azure', { operatingSystem: { distUpgradeOnBoot: true, subscription } }],
  'rocky-9': ['vsphere'],
  'amazon-linux-2': ['AWS'],
  'opensuse-leap-16.0': ['hcloud'],
};

const secrets = {
  registry: { username: 'reader', password: 'PASSWORD' },
  agent: { token: 'TOKEN' },
  'red-hat': { key: 'ACTIVATION-KEY' },
};

interface IgnitionText {
  storage: { files: { contents: { source: string } }[] };
}

/** Ignition's, in a form that people can read. */
function readable(text: string): string {
  if (!text.startsWith('{')) return text;
  const { storage, ...rest }: IgnitionText = JSON.parse(text);
  const files = storage.files.map(({ contents: { source }, ...file }) => ({
    ...file,
    decoded: decodeURIComponent(source.replace('data:,', '')),
  }));
  return yamlText({ ...rest, storage: { files } });
}

test.each(Object.entries(pools))('the user data of %s', async (name, [provider, parts]) => {
  const pool = somePool(parts, { profile: someProfile(name), provider });
  const text = readable(render(pool, someValues({ secrets })).text);
  const file = new URL(`golden/${name}.txt`, import.meta.url);
  if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(file, text);
  expect(text).toBe(await readFile(file, 'utf8'));
});
