/**
 * Finds the cluster and the user that a flag names. The parsers are those of
 * @kubernetes/client-node, taken from its single modules: its entrance, and with it its own
 * KubeConfig class, costs 0.35 s and 60 MB in every process.
 */
import { existsSync, readFileSync } from 'node:fs';
import { isIPv6, BlockList, isIP } from 'node:net';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import {
  newClusters,
  newContexts,
  newUsers,
  type Cluster,
  type Context,
  type User,
} from '@kubernetes/client-node/dist/config_types.js';
import { parse, YAMLParseError } from 'yaml';
import { faultOfTlsPair } from './tls-pair.ts';

export interface KubeConfig {
  cluster: Cluster;
  user: User;
  /** Namespace of the context, if it names one. */
  namespace: string | undefined;
  /** Where it was found, for messages. */
  source: string;
}

const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * `flag` is a file, `inClusterConfig`, or empty: then the files in KUBECONFIG, `~/.kube/config`,
 * and the service account of the pod are tried in this order. `context`: of a file; default its
 * current one.
 */
export function loadKubeConfig(
  flag: string,
  env: ProxyEnvironment = process.env,
  context?: string,
): KubeConfig {
  if (flag === 'inClusterConfig') return inCluster(env);
  if (flag !== '') return fromFiles([flag], env, context);
  const named = kubeConfigFiles(env['KUBECONFIG']);
  if (named.length > 0) return fromFiles(named, env, context);
  const home = join(env['HOME'] ?? homedir(), '.kube', 'config');
  if (existsSync(home)) return fromFiles([home], env, context);
  if (env['KUBERNETES_SERVICE_HOST'] !== undefined) return inCluster(env);
  throw new Error(
    `No kubeconfig found: no file is named by the flag or by KUBECONFIG, ${home} does not exist, and this is not a pod. ` +
      'Name a file, or "inClusterConfig" in a pod.',
  );
}

/**
 * Files of the variable KUBECONFIG. As for kubectl those that do not exist are left out: people
 * name files of clusters that come and go. Where none exists at all, all of them are named.
 */
export function kubeConfigFiles(variable = ''): string[] {
  const named = variable.split(delimiter).filter((file) => file !== '');
  const present = named.filter((file) => existsSync(file));
  return present.length > 0 ? present : named;
}

function inCluster(env: ProxyEnvironment): KubeConfig {
  const host = env['KUBERNETES_SERVICE_HOST'];
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '443';
  const tokenFile = `${serviceAccount}/token`;
  if (host === undefined || !existsSync(tokenFile)) {
    throw new Error(
      `inClusterConfig works only in a pod with a service account: ${host === undefined ? 'KUBERNETES_SERVICE_HOST is not set' : `${tokenFile} does not exist`}. ` +
        'Name a kubeconfig file instead.',
    );
  }
  const namespaceFile = `${serviceAccount}/namespace`;
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  return {
    cluster: {
      name: 'inCluster',
      server,
      ...proxied(undefined, server, env),
      caFile: `${serviceAccount}/ca.crt`,
      skipTLSVerify: false,
    },
    user: { name: 'inCluster', authProvider: { name: 'tokenFile', config: { tokenFile } } },
    namespace: existsSync(namespaceFile) ? readFileSync(namespaceFile, 'utf8').trim() : undefined,
    source: 'inClusterConfig',
  };
}

interface ParsedFile {
  clusters: Cluster[];
  contexts: Context[];
  users: User[];
  current: string | undefined;
}

/** Merges several files: the first that names a thing wins, as with kubectl. */
function fromFiles(
  files: string[],
  env: ProxyEnvironment,
  context: string | undefined,
): KubeConfig {
  return chosenOf(files.map(parseFile), { source: files.join(delimiter), env, context });
}

/** That of the kubeconfig goes before that of the environment, as for kubectl. */
function proxied(given: string | undefined, server: string, env: ProxyEnvironment) {
  const proxyUrl = given || environmentProxy(server, env);
  return proxyUrl === undefined ? {} : { proxyUrl };
}

interface Choice {
  source: string;
  env: ProxyEnvironment;
  context?: string | undefined;
}

/** Returns the configuration with the cluster and the user that the context names. */
function chosenOf(
  parsed: readonly ParsedFile[],
  { source, env, context: name }: Choice,
): KubeConfig {
  const current = name ?? parsed.find((file) => file.current !== undefined)?.current;
  if (current === undefined) throw new Error(`${source}: current-context is not set.`);
  const contexts = parsed.flatMap((file) => file.contexts);
  const clusters = parsed.flatMap((file) => file.clusters);
  const users = parsed.flatMap((file) => file.users);
  const context = entryOf(contexts, { source, list: 'contexts', name: current });
  const cluster = entryOf(clusters, { source, list: 'clusters', name: context.cluster });
  const user = entryOf(users, { source, list: 'users', name: context.user });
  const server = serverOf({ cluster, user }, source);
  requirePair(user, source);
  const { proxyUrl, ...plain } = cluster;
  return {
    cluster: { ...plain, server, ...proxied(proxyUrl, server, env) },
    user,
    namespace: context.namespace,
    source,
  };
}

