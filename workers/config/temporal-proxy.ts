/**
 * The proxy that leads to Temporal. The client's half of the SDK takes it from the environment
 * (`http_proxy.js` of grpc-js, whose rules these are); the worker's half has to be given it.
 */
import { BlockList, isIPv4 } from 'node:net';
import type { NativeConnectionOptions } from '@temporalio/worker';

type Environment = Readonly<Record<string, string | undefined>>;

/** Empty: none, or one that the client's half does not take either. */
export function temporalProxy(
  address: string,
  env: Environment,
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

function isExempt(host: string, env: Environment): boolean {
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
