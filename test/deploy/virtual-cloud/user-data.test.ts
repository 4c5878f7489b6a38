/** Virtual machines join by their user data, and no answer or journal of the cloud shows them. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { filesIn } from '../../../deploy/local/virtual-cloud/machine/files.ts';
import { Disks } from '../../../deploy/local/virtual-cloud/machine/disks.ts';
import { kubeletIn } from '../../../deploy/local/virtual-cloud/machine/kubelet.ts';
import { createKubeNodes } from '../../../deploy/local/virtual-cloud/kube-nodes.ts';
import { noNodes, type NodeRegistry } from '../../../deploy/local/virtual-cloud/nodes.ts';
import type { UserDataConfig } from '../../../userdata/config.ts';
import { builtInProfile } from '../../../userdata/profiles.ts';
import { render } from '../../../userdata/render.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { eventually } from '../../support/eventually.ts';
import { selfSigned } from '../../support/self-signed.ts';
import { aCloud, temporaryFolder, type TestCloud } from './a-cloud.ts';

const bootstrapToken = 'abcdef.0123456789abcdef';
const { certificate } = await selfSigned({ name: 'ca', isAuthority: true });

/** Nothing listens at port 1. */
function textFor(profileName: string, node: UserDataConfig['node'] = {}): string {
  const profile = builtInProfile(profileName);
  if (!profile) throw new Error(`there is no profile ${profileName}`);
  const kubernetes = {
    version: '1.35.4',
    apiServer: 'https://127.0.0.1:1',
    caBundle: certificate,
    clusterDNS: ['10.96.0.10'] as [string],
  };
  const input = { profile, config: { kubernetes, node }, provider: 'virtual' };
  return render(input, { machineName: 'web-0', bootstrapToken, secrets: {} }).text;
}

const profileNames = ['ubuntu-24.04', 'flatcar'];

