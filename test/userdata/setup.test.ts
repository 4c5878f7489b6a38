/**
 * The setup script runs, in a folder instead of the root of a machine, and with stand-ins of the
 * programs that change one.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { UserDataConfig } from '../../userdata/config.ts';
import type { UserDataInput } from '../../userdata/input.ts';
import { render } from '../../userdata/render.ts';
import { contentsOf } from '../support/user-data/contents.ts';
import { somePool, someProfile, someValues } from './some-pool.ts';

const run = promisify(execFile);
const certificate = '/var/lib/kubelet/pki/kubelet-client-current.pem';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'setup-'));
  for (const folder of ['run', 'bin', 'published', 'opt/millwright', 'etc/kubernetes']) {
    await mkdir(join(root, folder), { recursive: true });
  }
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

/** Each notes how it was called. */
const standIns: Readonly<Record<string, string>> = {
  'apt-get': '',
  curl: `for url in "$@"; do :; done
while [ "$1" != --output ]; do
  if [ $# -eq 1 ]; then cat "$root/metadata/$(basename "\${url%%\\?*}")"; exit; fi
  shift
done
cp "$root/published/\${url##*/}" "$2"`,
  dnf: '',
  journalctl: 'echo "the last lines"',
  modprobe: '[ ! -e "$root/no-modules" ]',
  nmcli: '',
  sleep: '',
  'subscription-manager': '[ "$1" = register ]',
  swapoff: '',
  sysctl: '',
  systemctl: `case "$1 $2" in
"cat missing.service") exit 1 ;;
"restart containerd.service") mkdir -p "$root/var/lib/kubelet/pki"; echo x >"$root${certificate}" ;;
esac`,
  uname: 'echo "${MACHINE:-x86_64}"',
};

/** A program as its publisher has it: by the last part of its address. */
async function publish(name: string, program: string, folder = ''): Promise<string> {
  const path = join(root, 'published', name);
  if (name.endsWith('gz')) {
    const packed = join(root, 'packed', name);
    await mkdir(join(packed, folder), { recursive: true });
    await writeFile(join(packed, folder, program), program);
    await run('tar', ['-czf', path, '-C', packed, folder || program]);
  } else {
    await writeFile(path, program);
  }
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}

/** The machines are of the first. */
const of = (amd64: string) => ({ amd64, arm64: '0'.repeat(64) });

async function poolWith(
  parts: Partial<UserDataConfig> = {},
  pool: Partial<UserDataInput> = {},
): Promise<UserDataInput> {
  const kubelet = await publish('kubelet', 'kubelet');
  const containerd = await publish(
    'containerd-static-2.2.0-linux-amd64.tar.gz',
    'containerd',
    'bin',
  );
  const runc = await publish('runc.amd64', 'runc');
  const plugins = await publish('cni-plugins-linux-amd64-v1.9.0.tgz', 'bridge');
  const crictl = await publish('crictl-v1.34.0-linux-amd64.tar.gz', 'crictl');
  const digests = {
    kubelet: { '1.34.2': of(kubelet) },
    containerd: { '2.2.0': of(containerd) },
    runc: { '1.4.0': of(runc) },
    'cni-plugins': { '1.9.0': of(plugins) },
    crictl: { '1.34.0': of(crictl) },
  };
  return somePool({ downloads: { digests }, ...parts }, pool);
}

interface Ran {
  code: number;
  /** What it printed, without `millwright: `. */
  lines: string[];
  calls: string[];
}

