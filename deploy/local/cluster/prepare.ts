import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { writeFileAtomically } from '../atomic-file.ts';
import type { Layout, User } from '../layout.ts';
import { users } from '../layout.ts';
import type { Ports } from '../supervision/ports.ts';
import { host } from '../supervision/ports.ts';
import { CertificateAuthority } from './certificates.ts';

const serverHosts = [
  host,
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  '10.96.0.1',
];

/** Writes the API server's certificate and a kubeconfig for each user. */
export async function prepareCredentials(layout: Layout, ports: Ports): Promise<void> {
  const authority = await CertificateAuthority.loadOrCreate(layout.pki);
  const serving = await authority.issue({ name: 'kube-apiserver', hosts: serverHosts });
  writeFileAtomically(join(layout.pki, 'apiserver.crt'), serving.certificate);
  writeFileAtomically(join(layout.pki, 'apiserver.key'), serving.key);
  const server = `https://${host}:${ports.kubeApiserver}`;
  for (const [user, token] of loadOrCreateTokens(layout.tokens)) {
    const config = kubeconfigOf(user, { server, authority: authority.certificate, token });
    writeFileAtomically(layout.kubeconfigOf(user), stringify(config));
  }
}

interface Access {
  /** URL of the API server. */
  server: string;
  /** PEM of its certificate authority. */
  authority: string;
  token: string;
}

function kubeconfigOf(user: string, { server, authority, token }: Access): unknown {
  const name = 'millwright-local';
  const certificate = Buffer.from(authority).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server, 'certificate-authority-data': certificate } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name, context: { cluster: name, user, namespace: 'default' } }],
  };
}

/**
 * Groups of the users that have more than `deploy/manifests` gives. The controller manager runs all
 * controllers under its one user, and the virtual cloud and the update agent stand for what runs on
 * Nodes and for a cloud: they may do everything. The operator's own users have only what its RBAC
 * grants.
 */
const groupsOf: Partial<Record<User, string>> = {
  admin: 'system:masters',
  'kube-controller-manager': 'system:masters',
  'virtual-cloud': 'system:masters',
  'update-agent': 'system:masters',
};

/** The scheduler is known to the built-in roles under this name. */
const nameOf: Partial<Record<User, string>> = { 'kube-scheduler': 'system:kube-scheduler' };

type Tokens = ReadonlyMap<User, string>;

/**
 * The token of each user, in the file that the API server reads. Each is made once and kept, so
 * that kubeconfigs copied elsewhere go on to work. An API server checks the chain of a client
 * certificate anew with each request, a tenth of what it does here; service accounts, as in
 * production, have tokens.
 */
function loadOrCreateTokens(file: string): Tokens {
  const kept = existsSync(file) ? tokensIn(readFileSync(file, 'utf8')) : undefined;
  const tokens = users.map(
    (user) => [user, kept?.get(user) ?? randomBytes(32).toString('hex')] as const,
  );
  writeFileAtomically(file, tokens.map(lineOf).join(''));
  return new Map(tokens);
}

/** token,user,uid,"groups" */
function lineOf([user, token]: readonly [User, string]): string {
  return `${token},${nameOf[user] ?? user},${user},"${groupsOf[user] ?? ''}"\n`;
}

function tokensIn(text: string): Map<string, string> {
  const lines = text.trim().split('\n');
  return new Map(
    lines.map((line) => {
      const [token = '', , user = ''] = line.split(',');
      return [user, token];
    }),
  );
}
