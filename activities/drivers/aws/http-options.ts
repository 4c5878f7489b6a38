/** How the SDK reaches AWS: limits, connections, and the proxy of the process. */
import type { Environment } from '../settings.ts';

/** More than the driver's queue runs at once: a call that hangs must not hold up another. */
const connectionsMax = 256;
const connectTimeoutMilliseconds = 10_000;

/** As most programs read them. Of two spellings Node takes the small one. */
const proxyVariables = [
  'HTTP_PROXY',
  'http_proxy',
  'HTTPS_PROXY',
  'https_proxy',
  'NO_PROXY',
  'no_proxy',
] as const;

/**
 * Options of the SDK's request handler. The SDK itself reads no proxy from the environment; Node's
 * agents do, from 24.5 on
 * (https://nodejs.org/docs/latest-v24.x/api/http.html#built-in-proxy-support).
 */
export function httpOptionsOf(env: Environment) {
  const agent = { maxSockets: connectionsMax, keepAlive: true, proxyEnv: proxyOf(env) };
  return {
    connectionTimeout: connectTimeoutMilliseconds,
    httpAgent: agent,
    httpsAgent: agent,
  };
}

function proxyOf(env: Environment): Record<string, string> {
  const given = proxyVariables.flatMap((name) => {
    const value = env[name];
    if (!value) return [];
    // Go, and so Gardener's driver, takes `proxy.example:3128` as well; Node ignores it without a
    // word.
    const isWhole = name.toLowerCase() === 'no_proxy' || value.includes('://');
    return [[name, isWhole ? value : `http://${value}`]];
  });
  return Object.fromEntries(given);
}