/** A scheme may be left out, as for kubectl: it is https where anything is said of TLS. */
function serverOf({ cluster, user }: Pick<KubeConfig, 'cluster' | 'user'>, source: string): string {
  const { name, server, caFile, caData, skipTLSVerify } = cluster;
  const isOfTls = caFile || caData || skipTLSVerify || user.certFile || user.certData;
  const url = server.includes('://') ? server : `${isOfTls ? 'https' : 'http'}://${server}`;
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url;
  throw new Error(
    `${source}: the server of cluster ${JSON.stringify(name)} is ${JSON.stringify(server)}; allowed: a URL such as https://10.0.0.1:6443.`,
  );
}

/** Not of files: they are read again each minute, and may be halfway through a renewal. */
function requirePair({ name, certData, keyData }: User, source: string): void {
  if (!certData || !keyData) return;
  const fault = faultOfTlsPair({
    cert: Buffer.from(certData, 'base64'),
    key: Buffer.from(keyData, 'base64'),
  });
  if (fault === undefined) return;
  throw new Error(
    `${source}: client-certificate-data and client-key-data of user ${JSON.stringify(name)} cannot be used: ${fault}.`,
  );
}

interface EntryName {
  source: string;
  list: string;
  name: string;
}

function entryOf<T extends { name: string }>(entries: T[], { source, list, name }: EntryName): T {
  const found = entries.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  const known = entries.map((entry) => entry.name).join(', ');
  throw new Error(`${source}: ${list} has no entry ${JSON.stringify(name)} (it has: ${known}).`);
}

interface RawUser {
  name?: string;
  user?: { tokenFile?: string; 'token-file'?: string; token?: string };
}

/** Fields that are read of a file; its entries are checked by the parsers of the package. */
interface RawFile {
  clusters?: unknown;
  contexts?: unknown;
  users?: RawUser[];
  'current-context'?: string;
}

