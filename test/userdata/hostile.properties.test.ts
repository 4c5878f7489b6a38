/** What a config, a Secret or a token says stays a value: in YAML, JSON, TOML, bash and units. */
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { parse, stringify } from 'yaml';
import type { UserDataConfig } from '../../userdata/config.ts';
import { readConfig } from '../../userdata/documents.ts';
import {
  commandWord,
  environmentWord,
  shellWord,
  tomlText,
  yamlText,
} from '../../userdata/quoting.ts';
import { originOf, poolFaults, render, secretsNamedIn } from '../../userdata/render.ts';
import { seedProperties } from '../support/property-seed.ts';
import { contentsOf } from '../support/user-data/contents.ts';
import { someConfig, somePool, someProfile, someValues } from './some-pool.ts';

seedProperties();

const pieces = fc.constantFrom(
  ...`' " \\ \` $(id) \${HOME} $ %n % : #! << EOF --- [a] {b} &x *x !t | > ~ yes null 0644 1e3`.split(
    ' ',
  ),
  ...`12:30:00 ; && é 𝛼 [Service] a = - ? #`.split(' '),
  '\n',
  '\r',
  '\t',
  '\u0007',
  '\u0085',
  ' ',
);
const texts = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''));
const words = texts.map((text) => text.replaceAll(/[\s?#,]/g, ''));

/** As systemd.syntax(7) reads a quoted word, and systemd.unit(5) its specifiers. */
function unitWord(word: string): string {
  expect(word).not.toMatch(/[\n\r]/);
  if (!word.startsWith('"')) return word;
  expect(word).toMatch(/^"([^"\\]|\\["\\]|\\u[0-9a-f]{4})*"$/);
  return word
    .slice(1, -1)
    .replaceAll(/%(.)/g, (_all, next: string) => (next === '%' ? '%' : 'a specifier'))
    .replaceAll(/\\(u(....)|.)/g, (_all, one: string, code?: string) =>
      code === undefined ? one : String.fromCharCode(Number.parseInt(code, 16)),
    );
}

const withVariables = (word: string): string =>
  word.replaceAll(/\$(.?)/g, (_all, next: string) => (next === '$' ? '$' : 'a variable'));

describe('a word', () => {
  test('of bash', () => {
    const samples = fc.sample(texts, 300);
    const script = `printf '%s\\0' ${samples.map(shellWord).join(' ')}`;
    const printed = execFileSync('bash', ['-c', script], { encoding: 'utf8' });
    expect(printed.split('\0').slice(0, -1)).toEqual(samples);
  });

  test('of a unit', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(unitWord(environmentWord(text))).toBe(text);
        expect(withVariables(unitWord(commandWord(text)))).toBe(text);
      }),
    );
  });

  test('of TOML and of YAML', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(JSON.parse(tomlText(text))).toBe(text);
        expect(parse(yamlText({ text }), { version: '1.1' })).toEqual({ text });
      }),
    );
  });
});

const address = words.map((text) => `http://u${text}:3128/${text}`);
const secretName = fc.constantFrom('one', 'other');
const filled = texts.map((text) => `x${text}`);

const configs: fc.Arbitrary<Partial<UserDataConfig>> = fc.record(
  {
    containerRuntime: fc.record({ sandboxImage: filled }),
    proxy: fc.record({ http: address, noProxy: fc.array(words.map((text) => `x${text}`)) }),
    registries: fc.uniqueArray(
      fc.record({
        host: fc.constantFrom('docker.io', 'r.example.com:5000'),
        mirrors: fc.array(address, { maxLength: 2 }),
        credentialsSecret: secretName,
      }),
      { selector: ({ host }) => host },
    ),
    files: fc.tuple(
      fc.record({ path: words.map((text) => `/etc/x${text}/x`), content: texts }),
      fc.record({
        path: words.map((text) => `/opt/x${text}`),
        secret: fc.record({ name: secretName, key: filled }),
      }),
    ),
    units: fc.tuple(fc.record({ name: fc.constant('a.service'), content: filled })),
    commands: fc.record({ beforeJoin: fc.tuple(filled), afterJoin: fc.tuple(filled) }),
    operatingSystem: fc.record({
      subscription: fc.record({
        organization: filled,
        activationKey: fc.record({ name: secretName, key: filled }),
      }),
    }),
  },
  { requiredKeys: [] },
);

