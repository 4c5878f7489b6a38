/** Faults of a pool whose profile and config are each right by their schemas. */
import { createHash, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { kubeletFaults } from './kubelet-settings.ts';
import { fileFaults, unitFaults } from './file-faults.ts';
import { nodeFaults } from './node-faults.ts';
import { downloadFaults } from './programs.ts';
import type { UserDataInput } from './input.ts';

/**
 * Sentences with field, value and what is allowed, such as a version without a digest. Empty:
 * `render` may be called.
 */
export function poolFaults(input: UserDataInput): string[] {
  const { config } = input;
  const faults = [
    ...profileFaults(input),
    ...runtimeFaults(input),
    ...bundleFaults('kubernetes.caBundle', config.kubernetes.caBundle),
    ...hashFaults(input),
    ...addressFaults(input),
    ...downloadFaults(input),
    ...nodeFaults(input),
    ...kubeletFaults(config.kubelet),
    ...registryFaults(input),
    ...contentFaults(input),
  ];
  return faults.length > 0 ? faults : [...fileFaults(input), ...unitFaults(input)];
}

/** What this profile cannot do. */
function profileFaults({ profile, config, provider }: UserDataInput): string[] {
  const { name, providers = [provider], operatingSystem } = profile;
  const { packages, operatingSystem: options } = config;
  const unpackaged = `is not allowed: the profile ${name} has no package manager`;
  const isUnpackaged = profile.packageManager === 'none';
  const faults: readonly [boolean | undefined, string][] = [
    [
      !providers.includes(provider),
      `provider: "${provider}" is not one that the profile ${name} is for: ${providers.join(', ')}`,
    ],
    [
      isUnpackaged && packages?.extra?.length !== 0 && packages?.extra !== undefined,
      `packages.extra: ${JSON.stringify(packages?.extra)} ${unpackaged}`,
    ],
    [
      isUnpackaged && options?.distUpgradeOnBoot,
      `operatingSystem.distUpgradeOnBoot: true ${unpackaged}`,
    ],
    [
      options?.subscription && operatingSystem.name !== 'rhel',
      `operatingSystem.subscription: it is for profiles of rhel, and ${name} is of ${operatingSystem.name}`,
    ],
  ];
  return faults.flatMap(([isFault, sentence]) => (isFault ? [sentence] : []));
}

function runtimeFaults({ profile, config }: UserDataInput): string[] {
  const { version } = config.containerRuntime ?? {};
  if (version === undefined) return [];
  if (profile.containerd === 'system') {
    return [
      `containerRuntime.version: "${version}" is not allowed: machines of the profile ${profile.name} have the containerd of their image; take it away`,
    ];
  }
  const kubelet = config.kubernetes.version;
  // Kubernetes 1.35 is the last that runs with it.
  if (!version.startsWith('1.') || minorOf(kubelet) < 36) return [];
  return [
    `containerRuntime.version: "${version}" is not one that Kubernetes ${kubelet} runs with: it must be 2.0.0 or newer`,
  ];
}

const minorOf = (version: string): number => Number(version.split('.')[1]);

const certificateBlock = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

function certificatesIn(bundle: string): X509Certificate[] {
  return [...bundle.matchAll(certificateBlock)].map(([block]) => new X509Certificate(block));
}

function bundleFaults(field: string, bundle: string): string[] {
  try {
    if (certificatesIn(bundle).length > 0) return [];
  } catch {
    // Said below: OpenSSL's words would not help.
  }
  return [`${field}: a text of ${bundle.length} characters is not a list of certificates in PEM`];
}

/** As kubeadm: SHA-256 of the public key. */
function hashFaults({ config: { kubernetes } }: UserDataInput): string[] {
  const { caBundle, caCertHashes } = kubernetes;
  if (!caCertHashes || bundleFaults('', caBundle).length > 0) return [];
  return certificatesIn(caBundle).flatMap(({ publicKey, subject }) => {
    const key = publicKey.export({ type: 'spki', format: 'der' });
    const hash = `sha256:${createHash('sha256').update(key).digest('hex')}`;
    if (caCertHashes.includes(hash)) return [];
    return [
      `kubernetes.caBundle: the certificate of "${subject}" has ${hash}, which is not one of kubernetes.caCertHashes: ${caCertHashes.join(', ')}`,
    ];
  });
}

function addressFaults({ config: { kubernetes } }: UserDataInput): string[] {
  return kubernetes.clusterDNS.flatMap((address, index) =>
    isIP(address) === 0
      ? [`kubernetes.clusterDNS[${index}]: "${address}" is not an IP address, such as "10.96.0.10"`]
      : [],
  );
}

function registryFaults({ config: { registries = [] } }: UserDataInput): string[] {
  const hosts = registries.map(({ host }) => host);
  return registries.flatMap(({ host, caBundle }, index) => [
    ...(hosts.indexOf(host) < index
      ? [`registries[${index}].host: "${host}" is there already: one item for each registry`]
      : []),
    ...(caBundle === undefined ? [] : bundleFaults(`registries[${index}].caBundle`, caBundle)),
  ]);
}

function contentFaults({ config: { files = [] } }: UserDataInput): string[] {
  return files.flatMap(({ path, content, secret }, index) =>
    (content === undefined) === (secret === undefined)
      ? [`files[${index}] (${path}): exactly one of content and secret has to be given`]
      : [],
  );
}
