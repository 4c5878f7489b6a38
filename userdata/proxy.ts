/** The HTTP proxy, as drop-ins of the units that go through it. */
import type { UserDataConfig } from './config.ts';
import { environmentWord } from './quoting.ts';

/** Reached without it in any case: the machine itself, the metadata of its cloud, the cluster. */
const direct = ['localhost', '127.0.0.1', '::1', '169.254.169.254', '100.100.100.200', '.svc'];

/** Empty: there is none. curl reads the names in small letters only, Go both. */
export function proxyDropIns({
  proxy,
  kubernetes,
}: UserDataConfig): { name: string; content: string }[] {
  if (!proxy?.http && !proxy?.https) return [];
  const domain = `.${kubernetes.clusterDomain ?? 'cluster.local'}`;
  const variables = {
    http_proxy: proxy.http,
    https_proxy: proxy.https,
    no_proxy: [...direct, domain, ...(proxy.noProxy ?? [])].join(','),
  };
  const lines = Object.entries(variables)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `Environment=${environmentWord(`${name}=${value}`)}`);
  return [{ name: 'millwright-proxy.conf', content: `[Service]\n${lines.join('\n')}\n` }];
}
