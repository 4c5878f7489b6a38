/** The proxy that the environment names for an API server, by the rules of Go: those of kubectl. */
import { BlockList, isIP } from 'node:net';

export type Environment = Readonly<Record<string, string | undefined>>;

const variables = { 'http:': 'HTTP_PROXY', 'https:': 'HTTPS_PROXY' } as const;

/** Undefined: none. Throws when its variable holds no URL. */
export function environmentProxy(server: string, env: Environment): string | undefined {
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

const valueOf = (name: string, env: Environment): string =>
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

function isExempt(target: ServerAddress, env: Environment): boolean {
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