const machines = fc.record({
  parts: configs,
  bootstrapToken: texts,
  // So long that it is by chance no part of anything.
  secret: texts.map((text) => `s3cr3t ${text}`),
  format: fc.constantFrom('cloud-init' as const, 'ignition' as const),
});

type Contents = Awaited<ReturnType<typeof contentsOf>>;

const proxyPath = '/etc/systemd/system/kubelet.service.d/millwright-proxy.conf';

/** What the programs of the machine read. */
function readFrom(contents: Contents): unknown {
  const text = (path: string): string => contents[path] ?? '';
  const { users } = parse(text('/etc/kubernetes/bootstrap-kubelet.conf'));
  const { auths = {} } = JSON.parse(contents['/var/lib/kubelet/config.json'] ?? '{}');
  const [, image] = /^sandbox = (.*)$/m.exec(text('/etc/containerd/config.toml')) ?? [];
  const proxy = text(proxyPath).split('\n').slice(1, -1);
  return {
    users,
    auths: Object.values(auths),
    image: image && JSON.parse(image),
    proxy: proxy.map((line) => unitWord(line.replace(/^Environment=/, ''))),
  };
}

/** The same, as it is meant. */
function meant(config: UserDataConfig, token: string, secret: string): unknown {
  const { registries = [], containerRuntime, proxy } = config;
  const auth = Buffer.from(`${secret}:${secret}`).toString('base64');
  const without = expect.stringMatching(/^no_proxy=localhost,/);
  return {
    users: [{ name: 'bootstrap', user: { token } }],
    auths: registries.map(() => ({ auth })),
    image: containerRuntime?.sandboxImage,
    proxy: proxy ? [`http_proxy=${proxy.http}`, without] : [],
  };
}

/** Texts that are written as they are. */
function plainFiles(
  { files = [], units = [], commands }: UserDataConfig,
  secret: string,
): Contents {
  const { afterJoin } = commands ?? {};
  return {
    ...Object.fromEntries(files.map(({ path, content = secret }) => [path, content])),
    ...Object.fromEntries(
      units.map(({ name, content = '' }) => [`/etc/systemd/system/${name}`, content]),
    ),
    ...(afterJoin && { '/opt/millwright/after-join': `${afterJoin.join('\n')}\n` }),
  };
}

test('every value arrives as it is, and a secret only where it belongs', async () => {
  const all = someProfile('rhel-9');
  const scripts: string[] = [];
  await fc.assert(
    fc.asyncProperty(machines, async ({ parts, bootstrapToken, secret, format }) => {
      const read = readConfig(stringify(someConfig(parts)), 'config.yaml');
      if (read.faults) throw new Error(read.faults.join('\n'));
      const config = read.value;
      const pool = somePool(config, { profile: { ...all, format } });
      expect(poolFaults(pool)).toEqual([]);
      const data = new Proxy<Record<string, string>>({}, { get: () => secret });
      const secrets = Object.fromEntries(secretsNamedIn(config).map((name) => [name, data]));
      const machine = render(pool, someValues({ bootstrapToken, secrets }));
      const contents = await contentsOf(machine);

      expect(readFrom(contents)).toEqual(meant(config, bootstrapToken, secret));
      expect(contents).toMatchObject(plainFiles(config, secret));
      scripts.push(contents['/opt/millwright/setup'] ?? '');

      const { downloads, packages } = machine;
      expect(JSON.stringify([downloads, packages, originOf(pool)])).not.toContain('s3cr3t');
      const places = Object.keys(contents).filter((path) => contents[path]?.includes('s3cr3t'));
      const named = (config.files ?? []).filter((file) => file.secret).map(({ path }) => path);
      const known = [...named, '/opt/millwright/activation-key'];
      expect(places.filter((path) => !known.includes(path))).toEqual([]);
    }),
    { numRuns: 50 },
  );
  execFileSync('bash', ['-n'], { input: scripts.join('\n') });
});
