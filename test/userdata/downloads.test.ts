import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import {
  downloadOf,
  knownVersions,
  newestVersion,
  type Program,
} from '../../userdata/downloads.ts';

const programs = ['kubelet', 'containerd', 'runc', 'cni-plugins', 'crictl'] as const;
const architectures = ['amd64', 'arm64'] as const;
const kubelet = { program: 'kubelet', version: '1.34.2', architecture: 'arm64' } as const;

test('each known version has a digest of its own for both architectures', () => {
  const digests = programs.flatMap((program) =>
    knownVersions(program).flatMap((version) =>
      architectures.map((architecture) => downloadOf({ program, version, architecture })?.sha256),
    ),
  );
  expect(digests.length).toBeGreaterThan(100);
  for (const digest of digests) expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(new Set(digests).size).toBe(digests.length);
});

test('the file lists the newest first', () => {
  const file = new URL('../../userdata/downloads.yaml', import.meta.url);
  const listed: Record<Program, { digests: object }> = parse(readFileSync(file, 'utf8'));
  for (const program of programs) {
    expect(Object.keys(listed[program].digests)).toEqual(knownVersions(program));
  }
  expect(knownVersions('kubelet').indexOf('1.34.10')).toBeLessThan(
    knownVersions('kubelet').indexOf('1.34.9'),
  );
});

test.each([
  ['kubelet', '1.34.2', 'https://dl.k8s.io/release/v1.34.2/bin/linux/amd64/kubelet'],
  [
    'containerd',
    '2.2.7',
    'https://github.com/containerd/containerd/releases/download/v2.2.7/containerd-static-2.2.7-linux-amd64.tar.gz',
  ],
  ['runc', '1.4.3', 'https://github.com/opencontainers/runc/releases/download/v1.4.3/runc.amd64'],
  [
    'cni-plugins',
    '1.9.1',
    'https://github.com/containernetworking/plugins/releases/download/v1.9.1/cni-plugins-linux-amd64-v1.9.1.tgz',
  ],
  [
    'crictl',
    '1.36.0',
    'https://github.com/kubernetes-sigs/cri-tools/releases/download/v1.36.0/crictl-v1.36.0-linux-amd64.tar.gz',
  ],
] as const)('%s is fetched from its publisher', (program, version, url) => {
  expect(downloadOf({ program, version, architecture: 'amd64' })?.url).toBe(url);
});

test.each(['https://mirror.example.com/files', 'https://mirror.example.com/files/'])(
  'the mirror %s has it by host and path',
  (source) => {
    expect(downloadOf({ ...kubelet, source })?.url).toBe(
      'https://mirror.example.com/files/dl.k8s.io/release/v1.34.2/bin/linux/arm64/kubelet',
    );
  },
);

test('a digest of the config counts before ours, and knows versions that we do not', () => {
  const sha256 = 'a'.repeat(64);
  const unknown = { ...kubelet, version: '1.99.0' };
  const digests = { kubelet: { '1.34.2': { arm64: sha256 }, '1.99.0': { arm64: sha256 } } };
  expect(downloadOf({ ...kubelet, digests })?.sha256).toBe(sha256);
  expect(downloadOf({ ...unknown, digests })?.sha256).toBe(sha256);
  expect(downloadOf({ ...kubelet, architecture: 'amd64', digests })?.sha256).not.toBe(sha256);
  expect(downloadOf(unknown)).toBeUndefined();
  expect(downloadOf({ ...unknown, architecture: 'amd64', digests })).toBeUndefined();
});

test('a name that every object has is no version', () => {
  expect(downloadOf({ ...kubelet, version: 'constructor' })).toBeUndefined();
});

test('the newest version goes with Kubernetes', () => {
  expect(newestVersion('kubelet', '1.34.0')).toBe('1.34.11');
  expect(newestVersion('kubelet', '1.99.0')).toBeUndefined();
  expect(newestVersion('crictl', '1.35.3')).toBe('1.35.0');
  expect(newestVersion('crictl', '1.99.0')).toBe(knownVersions('crictl')[0]);
  expect(newestVersion('crictl', '1.20.0')).toBeUndefined();
  expect(newestVersion('containerd', '1.34.2')).toBe(knownVersions('containerd')[0]);
});
