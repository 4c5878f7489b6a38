/**
 * How to reach the Temporal server: TEMPORAL_* variables and TOML profiles as for the `temporal`
 * command.
 */
import { existsSync, readFileSync } from 'node:fs';
import { BlockList, isIPv4 } from 'node:net';
import { loadClientConfigProfile, loadClientConnectConfig } from '@temporalio/envconfig';
import type { NativeConnectionOptions } from '@temporalio/worker';
import { faultOfTlsPair } from '../../kube/client/tls-pair.ts';
import type { FlagValues } from './flags/table.ts';
import type { Fault } from './flags/parse.ts';
import { reasonOf } from '../log/reason.ts';
import type { PayloadKeys } from '../payloads/keys.ts';
import { readPayloadKeys } from '../payloads/keys.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface TemporalSettings {
  /** Default 127.0.0.1:7233. */
  address: string;
  /** Default "default". */
  namespace: string;
  /** TLS, API key and metadata, with `address` set. Holds secrets: never log it. */
  connection: NativeConnectionOptions & { address: string };
  /** Absent: payloads are plain. */
  payloadKeys?: PayloadKeys;
  /** Files that were read for it: certificates, keys, API key, profile, and keys of payloads. */
  files: readonly string[];
}

/** Flags win over variables, and variables over the profile. */
export function readTemporalSettings(
  flags: Pick<FlagValues, 'temporal-address' | 'temporal-namespace'> &
    Partial<Pick<FlagValues, 'payload-keys'>>,
  env: Environment,
): { settings?: TemporalSettings; faults: Fault[] } {
  const faults = faultsIn(env);
  if (faults.length > 0) return { faults };
  try {
    const overrideEnvVars = withApiKey(withoutEmpty(env));
    const { connectionOptions, namespace } = loadClientConnectConfig({ overrideEnvVars });
    const address = flags['temporal-address'] || connectionOptions.address || '127.0.0.1:7233';
    const settings: TemporalSettings = {
      address,
      namespace: flags['temporal-namespace'] || namespace || 'default',
      connection: { ...connectionOptions, address, ...temporalProxy(address, env) },
      ...payloadsOf(flags['payload-keys']),
      files: [
        ...filesIn(overrideEnvVars),
        ...(flags['payload-keys'] ? [flags['payload-keys']] : []),
      ],
    };
    const { connection } = settings;
    const ofTls = [...faultsOfClearText(connection), ...faultsOfPair(connection)];
    return ofTls.length > 0 ? { faults: ofTls } : { settings, faults };
  } catch (error) {
    return {
      faults: [
        error instanceof KeysFault
          ? error.message
          : `the TEMPORAL_* variables or the Temporal profile cannot be read: ${reasonOfProfile(error)}`,
      ],
    };
  }
}

/**
 * The parser's message quotes the line and those around it. One of them may be the API key, so only
 * the place is named.
 */
function reasonOfProfile(error: unknown): string {
  const { codeblock, line, column }: Partial<Record<string, unknown>> = Object(error);
  if (codeblock === undefined) return reasonOf(error);
  return `it is no proper TOML at line ${String(line)}, column ${String(column)}`;
}

/**
 * Faults that @temporalio/envconfig would accept in silence, and then connect differently from what
 * was meant.
 */
function faultsIn(env: Environment): Fault[] {
  const faults: Fault[] = [];
  const tls = env['TEMPORAL_TLS'];
  // Anything but "1" and "true" turns TLS off there, so that "yes" would send an API key in clear
  // text.
  if (tls && !['0', '1', 'true', 'false'].includes(tls)) {
    faults.push(`TEMPORAL_TLS: ${JSON.stringify(tls)} is not allowed; allowed: true, false, 1, 0`);
  }
  const file = env['TEMPORAL_CONFIG_FILE'];
  if (file && !existsSync(file)) {
    faults.push(`TEMPORAL_CONFIG_FILE: ${JSON.stringify(file)} does not exist`);
  }
  const keyFile = env[apiKeyFile];
  if (keyFile && env['TEMPORAL_API_KEY']) {
    faults.push(`${apiKeyFile} and TEMPORAL_API_KEY must not be set together`);
  } else if (keyFile && !existsSync(keyFile)) {
    faults.push(`${apiKeyFile}: ${JSON.stringify(keyFile)} does not exist`);
  }
  const has = (what: string) => Boolean(env[`${what}_PATH`] || env[`${what}_DATA`]);
  if (has('TEMPORAL_TLS_CLIENT_CERT') !== has('TEMPORAL_TLS_CLIENT_KEY')) {
    faults.push('TEMPORAL_TLS_CLIENT_CERT_* and TEMPORAL_TLS_CLIENT_KEY_* must be set together');
  }
  return faults;
}

