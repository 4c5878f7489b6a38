/** A profile, a config and the values of one machine become the text that the machine starts with. */
import { createHash } from 'node:crypto';
import { stringify } from 'yaml';
import type { UserDataConfig } from './config.ts';
import type { Download } from './machine-document.ts';
import type { Profile } from './profile.ts';

export interface UserDataInput {
  profile: Profile;
  config: UserDataConfig;
  /** `provider` of the class, such as `AWS`. */
  provider: string;
}

export interface MachineValues {
  machineName: string;
  /** `ID.SECRET`. */
  bootstrapToken: string;
  /** Data of the Secrets that the config names, decoded, by name and key. */
  secrets: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface Rendered {
  format: Profile['format'];
  text: string;
  /** For both architectures. */
  downloads: readonly Download[];
  /** Of the system's package manager, which checks their signatures. */
  packages: readonly string[];
}

/** Where the kubelet finds its token, until it has a certificate. */
export const bootstrapKubeconfigPath = '/etc/kubernetes/bootstrap-kubelet.conf';

/**
 * Sentences with field, value and what is allowed: what is wrong with the pool although profile and
 * config are each right, such as a version without a digest. Empty: `render` may be called.
 */
export function poolFaults(_input: UserDataInput): string[] {
  return [];
}

/** Same input, same text. Throws where `poolFaults` has something to say. */
export function render({ profile, config }: UserDataInput, values: MachineValues): Rendered {
  const { apiServer, caBundle } = config.kubernetes;
  const kubeconfig = stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'default',
        cluster: {
          server: apiServer,
          'certificate-authority-data': Buffer.from(caBundle).toString('base64'),
        },
      },
    ],
    users: [{ name: 'bootstrap', user: { token: values.bootstrapToken } }],
    contexts: [{ name: 'default', context: { cluster: 'default', user: 'bootstrap' } }],
    'current-context': 'default',
  });
  const files = [{ path: bootstrapKubeconfigPath, permissions: '0600', content: kubeconfig }];
  const text = `#cloud-config\n${stringify({ hostname: values.machineName, write_files: files })}`;
  return { format: profile.format, text, downloads: [], packages: [] };
}

/** Names of the Secrets that the config names, once each, in order. */
export function secretsNamedIn({
  registries = [],
  files = [],
  operatingSystem,
}: UserDataConfig): string[] {
  const names = [
    ...registries.map(({ credentialsSecret }) => credentialsSecret),
    ...files.map(({ secret }) => secret?.name),
    operatingSystem?.subscription?.activationKey.name,
  ];
  return [...new Set(names.filter((name) => name !== undefined))].toSorted();
}

/**
 * `NAME@VERSION sha256:DIGEST`: of the text with placeholders instead of its name and secrets, so
 * that machines of one pool have the same, and nothing secret is in it.
 */
export function originOf(input: UserDataInput): string {
  const { name, version } = input.profile;
  const { text } = render(input, placeholderValues(input.config));
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${name}@${version} sha256:${digest}`;
}

/** For people, and for what has to be known before there is a machine. */
export function placeholderValues(config: UserDataConfig): MachineValues {
  const secrets = secretsNamedIn(config).map((name) => [name, placeholdersOf(name)] as const);
  return {
    machineName: '<<MACHINE_NAME>>',
    bootstrapToken: '<<BOOTSTRAP_TOKEN>>',
    secrets: Object.fromEntries(secrets),
  };
}

/** Whichever key is asked for. */
function placeholdersOf(name: string): Readonly<Record<string, string>> {
  return new Proxy({}, { get: (_target, key) => `<<SECRET ${name}/${String(key)}>>` });
}
