import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCredentials } from '../../../kube/client/credentials.ts';
import { kubeConfigOfSecret, loadKubeConfig } from '../../../kube/client/kubeconfig.ts';
import { selfSigned } from '../../support/self-signed.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const config = (user: string): string => `
apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: c, user: u, namespace: pools}}]
clusters: [{name: c, cluster: {server: 'https://10.0.0.1:6443/', certificate-authority: ca.crt}}]
users: [{name: u, user: ${user}}]
`;

test('paths are relative to the file, and the namespace is that of the context', () => {
  const loaded = loadKubeConfig(file('config', config('{token: t}')));
  expect(loaded.namespace).toBe('pools');
  expect(loaded.cluster).toMatchObject({
    server: 'https://10.0.0.1:6443',
    caFile: join(folder, 'ca.crt'),
  });
});

test.each([
  { name: 'with a CA', before: 'here', after: 'here', server: 'https://10.0.0.1:6443' },
  { name: 'plain', before: 'certificate-authority', after: 'c-a', server: 'http://10.0.0.1:6443' },
])('a server without a scheme, $name, is one as for kubectl', ({ before, after, server }) => {
  const text = config('{token: t}').replace('https://', '').replace(before, after);
  expect(loadKubeConfig(file('config', text)).cluster.server).toBe(server);
});

test('an empty flag reads the files in KUBECONFIG; the first that names a thing wins', () => {
  const first = file('first', config('{token: one}').replace('users:', 'others:'));
  const second = file('second', config('{token: two}').replace('here', 'there'));
  const loaded = loadKubeConfig('', { KUBECONFIG: `${first}:${second}` });
  expect(loaded.user).toMatchObject({ token: 'two' });
});

test('of the files in KUBECONFIG those that do not exist are left out, as long as one does', () => {
  const there = file('there', config('{token: one}'));
  const none = join(folder, 'none');
  const loaded = loadKubeConfig('', { KUBECONFIG: `${none}:${there}:${none}` });
  expect(loaded).toMatchObject({ user: { token: 'one' }, source: there });
  const nothing = () => loadKubeConfig('', { KUBECONFIG: `${none}:${none}` });
  expect(nothing).toThrow(`Cannot read the kubeconfig ${none}: ENOENT`);
});

test.each([
  { name: 'a file that does not exist', flag: () => join(folder, 'none'), says: 'ENOENT' },
  { name: 'no current context', flag: () => file('a', '{}'), says: 'current-context is not set' },
  {
    name: 'a user that is missing',
    flag: () => file('b', config('{}').replace('name: u', 'name: v')),
    says: 'users has no entry "u" (it has: v)',
  },
  {
    name: 'a cluster without a server',
    flag: () => file('c', config('{}').replace('server', 'sever')),
    says: 'clusters[0].cluster.server is missing',
  },
  {
    name: 'a server that is no URL',
    flag: () => file('d', config('{}').replace('https://10.0.0.1:6443/', 'https://ten:port')),
    says: 'the server of cluster "c" is "https://ten:port"; allowed: a URL such as',
  },
  { name: 'not in a pod', flag: () => 'inClusterConfig', says: 'KUBERNETES_SERVICE_HOST' },
  { name: 'nothing at all', flag: () => '', says: 'No kubeconfig found' },
])('a kubeconfig with $name is an error that says so', ({ flag, says }) => {
  expect(() => loadKubeConfig(flag(), { HOME: folder })).toThrow(says);
});

test.each([
  { name: 'of another key', key: 'other' as const, says: 'the certificate is of another key' },
  { name: 'with a key in no PEM', key: 'none' as const, says: 'the key is not in PEM' },
])('a client certificate $name is an error that names the user', async ({ key, says }) => {
  const [one, other] = [await selfSigned({ name: 'u' }), await selfSigned({ name: 'u' })];
  const withKey = (text: string) => {
    const [cert, data] = [one.certificate, text].map((pem) => Buffer.from(pem).toString('base64'));
    return config(`{client-certificate-data: ${cert}, client-key-data: ${data}}`);
  };
  expect(loadKubeConfig(file('good', withKey(one.key))).user.keyData).toBeDefined();
  const bad = file('bad', withKey({ other: other.key, none: 'no key' }[key]));
  const named = `${bad}: client-certificate-data and client-key-data of user "u" cannot be used: `;
  expect(() => loadKubeConfig(bad)).toThrow(named + says);
});

test('a token, a password and a token file become a header', async () => {
  file('ca.crt', 'CA');
  file('token', 'from-file\n');
  const headersOf = async (user: string): Promise<Record<string, string>> => {
    const credentials = createCredentials(loadKubeConfig(file('config', config(user))));
    return (await credentials.current()).headers;
  };
  expect(await headersOf('{token: t}')).toEqual({ authorization: 'Bearer t' });
  expect(await headersOf('{username: a, password: b}')).toEqual({ authorization: 'Basic YTpi' });
  expect(await headersOf('{tokenFile: token}')).toEqual({ authorization: 'Bearer from-file' });
});

test('an exec plugin is asked, and asked again once its token was refused', async () => {
  file('ca.crt', 'CA');
  const script = `echo x >>${join(folder, 'runs')}; wc -l <${join(folder, 'runs')} | awk '{print "{\\"status\\":{\\"token\\":\\"t"$1"\\"}}"}'`;
  const exec = { command: 'sh', args: ['-c', script] };
  const loaded = loadKubeConfig(file('config', config(JSON.stringify({ exec }))));
  const credentials = createCredentials(loaded);
  expect((await credentials.current()).headers).toEqual({ authorization: 'Bearer t1' });
  expect((await credentials.current()).headers).toEqual({ authorization: 'Bearer t1' });
  credentials.forget();
  expect(await credentials.current()).toMatchObject({
    headers: { authorization: 'Bearer t2' },
    tls: { ca: 'CA', rejectUnauthorized: true },
  });
});

test('a provider that no worker serves any more is an error that says what to use', async () => {
  const loaded = loadKubeConfig(file('config', config('{auth-provider: {name: gcp}}')));
  await expect(createCredentials(loaded).current()).rejects.toThrow('gke-gcloud-auth-plugin');
});

test.each([
  {
    fault: 'a line',
    text: 'users:\n- user:\n    token: s3cret: x',
    place: ' at line 3, column 12',
  },
  { fault: 'an alias', text: 'token: *s3cret', place: '' },
])(
  'a text with a fault in $fault is told by its place, without a word of it',
  ({ text, place }) => {
    const path = file('broken', text);
    const reason = `it is no proper YAML${place}`;
    expect(faultOf(() => loadKubeConfig(path))).toEqual([
      `Cannot read the kubeconfig ${path}: ${reason}`,
      reason,
    ]);
    expect(faultOf(() => kubeConfigOfSecret({ text, source: 'Secret a/b' }))).toEqual([
      'Secret a/b is no kubeconfig',
      reason,
    ]);
  },
);

/** Its message and those of its causes, all of which go to logs. */
function faultOf(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    return messagesOf(error);
  }
  return [];
}

function messagesOf(error: unknown): string[] {
  return error instanceof Error ? [error.message, ...messagesOf(error.cause)] : [];
}

test('a key that stands twice counts as it does for kubectl: the last one', () => {
  const text = config('{token: one, token: two}');
  expect(loadKubeConfig(file('twice', text)).user.token).toBe('two');
});

const given = (user: string): string => config(user).replace(', certificate-authority: ca.crt', '');

test.each(['tokenFile', 'token-file'])(
  'of a Secret no user has a file of this process sent to a server, by %s either',
  async (field) => {
    const text = given(JSON.stringify({ [field]: file('token', 'of-this-process') }));
    expect(() => kubeConfigOfSecret({ text, source: 'Secret a/b' })).toThrow(
      'Secret a/b: tokenFile or auth-provider is not allowed in a Secret',
    );
    const unused = given('{token: t}').replace(
      'users: [',
      `users: [{name: v, user: {${field}: /none}}, `,
    );
    expect(kubeConfigOfSecret({ text: unused, source: 'Secret a/b' }).user.token).toBe('t');
    const replaced = kubeConfigOfSecret({ text, source: 'Secret a/b', token: 'of-the-Secret' });
    expect((await createCredentials(replaced).current()).headers).toEqual({
      authorization: 'Bearer of-the-Secret',
    });
  },
);

test('a token-file is a tokenFile, which is read again as it is renewed', async () => {
  file('ca.crt', 'CA');
  file('token', 'from-file\n');
  const credentials = createCredentials(
    loadKubeConfig(file('config', config('{token-file: token}'))),
  );
  expect((await credentials.current()).headers).toEqual({ authorization: 'Bearer from-file' });
});
