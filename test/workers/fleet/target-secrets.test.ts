import { stringify } from 'yaml';
import type { TargetSecret } from '../../../workers/config/config.ts';
import type { TargetSecrets } from '../../../workers/fleet/target-secrets.ts';
import { watchTargetSecrets } from '../../../workers/fleet/target-secrets.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { namespace } from '../../support/builders.ts';
import { eventually } from '../../support/eventually.ts';

const { signal } = new AbortController();
const open: TargetSecrets[] = [];
afterEach(async () => {
  for (const secrets of open.splice(0)) await secrets.close();
});

interface Access {
  server?: string;
  user?: Record<string, unknown>;
  cluster?: Record<string, unknown>;
}

function kubeconfig({ server = 'https://one', user = { token: 't1' }, cluster = {} }: Access = {}) {
  return stringify({
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server, ...cluster } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    users: [{ name: 'u', user }],
  });
}

function secret(name: string, data: Record<string, string>) {
  const encoded = Object.entries(data).map(([key, value]) => [key, btoa(value)]);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    data: Object.fromEntries(encoded),
  };
}

const names: TargetSecret = { kind: 'secret', name: 'target' };

function watch(client: InMemoryClient, named = names, isNamespaceDeleting = () => false) {
  const changes: string[] = [];
  const secrets = watchTargetSecrets({
    client,
    namespace,
    names: named,
    isNamespaceDeleting,
    onChange: () => void changes.push('change'),
  });
  open.push(secrets);
  return { secrets, changes };
}

const access = (secrets: TargetSecrets) => secrets.access(signal, () => undefined);

test('other credentials for the same server are exchanged in what was handed out', async () => {
  const client = new InMemoryClient(secret('target', { kubeconfig: kubeconfig() }));
  const { secrets, changes } = watch(client);
  const { kubeConfig } = await access(secrets);
  expect(kubeConfig.user.token).toBe('t1');
  client.put(secret('target', { kubeconfig: kubeconfig({ user: { token: 't2' } }) }));
  await eventually('it is heard', async () => changes.length > 1);
  expect(secrets.whyStale()).toBeUndefined();
  expect(kubeConfig.user.token).toBe('t2');
});

test.each([
  { become: { kubeconfig: kubeconfig({ server: 'https://two' }) }, why: /names another server/ },
  {
    become: { kubeconfig: kubeconfig({ cluster: { 'certificate-authority-data': btoa('CA') } }) },
    why: /has another certificate authority/,
  },
  { become: { other: '' }, why: /Secret shoot\/target has no key "kubeconfig"/ },
  { become: { kubeconfig: 'current-context: x' }, why: /has no entry|is no kubeconfig|not set/ },
])('another server, or no access, makes it stale: $why', async ({ become, why }) => {
  const client = new InMemoryClient(secret('target', { kubeconfig: kubeconfig() }));
  const { secrets, changes } = watch(client);
  await access(secrets);
  client.put(secret('target', become));
  await eventually('it is heard', async () => changes.length > 1);
  expect(secrets.whyStale()).toMatch(why);
});

test('a Secret that does not exist is named', async () => {
  const { secrets } = watch(new InMemoryClient());
  await expect(access(secrets)).rejects.toThrow(
    'Secret shoot/target does not exist; it is to hold the key "kubeconfig"',
  );
});

test('one that is too large is not read', async () => {
  const kept = secret('target', { kubeconfig: kubeconfig(), other: 'x'.repeat(900_000) });
  const client = new InMemoryClient(kept);
  const { secrets, changes } = watch(client);
  await access(secrets);
  client.put(secret('target', { kubeconfig: `${kubeconfig()}#${'x'.repeat(400_000)}` }));
  await eventually('it is heard', async () => changes.length > 1);
  expect(secrets.whyStale()).toBe(
    'key "kubeconfig" of Secret shoot/target is too large; allowed: 65536 characters, token included',
  );
});

const file = '/etc/passwd';

test.each([
  { field: 'exec', given: { user: { exec: { command: 'touch' } } } },
  { field: 'tokenFile', given: { user: { tokenFile: file } } },
  { field: 'auth-provider', given: { user: { 'auth-provider': { name: 'oidc', config: {} } } } },
  { field: 'client-certificate', given: { user: { 'client-certificate': file } } },
  { field: 'client-key', given: { user: { 'client-key': file } } },
  { field: 'certificate-authority', given: { cluster: { 'certificate-authority': file } } },
])('a kubeconfig with $field is refused', async ({ field, given }) => {
  const client = new InMemoryClient(secret('target', { kubeconfig: kubeconfig(given) }));
  const { secrets } = watch(client);
  await expect(access(secrets)).rejects.toThrow(
    new RegExp(`${field}.* is not allowed in a Secret`),
  );
});

test('the token of a second Secret takes the place of a token file, as Gardener has it', async () => {
  const withFile = kubeconfig({ user: { tokenFile: '/var/run/secrets/token' } });
  const client = new InMemoryClient(
    secret('target', { kubeconfig: withFile }),
    secret('access', { token: 'abc\n' }),
  );
  const { secrets } = watch(client, { ...names, tokenName: 'access' });
  const { kubeConfig } = await access(secrets);
  expect(kubeConfig.user).toMatchObject({ token: 'abc' });
});

test('one that Kubernetes deletes with its namespace is used until the Machines there are gone', async () => {
  const client = new InMemoryClient(secret('target', { kubeconfig: kubeconfig() }));
  let isDeleting = false;
  const { secrets, changes } = watch(client, names, () => isDeleting);
  await access(secrets);
  await client.delete(`/api/v1/namespaces/${namespace}/secrets/target`);
  await eventually('it is heard', async () => changes.length > 1);
  expect(secrets.whyStale()).toMatch(/does not exist/);
  await expect(access(secrets)).rejects.toThrow(/does not exist/);
  // That the namespace goes may be heard later.
  isDeleting = true;
  expect(secrets.whyStale()).toBeUndefined();
  expect((await access(secrets)).kubeConfig.user.token).toBe('t1');
});
