import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLiveArguments } from './arguments.ts';
import { readManifests } from './manifests.ts';
import { faultsOfPlan } from './plan.ts';

const files = ['--class', 'class.yaml', '--secret', 'secret.yaml'];

test('a live run with only the required options has defaults, and a plan within its own limits', () => {
  const options = readLiveArguments(['--provider', 'GCP', ...files]);
  expect(options).toMatchObject({
    provider: 'GCP',
    machineClass: 'class.yaml',
    secret: 'secret.yaml',
    mode: 'run',
    owner: 'default',
    allowsAmbientCredentials: false,
    allowsTokenFiles: false,
  });
  expect('limits' in options && faultsOfPlan(options.limits)).toEqual([]);
});

test.each([
  [['--dry-run'], { mode: 'plan' }],
  [['--sweep'], { mode: 'sweep' }],
  [['--ambient-credentials'], { allowsAmbientCredentials: true, allowsTokenFiles: true }],
  [['--token-files'], { allowsAmbientCredentials: false, allowsTokenFiles: true }],
  [['--help'], { mode: 'help' }],
])('the live run reads the option %s', (more, expected) => {
  expect(readLiveArguments(['--provider', 'AWS', ...files, ...more])).toMatchObject(expected);
});

test.each([
  [['--provider', 'virtual', ...files], '--provider is "virtual"; allowed: AWS, Azure, GCP'],
  [files, '--provider is missing'],
  [['--provider', 'AWS', '--class', 'x'], '--secret is missing'],
  [['--provider', 'AWS', ...files, '--max-instances', '0'], '--max-instances is "0"; allowed'],
  [['--provider', 'AWS', ...files, '--max-cost', 'x'], '--max-cost is "x"'],
  [['--provider', 'AWS', ...files, '--owner', 'A B'], '--owner is "A B"'],
  [['--provider', 'AWS', ...files, '--dry-run', '--sweep'], 'one of them only'],
  [['--provider', 'AWS', ...files, '--sweeep'], '--sweeep'],
])('a live run refuses %j', (argv, words) => {
  expect(() => readLiveArguments(argv)).toThrow(words);
});

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'live-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const aClass = 'kind: MachineClass\nprovider: AWS\nproviderSpec: {region: eu-west-1}\n';

test('a live run reads class and Secret, decoded', async () => {
  const machineClass = await file('class.yaml', aClass);
  const text = 'kind: Secret\ndata: {a: eA==}\nstringData: {b: y}\n';
  const secret = await file('secret.yaml', text);
  expect(await readManifests({ provider: 'AWS', machineClass, secret })).toEqual({
    providerSpec: { region: 'eu-west-1' },
    secret: { a: 'x', b: 'y', userData: '' },
  });
});

test.each([
  ['of another provider', aClass.replace('AWS', 'GCP'), 'provider is "GCP", not that of'],
  ['of another kind', 'kind: Pod', 'kind is not MachineClass'],
  ['no YAML', 'hush: [hush', 'is not one object in YAML'],
])('a class that is %s is refused', async (_what, text, words) => {
  const machineClass = await file('wrong.yaml', text);
  const read = readManifests({ provider: 'AWS', machineClass, secret: 'none' });
  await expect(read).rejects.toThrow(words);
  await expect(read).rejects.not.toThrow('hush:');
});

test('a file that is not there is named', async () => {
  const missing = { provider: 'AWS', machineClass: join(folder, 'none'), secret: 'x' };
  await expect(readManifests(missing)).rejects.toThrow('none cannot be read (ENOENT)');
});