async function setUp(input: UserDataInput, variables: NodeJS.ProcessEnv = {}): Promise<Ran> {
  const secrets = { 'red-hat': { key: 'ACTIVATION-KEY' } };
  const contents = await contentsOf(render(input, someValues({ secrets })));
  const inRoot = (text: string) =>
    text.replaceAll(/(?<![\w.:/])\/(run|opt|etc|var|usr\/local)\//g, `${root}/$1/`);
  for (const [path, text] of Object.entries(contents)) {
    if (path.startsWith('/opt/millwright/')) await writeFile(join(root, path), inRoot(text));
  }
  for (const [name, body] of Object.entries(standIns)) {
    const file = join(root, 'bin', name);
    await writeFile(file, `#!/bin/bash\necho "$(basename "$0") $*" >>"$root/calls"\n${body}\n`);
    await chmod(file, 0o755);
  }
  await writeFile(join(root, 'calls'), '');
  const env = { PATH: `${join(root, 'bin')}:${process.env['PATH']}`, root, ...variables };
  const ended = await run('bash', [join(root, 'opt/millwright/setup')], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  const printed = `${ended.stdout}${ended.stderr}`.trim().replaceAll(`${root}/`, '/');
  const calls = (await readFile(join(root, 'calls'), 'utf8')).replaceAll(`${root}/`, '/');
  return {
    code: ended.code,
    lines: printed.split('\n').map((line) => line.replace('millwright: ', '')),
    calls: calls.trim().split('\n'),
  };
}

const textAt = async (path: string) => await readFile(join(root, path), 'utf8').catch(() => '');

test('installs each program after its digest, and ends once the kubelet has its certificate', async () => {
  const commands = { beforeJoin: ['echo "before $0"'], afterJoin: ['echo after'] };
  const ran = await setUp(await poolWith({ commands }));
  expect(ran.lines).toEqual([
    'disable units',
    'turn swap off',
    'commands.beforeJoin',
    'before /opt/millwright/before-join',
    'install packages',
    expect.stringMatching(
      /^fetch kubelet 1\.34\.2 from https:\/\/dl\.k8s\.io\/.*\/amd64\/kubelet$/,
    ),
    expect.stringMatching(/^fetch containerd 2\.2\.0 from /),
    expect.stringMatching(/^fetch runc 1\.4\.0 from /),
    expect.stringMatching(/^fetch cni-plugins 1\.9\.0 from /),
    expect.stringMatching(/^fetch crictl 1\.34\.0 from /),
    'set up the kernel',
    'start containerd and the kubelet',
    'wait for the certificate of the kubelet',
    'commands.afterJoin',
    'after',
    'done: the kubelet has its certificate',
  ]);
  expect(ran.code).toBe(0);
  await expect(textAt('usr/local/bin/kubelet')).resolves.toBe('kubelet');
  await expect(textAt('usr/local/bin/containerd')).resolves.toBe('containerd');
  await expect(textAt('opt/cni/bin/bridge')).resolves.toBe('bridge');
  expect(ran.calls.slice(-3)).toEqual([
    'systemctl daemon-reload',
    'systemctl enable containerd.service kubelet.service',
    'systemctl restart containerd.service kubelet.service',
  ]);
});

test.each([
  {
    provider: 'AWS',
    metadata: {
      token: 'TOKEN',
      'local-hostname': 'ip-10-0-0-7.eu-west-1.compute.internal example.com',
      'availability-zone': 'eu-west-1b',
      'instance-id': 'i-0abc',
    },
    asked:
      'NODE_NAME=ip-10-0-0-7.eu-west-1.compute.internal\nPROVIDER_ID=aws:///eu-west-1b/i-0abc\n',
  },
  {
    provider: 'GCP',
    metadata: { zone: 'projects/12/zones/europe-west1-b', 'project-id': 'shop', name: 'pool-a-x' },
    asked: 'PROVIDER_ID=gce://shop/europe-west1-b/pool-a-x\n',
  },
  {
    provider: 'Azure',
    metadata: { resourceId: '/subscriptions/s/resourceGroups/g/providers/p/virtualMachines/m' },
    asked: 'PROVIDER_ID=azure:///subscriptions/s/resourceGroups/g/providers/p/virtualMachines/m\n',
  },
])('asks $provider what only it knows, once more after a failure', async (cloud) => {
  const { provider, metadata, asked } = cloud;
  const pool = await poolWith({ node: { cloudProvider: 'none' } }, { provider });
  const failed = await setUp(pool);
  expect(failed.code).toBe(1);
  expect(failed.lines).toContainEqual(
    expect.stringMatching(/^failed \(exit code 1\): ask the cloud for /),
  );
  await mkdir(join(root, 'metadata'));
  for (const [name, text] of Object.entries(metadata)) {
    await writeFile(join(root, 'metadata', name), text);
  }
  const ran = await setUp(pool);
  expect(ran.code).toBe(0);
  await expect(textAt('etc/kubernetes/asked')).resolves.toBe(asked);
});

test('installs nothing that has another digest', async () => {
  const pool = await poolWith();
  await publish('runc.amd64', 'forged');
  const ran = await setUp(pool);
  expect(ran.code).toBe(1);
  expect(ran.lines.slice(-2)).toEqual([
    expect.stringMatching(/^the SHA-256 of https:\S*runc\.amd64 is not [0-9a-f]{64}$/),
    expect.stringMatching(/^failed \(exit code 1\): the SHA-256 of /),
  ]);
  await expect(textAt('usr/local/bin/runc')).resolves.toBe('');
  expect(ran.calls.join('\n')).not.toContain('systemctl restart');
});

test('goes on after a failure, later from time to time, and fetches nothing twice', async () => {
  const pool = await poolWith();
  await writeFile(join(root, 'no-modules'), '');
  const first = await setUp(pool);
  expect(first.lines.at(-1)).toBe('failed (exit code 1): set up the kernel');
  const second = await setUp(pool);
  expect(second.lines[0]).toBe('attempt 2');
  await rm(join(root, 'no-modules'));
  const third = await setUp(pool);
  expect(third.code).toBe(0);
  expect([second, third].map(({ calls }) => calls[0])).toEqual(['sleep 10', 'sleep 20']);
  expect(third.calls.filter((call) => call.startsWith('curl'))).toEqual([]);
});

test('fetches nothing that the image has', async () => {
  const pool = await poolWith();
  await mkdir(join(root, 'opt/millwright/downloads'), { recursive: true });
  for (const { name, sha256, url, architecture } of render(pool, someValues()).downloads) {
    if (architecture !== 'amd64' || name === 'crictl') continue;
    const published = join(root, 'published', url.split('/').at(-1) ?? '');
    await writeFile(join(root, 'opt/millwright/downloads', sha256), await readFile(published));
  }
  const { calls, code } = await setUp(pool);
  expect(code).toBe(0);
  expect(calls.filter((call) => call.startsWith('curl'))).toEqual([
    expect.stringContaining('crictl-v1.34.0-linux-amd64.tar.gz'),
  ]);
});

test('says so where there are no programs for the machine', async () => {
  const { code, lines } = await setUp(await poolWith(), { MACHINE: 'riscv64' });
  expect([code, lines.at(-1)]).toEqual([1, 'no programs are known for riscv64']);
});

test('disables only units that are there', async () => {
  const profile = { ...someProfile('flatcar'), disabledUnits: ['missing.service', 'a.service'] };
  const { calls } = await setUp(await poolWith({}, { profile }));
  const units = calls.filter((call) => /(missing|a)\.service/.test(call));
  expect(units).toEqual([
    'systemctl cat missing.service',
    'systemctl cat a.service',
    'systemctl stop a.service',
    'systemctl mask a.service',
  ]);
});

test('registers, upgrades and restarts once, without a word of the key', async () => {
  const subscription = { organization: "it's", activationKey: { name: 'red-hat', key: 'key' } };
  const operatingSystem = { distUpgradeOnBoot: true, subscription };
  const pool = await poolWith({ operatingSystem }, { profile: someProfile('rhel-9') });
  const first = await setUp(pool);
  expect(first.code).toBe(0);
  expect(first.calls).toContain(
    "subscription-manager register --org=it's --activationkey=ACTIVATION-KEY",
  );
  expect(first.calls.at(-1)).toBe('systemctl reboot');
  expect(first.lines.join('\n')).not.toContain('ACTIVATION-KEY');
  // A restart empties this folder.
  await rm(join(root, 'run/millwright-attempts'));
  const second = await setUp(pool);
  expect(second.lines.at(-1)).toBe('done: the kubelet has its certificate');
  await expect(textAt('opt/millwright/activation-key')).resolves.toBe('');
  await expect(textAt('etc/kubernetes/bootstrap-kubelet.conf')).resolves.toBe('');
});