describe.each(profileNames)('the user data of %s', (profileName) => {
  const taints = [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' as const }];
  const labels = { 'example.com/pool': 'a', rack: '7' };
  const text = textFor(profileName, { labels, taints });

  test.each([
    ['as text', Buffer.from(text)],
    ['packed by gzip', gzipSync(text)],
  ])('say a machine how to join, %s', (_, bytes) => {
    const { bootstrap, ...kubelet } = kubeletIn(filesIn(bytes));
    // The driver knows them by this.
    expect(text).toContain('millwright-setup.service');
    expect(kubelet).toEqual({ labels, taints, asksForServing: true });
    expect(bootstrap.cluster.server).toBe('https://127.0.0.1:1');
    expect(bootstrap.user.token).toBe(bootstrapToken);
    expect(Buffer.from(bootstrap.cluster.caData ?? '', 'base64').toString()).toBe(certificate);
  });
});

test.each([
  ['#!/bin/bash\necho secret', 'neither #cloud-config nor the JSON of Ignition'],
  ['#cloud-config\nusers: [secret', 'cloud-config is no proper YAML'],
  ['#cloud-config\nhostname: secret', 'no file /etc/systemd/system/kubelet.service'],
  [
    textFor('ubuntu-24.04').replace('path: /etc/kubernetes/pki/ca.crt', 'path: /secret'),
    'no file /etc/kubernetes/pki/ca.crt',
  ],
  [
    textFor('ubuntu-24.04').replace('certificate-authority:', 'tls-server-name:'),
    'does not say by which CA',
  ],
])('user data that no machine can join by are said to be so, case %#', (text, message) => {
  const read = (): unknown => kubeletIn(filesIn(Buffer.from(text)));
  expect(read).toThrow(message);
  expect(read).toThrow(/^(?!.*(secret|0123456789abcdef)).*$/s);
});

test('files in base64, packed or not, are read', () => {
  const packed = gzipSync('b').toString('base64');
  const files = filesIn(
    Buffer.from(`#cloud-config
write_files:
  - { path: /a, encoding: b64, content: ${Buffer.from('a').toString('base64')} }
  - { path: /b, encoding: gz+b64, content: ${packed} }`),
  );
  expect([...files]).toEqual([
    ['/a', 'a'],
    ['/b', 'b'],
  ]);
});

describe('a cloud with such machines', () => {
  const userData = Buffer.from(textFor('ubuntu-24.04')).toString('base64');
  let folder = '';
  let cloud: TestCloud;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(async () => {
    await cloud.close();
    rmSync(folder, { recursive: true });
  });

  async function start(
    nodes: NodeRegistry = noNodes,
    settings: object = { bootSeconds: 60 },
  ): Promise<void> {
    cloud = await aCloud({ dataDir: folder, nodes });
    await cloud.call('PUT', '/settings', { callMilliseconds: 0, ...settings });
  }

  async function create(): Promise<string> {
    const request = { name: 'web-0', token: 't', userData };
    expect(await cloud.call('POST', '/instances', request)).toMatchObject({ status: 201 });
    return (await cloud.instances('name=web-0'))[0]?.id ?? 'none';
  }

  const disks = (): string[] => {
    const path = join(folder, 'disks');
    return existsSync(path) ? readdirSync(path) : [];
  };

  test('shows only the digest of their user data', async () => {
    await start();
    const id = await create();
    const again = { name: 'web-0', token: 't', userData };
    expect((await cloud.call('POST', '/instances', again)).body['known']).toBe(true);
    const shown = [
      readFileSync(join(folder, 'journal.jsonl'), 'utf8'),
      ...(await Promise.all(
        ['/instances?deleted=true', `/instances/${id}`, '/events', '/calls'].map(async (path) =>
          JSON.stringify((await cloud.call('GET', path)).body),
        ),
      )),
      ...cloud.log,
    ].join('\n');
    const digest = createHash('sha256').update(Buffer.from(userData, 'base64')).digest('hex');
    expect(shown).toContain(digest);
    expect(shown).not.toContain(userData.slice(0, 100));
    expect(shown).not.toContain(bootstrapToken);
    expect(statSync(join(folder, 'disks', id, 'user-data')).mode & 0o777).toBe(0o600);
  });

  test('refuses what is not base64, and does not repeat it', async () => {
    await start();
    const { status, body } = await cloud.call('POST', '/instances', {
      name: 'web-0',
      token: 't',
      userData: `token: ${bootstrapToken}`,
    });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('userData: it is not base64');
    expect(readFileSync(join(folder, 'journal.jsonl'), 'utf8')).not.toContain(bootstrapToken);
  });

  test('keeps their disks until they have joined or are gone, also across a restart', async () => {
    await start();
    const id = await create();
    mkdirSync(join(folder, 'disks', 'i-never-answered'));
    await cloud.close();
    await start();
    expect(disks()).toEqual([id]);
    await cloud.call('DELETE', `/instances/${id}`);
    await eventually('its disk is gone', () => disks().length === 0);
    await cloud.call('PUT', '/settings', { bootSeconds: 0 });
    await cloud.call('POST', '/instances', { name: 'web-1', token: 't1', userData });
    await eventually('it has joined', async () => {
      expect(await cloud.instances('name=web-1')).toMatchObject([{ state: 'running' }]);
      expect(disks()).toEqual([]);
    });
  });

  test('says on the console of one that cannot join why, and tries on', async () => {
    await start(createKubeNodes(new InMemoryClient(), new Disks(folder)), { bootSeconds: 0 });
    const id = await create();
    const output = await eventually('it has tried', async () => {
      const text = String((await cloud.call('GET', `/instances/${id}/console`)).body['output']);
      expect(text).toContain('the bootstrap token gets no client certificate: POST');
      return text;
    });
    expect(output).not.toContain('0123456789abcdef');
    const kept = readFileSync(join(folder, 'disks', id, 'kubelet-client.key'), 'utf8');
    await cloud.close();
    rmSync(join(folder, 'disks', id, 'user-data'));
    await start(createKubeNodes(new InMemoryClient(), new Disks(folder)), { bootSeconds: 0 });
    await eventually('it says that its disk is lost', async () => {
      const { body } = await cloud.call('GET', `/instances/${id}/console`);
      expect(body['output']).toContain('the user data cannot be used: they are lost');
    });
    expect(readFileSync(join(folder, 'disks', id, 'kubelet-client.key'), 'utf8')).toBe(kept);
  });
});