function faultsOfPair({ tls }: TemporalSettings['connection']): Fault[] {
  const pair = typeof tls === 'object' ? tls?.clientCertPair : undefined;
  const fault = pair && faultOfTlsPair({ cert: Buffer.from(pair.crt), key: Buffer.from(pair.key) });
  if (!fault) return [];
  return [`TEMPORAL_TLS_CLIENT_CERT_* and TEMPORAL_TLS_CLIENT_KEY_* cannot be used: ${fault}`];
}

/** A key is worth as much as all machines. Only what stays on this host needs no TLS. */
function faultsOfClearText({ address, apiKey, tls }: TemporalSettings['connection']): Fault[] {
  const isHere = /^(127\.[\d.]+|localhost|\[::1\]):\d+$/.test(address);
  if (!apiKey || tls || isHere) return [];
  return [`TEMPORAL_TLS: turning it off would send the API key to ${address} in clear text`];
}

class KeysFault extends Error {}

function payloadsOf(file: string | undefined): Pick<TemporalSettings, 'payloadKeys'> {
  if (!file) return {};
  try {
    return { payloadKeys: readPayloadKeys(file) };
  } catch (error) {
    throw new KeysFault(`--payload-keys: ${reasonOf(error)}`, { cause: error });
  }
}

/** Ours: the `temporal` command has such a variable for certificates only. */
const apiKeyFile = 'TEMPORAL_API_KEY_PATH';

function withApiKey(env: Record<string, string>): Record<string, string> {
  const file = env[apiKeyFile];
  if (file === undefined) return env;
  const key = readFileSync(file, 'utf8').trim();
  if (key === '') throw new KeysFault(`${apiKeyFile}: ${JSON.stringify(file)} is empty`);
  return { ...env, TEMPORAL_API_KEY: key };
}

function filesIn(overrideEnvVars: Record<string, string>): string[] {
  const { tls } = loadClientConfigProfile({ overrideEnvVars });
  const sources = [tls?.clientCert, tls?.clientKey, tls?.serverCACert];
  const named = [overrideEnvVars[apiKeyFile], overrideEnvVars['TEMPORAL_CONFIG_FILE']];
  const paths = sources.map((source) => (source && 'path' in source ? source.path : undefined));
  return [...paths, ...named].filter((path) => path !== undefined);
}

/** A variable that is set to nothing means the same as one that is not set. */
function withoutEmpty(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
}

type ProxyVariables = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that leads to Temporal. The client's half of the SDK takes it from the environment
 * (`http_proxy.js` of grpc-js, whose rules these are); the worker's half has to be given it.
 * Empty: none, or one that the client's half does not take either.
 */
export function temporalProxy(
  address: string,
  env: ProxyVariables,
): Pick<NativeConnectionOptions, 'proxy'> {
  const given = env['grpc_proxy'] || env['https_proxy'] || env['http_proxy'];
  if (!given || !URL.canParse(given)) return {};
  const { protocol, hostname, port, username, password } = new URL(given);
  const host = address.replace(/^.*:\/\//, '').replace(/:\d+$/, '');
  if (protocol !== 'http:' || isExempt(host, env)) return {};
  const [name, word] = [username, password].map(decodeURIComponent);
  const basicAuth = name ? { basicAuth: { username: name, password: word ?? '' } } : {};
  return {
    proxy: { type: 'http-connect', targetHost: `${hostname}:${port || '80'}`, ...basicAuth },
  };
}

function isExempt(host: string, env: ProxyVariables): boolean {
  const list = env['no_grpc_proxy'] || env['no_proxy'] || '';
  return list
    .split(',')
    .some((entry) => entry !== '' && (isIn(host, entry) || host.endsWith(entry)));
}

function isIn(host: string, entry: string): boolean {
  const [, network = '', bits = ''] = /^([\d.]+)\/(\d{1,2})$/.exec(entry) ?? [];
  if (!isIPv4(host) || !isIPv4(network) || Number(bits) > 32) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits));
  return list.check(host);
}
