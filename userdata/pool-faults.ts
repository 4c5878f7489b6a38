/** What is wrong with a pool although its profile and its config are each right by their schemas. */
import { createHash, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { posix } from 'node:path';
import { bootstrapKubeconfigPath } from './join.ts';
import { kubeletFaults } from './kubelet-settings.ts';
import { nodeNamePath } from './kubelet.ts';
import { ownFiles, ownUnits } from './machine.ts';
import { nodeFaults } from './node-faults.ts';
import { downloadFaults } from './programs.ts';
import type { UserDataInput } from './render.ts';
import { placeholderValues } from './secrets.ts';

/**
 * Sentences with field, value and what is allowed, such as a version without a digest. Empty:
 * `render` may be called.
 */
export function poolFaults(input: UserDataInput): string[] {
  const { config } = input;
  const faults = [
    ...profileFaults(input),
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
  const { name, providers, packageManager, operatingSystem } = profile;
  const { packages, containerRuntime, operatingSystem: options } = config;
  const faults: string[] = [];
  if (providers && !providers.includes(provider)) {
    faults.push(
      `provider: "${provider}" is not one of the profile ${name}: ${providers.join(', ')}`,
    );
  }
  if (profile.containerd === 'system' && containerRuntime?.version !== undefined) {
    faults.push(
      `containerRuntime.version: "${containerRuntime.version}" is not allowed: machines of the profile ${name} have the containerd of their image; take it away`,
    );
  }
  if (packageManager === 'none' && packages?.extra && packages.extra.length > 0) {
    faults.push(
      `packages.extra: a list of ${packages.extra.length} is not allowed: the profile ${name} has no package manager`,
    );
  }
  if (packageManager === 'none' && options?.distUpgradeOnBoot) {
    faults.push(
      `operatingSystem.distUpgradeOnBoot: true is not allowed: the profile ${name} has no package manager`,
    );
  }
  if (options?.subscription && operatingSystem.name !== 'rhel') {
    faults.push(
      `operatingSystem.subscription is for profiles of rhel: ${name} is of ${operatingSystem.name}`,
    );
  }
  return faults;
}

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

function fileFaults(input: UserDataInput): string[] {
  const { profile, config } = input;
  const own = ownFiles(input, placeholderValues(config)).map(({ path }) => path);
  const taken = new Map(own.map((path) => [path, 'Millwright writes it']));
  taken
    .set(nodeNamePath, 'Millwright writes it')
    .set(bootstrapKubeconfigPath, 'Millwright writes it');
  const given = [
    ...(profile.files ?? []).map(({ path }, index) => ({
      path,
      field: `profile: files[${index}].path`,
    })),
    ...(config.files ?? []).map(({ path }, index) => ({ path, field: `files[${index}].path` })),
  ];
  return given.flatMap(({ path, field }) => {
    if (posix.normalize(path) !== path) {
      return [`${field}: "${path}" is not in its shortest form: ${posix.normalize(path)}`];
    }
    const reason = path.startsWith('/etc/systemd/system/')
      ? 'units and their drop-ins belong in units'
      : taken.get(path);
    taken.set(path, 'another file has this path');
    return reason === undefined ? [] : [`${field}: "${path}" is not allowed: ${reason}`];
  });
}

function unitFaults(input: UserDataInput): string[] {
  const { profile, config } = input;
  const own = ownUnits(input, placeholderValues(config)).map(({ name }) => name);
  const names = new Set<string>();
  const dropInNames = new Set<string>();
  const given = [
    ...(profile.units ?? []).map((unit, index) => ({ unit, field: `profile: units[${index}]` })),
    ...(config.units ?? []).map((unit, index) => ({ unit, field: `units[${index}]` })),
  ];
  return given.flatMap(({ unit, field }) => {
    const { name, content, enabled, masked, dropIns = [] } = unit;
    const faults: string[] = [];
    const isOverlay = content === undefined && enabled === undefined && masked === undefined;
    if (own.includes(name) && !isOverlay) {
      faults.push(`${field}.name: "${name}" is Millwright's: only dropIns are allowed beside it`);
    } else if (names.has(name)) {
      faults.push(`${field}.name: "${name}" is there already: one item for each unit`);
    }
    names.add(name);
    for (const dropIn of dropIns) {
      const path = `${name}.d/${dropIn.name}`;
      if (/^millwright.*\.conf$/.test(dropIn.name) || dropInNames.has(path)) {
        faults.push(`${field}.dropIns: "${dropIn.name}" is taken: give it another name`);
      }
      dropInNames.add(path);
    }
    return faults;
  });
}