function parseFile(file: string): ParsedFile {
  try {
    return entriesOf(rawOf(readFileSync(file, 'utf8')), dirname(resolve(file)));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Cannot read the kubeconfig ${file}: ${reason}`, { cause });
  }
}

/**
 * The parser's message quotes the line, which may hold a token. Reasons go to logs, Events and
 * `/readyz`, so this one names the position alone.
 */
function rawOf(text: string): RawFile {
  try {
    // The package compares each key with all before it, which for 400 KB takes minutes.
    return parse(text, { logLevel: 'error', uniqueKeys: false }) ?? {};
  } catch (error) {
    const [start] = (error instanceof YAMLParseError && error.linePos) || [];
    const where = start ? ` at line ${start.line}, column ${start.col}` : '';
    // oxlint-disable-next-line preserve-caught-error -- causes are logged as well
    throw new Error(`it is no proper YAML${where}`);
  }
}

/** @param root Folder of its file: paths are relative to it. */
function entriesOf(raw: RawFile, root: string): ParsedFile {
  return {
    clusters: newClusters(raw.clusters).map((cluster) => ({
      ...cluster,
      ...absolute('caFile', cluster.caFile, root),
    })),
    contexts: newContexts(raw.contexts),
    users: newUsers(raw.users?.map((user) => withTokenFile(user, root))).map((user) => ({
      ...user,
      ...absolute('certFile', user.certFile, root),
      ...absolute('keyFile', user.keyFile, root),
    })),
    current: raw['current-context'] === '' ? undefined : raw['current-context'],
  };
}

export interface GivenKubeConfig {
  /** YAML or JSON. */
  text: string;
  /** Where it is from, for messages. */
  source: string;
  /** In the place of a token, or of a token file, of its user. */
  token?: string | undefined;
}

/** Some 10 KB are usual. To read 1 MiB would hold up all that the process serves for seconds. */
export const longestKubeConfigInSecret = 64 * 1024;

/**
 * Reads the kubeconfig of a Secret that another person wrote: it gets neither a command run nor a
 * file of this process read, nor more of its time than others can spare.
 */
export function kubeConfigOfSecret(
  { text, source, token }: GivenKubeConfig,
  env: ProxyEnvironment = process.env,
): KubeConfig {
  if (text.length + (token?.length ?? 0) > longestKubeConfigInSecret) {
    const allowed = `allowed: ${longestKubeConfigInSecret} characters, token included`;
    throw new Error(`${source} is too large; ${allowed}`);
  }
  let parsed: ParsedFile;
  try {
    const raw = rawOf(text);
    const users = raw.users?.map((entry) =>
      token === undefined ? entry : withToken(entry, token),
    );
    parsed = entriesOf({ ...raw, ...(users && { users }) }, '/');
  } catch (cause) {
    throw new Error(`${source} is no kubeconfig`, { cause });
  }
  const config = chosenOf([parsed], { source, env });
  const forbidden = forbiddenIn(config);
  if (forbidden === undefined) return config;
  throw new Error(
    `${source}: ${forbidden} is not allowed in a Secret; allowed: data in the kubeconfig itself, such as token and certificate-authority-data`,
  );
}

function withToken({ name, user }: RawUser, token: string): RawUser {
  const { tokenFile: _file, ...rest } = user ?? {};
  return { ...(name !== undefined && { name }), user: { ...rest, token } };
}

/** The field that names a command or a file. */
function forbiddenIn({ cluster, user }: KubeConfig): string | undefined {
  const fields: Record<string, unknown> = {
    'certificate-authority': cluster.caFile,
    'client-certificate': user.certFile,
    'client-key': user.keyFile,
    exec: user.exec,
    'tokenFile or auth-provider': user.authProvider,
  };
  return Object.keys(fields).find((field) => Boolean(fields[field]));
}

/** Paths are relative to the file that holds them. */
const absolute = (key: string, path: string | null | undefined, root: string): object =>
  path ? { [key]: resolve(root, path) } : {};

/**
 * A `tokenFile` is read again each minute, which the package does only for its own form of it. The
 * package must see no `token-file`: it would read that at once, of any user, a Secret's as well.
 */
function withTokenFile(entry: RawUser, root: string): unknown {
  const { tokenFile, 'token-file': ofPackage, ...user } = entry.user ?? {};
  const file = tokenFile ?? ofPackage;
  if (file === undefined || user.token !== undefined) return { ...entry, user };
  const config = { tokenFile: resolve(root, file) };
  return { ...entry, user: { ...user, 'auth-provider': { name: 'tokenFile', config } } };
}

type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

const variables = { 'http:': 'HTTP_PROXY', 'https:': 'HTTPS_PROXY' } as const;

/**
 * The proxy that the environment names for an API server, by the rules of Go: those of kubectl.
 * Undefined: none. Throws when its variable holds no URL.
 */
export function environmentProxy(server: string, env: ProxyEnvironment): string | undefined {
  const { protocol, hostname, port } = new URL(server);
  const variable = variables[protocol === 'http:' ? protocol : 'https:'];
  const given = valueOf(variable, env);
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (given === '' || isLoopback(host) || isExempt({ host, port }, env)) return undefined;
  const proxy = given.includes('://') ? given : `http://${given}`;
  // It may hold a password, so it is not repeated.
  if (!URL.canParse(proxy)) throw new Error(`${variable}: is no URL; allowed: http://HOST:PORT.`);
  return proxy;
}

const valueOf = (name: string, env: ProxyEnvironment): string =>
  (env[name] || env[name.toLowerCase()] || '').trim();

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function isLoopback(host: string): boolean {
  return host === 'localhost' || isIn(host, '127.0.0.0', 8) || host === '::1';
}

function isIn(host: string, network: string, bits: number): boolean {
  if (isIP(host) === 0 || isIP(host) !== isIP(network)) return false;
  const list = new BlockList();
  list.addSubnet(network, bits, familyOf(network));
  return list.check(host, familyOf(host));
}

interface ServerAddress {
  host: string;
  /** Empty: that of the scheme. */
  port: string;
}

function isExempt(target: ServerAddress, env: ProxyEnvironment): boolean {
  const entries = valueOf('NO_PROXY', env).toLowerCase().split(',');
  return entries.some((entry) => isExemptBy(entry.trim(), target));
}

function isExemptBy(entry: string, target: ServerAddress): boolean {
  if (entry === '' || entry === '*') return entry === '*';
  const [, network = '', bits] = /^([\d.]+|[\da-f:]+)\/(\d{1,3})$/.exec(entry) ?? [];
  if (bits !== undefined) return Number(bits) <= 128 && isIn(target.host, network, Number(bits));
  return entry === target.host || isNamedBy(entry, target);
}

/** `example.com`, `.example.com` and `*.example.com`, each perhaps with a port. */
function isNamedBy(entry: string, { host, port }: ServerAddress): boolean {
  const [, name = entry, ofPort = port] = /^(.*):(\d+)$/.exec(entry) ?? [];
  if (ofPort !== port) return false;
  const domain = name.replace(/^\*(?=\.)/, '');
  return host === domain || host.endsWith(domain.startsWith('.') ? domain : `.${domain}`);
}
