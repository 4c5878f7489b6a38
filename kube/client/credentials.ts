/** Turns a KubeConfig into what a connection needs, and renews it as files and tokens rotate. */
import { readFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import type { Authenticator } from '@kubernetes/client-node/dist/auth.js';
import type { User } from '@kubernetes/client-node/dist/config_types.js';
import { ExecAuth } from '@kubernetes/client-node/dist/exec_auth.js';
import { FileAuth } from '@kubernetes/client-node/dist/file_auth.js';
import type { KubeConfig } from './kubeconfig.ts';
import { nowMs } from '../../activities/system/system.ts';

export interface Tls {
  ca?: string;
  cert?: string;
  key?: string;
  servername?: string;
  rejectUnauthorized: boolean;
}

export interface Credential {
  headers: Record<string, string>;
  tls: Tls;
}

export interface Credentials {
  /** Cached for `cacheMs`, so that files are not read for every request. */
  current(): Promise<Credential>;
  /** The server answered 401: read files and run the plugin again. */
  forget(): void;
}

const cacheMs = 10_000;

export function createCredentials(config: KubeConfig): Credentials {
  let authenticator = authenticatorOf(config);
  let cached: { until: number; credential: Promise<Credential> } | undefined;
  const load = async (): Promise<Credential> => read(config, await authenticator);
  return {
    current() {
      if (cached !== undefined && cached.until > nowMs()) return cached.credential;
      const credential = load();
      cached = { until: nowMs() + cacheMs, credential };
      // A failure is not kept: the next request tries again.
      credential.catch(() => (cached = undefined));
      return credential;
    },
    forget() {
      cached = undefined;
      authenticator = authenticatorOf(config);
    },
  };
}

async function read(
  { cluster, user }: KubeConfig,
  authenticator: Authenticator | undefined,
): Promise<Credential> {
  const dynamic: RequestOptions & { headers: Record<string, string> } = { headers: {} };
  await authenticator?.applyAuthentication(user, dynamic);
  const [ca, cert, key] = await Promise.all([
    fileOrData(cluster.caFile, cluster.caData),
    fileOrData(user.certFile, user.certData),
    fileOrData(user.keyFile, user.keyData),
  ]);
  return {
    headers: { ...staticHeaders(user), ...trimmed(dynamic.headers) },
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...pair(textOf(dynamic.cert) ?? cert, textOf(dynamic.key) ?? key),
      ...(cluster.tlsServerName === undefined ? {} : { servername: cluster.tlsServerName }),
      rejectUnauthorized: !cluster.skipTLSVerify,
    },
  };
}

/** A token file ends with a newline, which no header may hold. */
const trimmed = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]),
  );

/** An exec plugin's certificates come as text. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

const pair = (cert: string | undefined, key: string | undefined): Pick<Tls, 'cert' | 'key'> =>
  cert === undefined || key === undefined ? {} : { cert, key };

async function fileOrData(
  file: string | undefined | null,
  data: string | undefined | null,
): Promise<string | undefined> {
  if (file) return readFile(file, 'utf8');
  return data ? Buffer.from(data, 'base64').toString('utf8') : undefined;
}

function staticHeaders(user: User): Record<string, string> {
  const headers: Record<string, string> = {};
  if (user.token) headers['authorization'] = `Bearer ${user.token}`;
  if (user.username) {
    const basic = Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64');
    headers['authorization'] = `Basic ${basic}`;
  }
  if (user.impersonateUser) headers['impersonate-user'] = user.impersonateUser;
  return headers;
}

async function authenticatorOf({ user, source }: KubeConfig): Promise<Authenticator | undefined> {
  for (const candidate of [new FileAuth(), new ExecAuth()]) {
    if (candidate.isAuthProvider(user)) return candidate;
  }
  const provider: { name: string } | null | undefined = user.authProvider;
  if (!provider) return undefined;
  const { name } = provider;
  if (name === 'oidc') {
    const { OpenIDConnectAuth } = await import('@kubernetes/client-node/dist/oidc_auth.js');
    return new OpenIDConnectAuth();
  }
  throw new Error(
    `${source}: users[${user.name}].user.auth-provider.name is ${JSON.stringify(name)}; ` +
      'supported are "oidc", a token, certificates, and exec plugins (kubelogin, gke-gcloud-auth-plugin).',
  );
}
