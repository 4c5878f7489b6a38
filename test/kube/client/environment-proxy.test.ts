/** Proxies of the environment for API servers. `golang.org/x/net/http/httpproxy` has the rules. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentProxy } from '../../../kube/client/kubeconfig.ts';
import { kubeConfigOfSecret, loadKubeConfig } from '../../../kube/client/kubeconfig.ts';

const proxy = 'http://proxy.example:3128';
const api = 'https://api.shoot.example:6443';

test.each([
  [api, { HTTPS_PROXY: proxy }, proxy],
  [api, { https_proxy: 'proxy.example:3128' }, proxy],
  [api, { HTTPS_PROXY: '', https_proxy: proxy }, proxy],
  [api, { HTTP_PROXY: proxy }, undefined],
  ['http://api.shoot.example', { HTTP_PROXY: proxy, HTTPS_PROXY: 'http://other' }, proxy],
  [api, {}, undefined],
  // Of this host, as of Go.
  ['https://127.0.0.1:6443', { HTTPS_PROXY: proxy }, undefined],
  ['https://localhost:6443', { HTTPS_PROXY: proxy }, undefined],
  ['https://[::1]:6443', { HTTPS_PROXY: proxy }, undefined],
])('%s with %j has %s', (server, env, found) => {
  expect(environmentProxy(server, env)).toBe(found);
});

test.each([
  ['*', api, false],
  ['shoot.example', api, false],
  ['.shoot.example', api, false],
  ['*.shoot.example', api, false],
  ['SHOOT.example', api, false],
  ['oot.example', api, true],
  ['.api.shoot.example', api, true],
  ['a.example, shoot.example:6443', api, false],
  ['shoot.example:443', api, true],
  ['10.0.0.0/8', 'https://10.96.0.1', false],
  ['10.97.0.0/16', 'https://10.96.0.1', true],
  ['10.96.0.1', 'https://10.96.0.1', false],
  ['fd00::/8', 'https://[fd00::1]', false],
  ['fd00::1', 'https://[fd00::1]', false],
  ['10.0.0.0/8', api, true],
])('NO_PROXY=%s: %s goes by the proxy: %s', (list, server, isProxied) => {
  const env = { HTTPS_PROXY: proxy, NO_PROXY: list };
  expect(environmentProxy(server, env)).toBe(isProxied ? proxy : undefined);
});

test('a variable that holds no URL is an error that does not repeat its password', () => {
  const env = { HTTPS_PROXY: 'http://user:secret@:x' };
  expect(() => environmentProxy(api, env)).toThrow(/^HTTPS_PROXY: is no URL; allowed/);
});

const textOf = (cluster: object) =>
  JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: api, ...cluster } }],
    users: [{ name: 'u', user: { token: 't' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });

test('that of a kubeconfig goes before it, in files and in Secrets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-'));
  const env = { HTTPS_PROXY: proxy };
  const own = textOf({ 'proxy-url': 'http://own:1' });
  const file = join(folder, 'config');
  writeFileSync(file, own);
  expect(loadKubeConfig(file, env).cluster.proxyUrl).toBe('http://own:1');
  writeFileSync(file, textOf({}));
  expect(loadKubeConfig(file, env).cluster.proxyUrl).toBe(proxy);
  expect(loadKubeConfig(file, {}).cluster).not.toHaveProperty('proxyUrl');
  expect(kubeConfigOfSecret({ text: own, source: 's' }, env).cluster.proxyUrl).toBe('http://own:1');
  expect(kubeConfigOfSecret({ text: textOf({}), source: 's' }, env).cluster.proxyUrl).toBe(proxy);
  rmSync(folder, { recursive: true });
});
