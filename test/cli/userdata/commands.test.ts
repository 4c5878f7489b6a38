/** `millwright userdata`: what it reads, prints and refuses. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { UsageError } from '../../../cli/command-line/usage-error.ts';
import { diff, diffOfClass } from '../../../cli/userdata/diff.ts';
import { profiles } from '../../../cli/userdata/profiles.ts';
import { render } from '../../../cli/userdata/render.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import { checkUserData } from '../../../userdata/check/check.ts';
import { aConfigMap, anAskingClass, config } from '../../activities/user-data/class-world.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { answerTo, readArguments } from '../../support/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'userdata-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : stringify(content));
  return path;
}

const withFile = { ...config, files: [{ path: '/etc/a', secret: { name: 'keys', key: 'a' } }] };
const scopeOf = (...objects: object[]) => ({
  kube: new InMemoryClient(...objects),
  namespace: 'shoot',
});
const ofClass = { className: 'small' };

test('a class is rendered with placeholders, and no Secret is read', async () => {
  const scope = scopeOf(anAskingClass(), aConfigMap(withFile));
  const { text, aside, data, exitCode } = await render(scope, { ...ofClass, provider: 'AWS' });
  expect(text).toContain('<<BOOTSTRAP_TOKEN>>');
  expect(text).toContain('<<SECRET keys/a>>');
  expect(aside).toMatch(/^Made of: ubuntu-24\.04@\S+ sha256:[0-9a-f]{16}, cloud-init$/m);
  expect(aside).toMatch(/^Size: \d+ bytes.*: AWS takes 16384$/m);
  expect(aside).toMatch(/^ {2}kubelet \S+ amd64 https:\S+ sha256:[0-9a-f]{64}$/m);
  expect(data).toMatchObject({ provider: 'AWS', size: { limit: 16_384 } });
  expect(exitCode).toBe(0);
  expect(scope.kube.calls.filter((call) => /secrets/.test(call))).toEqual([]);
  expect(checkUserData(Buffer.from(text)).faults).toEqual([]);
});

test('a machine that is named stands in the text', async () => {
  const { text } = await render(scopeOf(anAskingClass(), aConfigMap()), {
    ...ofClass,
    machine: 'pool-a-1',
  });
  expect(text).toContain('pool-a-1');
  expect(text).not.toContain('<<MACHINE_NAME>>');
});

test('profile, config and provider need no cluster', async () => {
  const path = file('config.yaml', config);
  const words = ['--profile', 'ubuntu-24.04', '--config', path, '--provider', 'AWS'];
  const { text } = await answerTo(['userdata', 'render', ...words]);
  expect(text).toMatch(/^#cloud-config/);
});

test('larger than the cloud takes is said, with exit code 1', async () => {
  // Words that gzip makes little of.
  const content = Array.from({ length: 9_000 }, (_none, at) => Math.sin(at).toString(36)).join();
  const large = { ...config, files: [{ path: '/etc/a', content }] };
  const scope = scopeOf(anAskingClass(), aConfigMap(large));
  const { aside, exitCode } = await render(scope, { ...ofClass, provider: 'AWS' });
  expect(aside).toMatch(/AWS takes 16384/);
  expect(exitCode).toBe(1);
});

test.each<[string, object[], object, string]>([
  ['no class', [], ofClass, 'MachineClass shoot/small does not exist'],
  ['no ConfigMap', [anAskingClass()], ofClass, 'does not exist in namespace shoot'],
  [
    'a profile that is misspelt',
    [anAskingClass(), aConfigMap()],
    { ...ofClass, profile: 'ubuntu-24.4' },
    '--profile: "ubuntu-24.4" is not a profile: did you mean ubuntu-24.04?',
  ],
  [
    'a version that is none',
    [
      anAskingClass(),
      aConfigMap({ ...config, kubernetes: { ...config.kubernetes, version: '1' } }),
    ],
    ofClass,
    'kubernetes.version: "1" is not a version of three numbers',
  ],
  [
    'a file that is not there',
    [anAskingClass(), aConfigMap()],
    { ...ofClass, config: join(folder, 'none.yaml') },
    'none.yaml cannot be read: ENOENT',
  ],
  [
    'what operating-system-manager made',
    [
      anAskingClass({
        [annotations.userData]: 'Secret/cloud-init-settings/a-shoot-bootstrap-config',
      }),
    ],
    ofClass,
    'takes the user data that operating-system-manager has made: Secret cloud-init-settings/a-shoot-bootstrap-config. Nothing is rendered',
  ],
])('%s is refused', async (...[, objects, options, message]) => {
  await expect(render(scopeOf(...objects), options)).rejects.toThrow(message);
});

test('a diff of a class shows the lines, and ends with 1; without a difference with 0', async () => {
  const scope = scopeOf(anAskingClass(), aConfigMap());
  const changed = file('changed.yaml', { ...config, packages: { extra: ['htop'] } });
  const { text, exitCode, data } = await diffOfClass(scope, { ...ofClass, config: changed });
  expect(text).toMatch(/^--- now: ubuntu-24\.04@/);
  expect(text).toMatch(/^\+.*htop/m);
  expect(exitCode).toBe(1);
  expect(data).toMatchObject({ isSame: false, downloads: { removed: [], added: [] } });
  const same = file('same.yaml', config);
  const nothing = await diffOfClass(scope, { ...ofClass, config: same });
  expect(nothing).toMatchObject({ text: '', exitCode: 0, data: { isSame: true } });
});

test('two files are compared as they are; what cannot be read is no difference', async () => {
  const files = [file('a', 'a\nb\n'), file('b', 'a\nc\n')] as const;
  expect((await diff({ files })).text).toMatch(/^-b\n\+c$/m);
  const missing = diff({ files: [files[0], join(folder, 'none')] });
  await expect(missing).rejects.toThrow(UsageError);
});

test('profiles are listed', () => {
  const { text, names } = profiles();
  expect(text).toMatch(/^ubuntu-24\.04 .*Ubuntu 24\.04 LTS .*cloud-init/m);
  expect(names).toContain('ubuntu-24.04');
});

test('a file is checked: faults with lines, warnings beside', async () => {
  const path = file('user-data', '#cloud-config\nntp: 3\n');
  const { text, data, exitCode } = await answerTo(['userdata', 'check', path]);
  expect(text).toBe(
    `${path}:2: ntp: 3 is not an object, or nothing\n${path}: cloud-config: 1 fault`,
  );
  expect(data).toMatchObject({ isValid: false, faults: [{ line: 2 }], warnings: [] });
  expect(exitCode).toBe(1);
});

test.each([
  [['render'], '--class is missing; or give all of'],
  [['diff'], 'two files are wanted, or --class'],
  [['diff', 'a', 'b', 'c'], 'two files are wanted'],
  [['diff', '--class', 'a'], '--class goes with --profile or --config'],
  [['check'], "missing required argument 'file'"],
])('millwright userdata %j is refused', (words, message) => {
  expect(() => readArguments(['userdata', ...words])).toThrow(message);
});
