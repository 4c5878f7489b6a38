import { stringify } from 'yaml';
import { classFaults } from '../../../activities/machine-class/faults.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import { aSecret } from '../../support/builders.ts';
import { aWorld } from '../../support/world.ts';
import { aConfigMap, anAskingClass, config } from './class-world.ts';

const source = annotations.userData;
const named = annotations.userDataConfig;

async function faultsOf(...objects: object[]): Promise<string[]> {
  const world = aWorld({ control: objects });
  const resolved = await world.classes.read('small', { isFresh: true });
  if (!resolved) throw new Error('no class');
  return await classFaults(world, resolved);
}

const withoutSecret = { secretRef: {} };
const asking = (notes: Record<string, string> = {}, changes: object = {}): object =>
  anAskingClass(notes, { ...withoutSecret, ...changes });
const only = (notes: Record<string, string>): object => {
  const machineClass = anAskingClass({}, withoutSecret);
  machineClass.metadata.annotations = notes;
  return machineClass;
};
const ofPool = (changes: object): object => aConfigMap({ ...config, ...changes });
const profile = {
  name: 'mine',
  version: '1.0.0',
  operatingSystem: { name: 'debian', version: '13', title: 'Debian 13' },
  format: 'cloud-init',
  packageManager: 'apt',
};
const aProfile = (content: object | string = profile): object =>
  aConfigMap(content, { name: 'mine', key: 'profile.yaml' });
const file = (secret: object): object => ({ files: [{ path: '/etc/a', secret }] });

test.each<[string, object[]]>([
  ['a profile of ours', [asking(), aConfigMap()]],
  ['a profile of the user', [asking({ [source]: 'ConfigMap/mine' }), aProfile(), aConfigMap()]],
  [
    'what operating-system-manager makes',
    [only({ [source]: 'Secret/cloud-init-settings/pool-shoot-bootstrap-config' })],
  ],
  [
    'Secrets that the config names',
    [
      asking(),
      ofPool({
        registries: [{ host: 'docker.io', credentialsSecret: 'pull' }],
        ...file({ name: 'pull', key: 'password' }),
      }),
      aSecret({ username: 'a', password: 'b' }, { name: 'pull' }),
    ],
  ],
  [
    'a key userData beside the annotation, which is not looked at',
    [anAskingClass(), aConfigMap(), aSecret({ userData: 'theirs' })],
  ],
])('nothing is wrong with %s', async (_name, objects) => {
  expect(await faultsOf(...objects)).toEqual([]);
});

test.each<[string, object[], (string | RegExp)[]]>([
  [
    'a profile that is nearly one',
    [asking({ [source]: 'ubuntu-24.05' }), aConfigMap()],
    [`${source}: "ubuntu-24.05" is not known: did you mean "ubuntu-24.04"?`],
  ],
  [
    'an unknown profile',
    [asking({ [source]: 'plan9' }), aConfigMap()],
    [
      /user-data: "plan9" is not known: it must be one of .*ubuntu-24\.04.*, or ConfigMap\/NAME, or Secret\/cloud-init-settings\/NAME$/,
    ],
  ],
  [
    'a Secret of another namespace',
    [asking({ [source]: 'Secret/kube-system/admin' }), aConfigMap()],
    [/user-data: "Secret\/kube-system\/admin" is not known: it must be one of /],
  ],
  [
    'a ConfigMap without a name',
    [asking({ [source]: 'ConfigMap/' }), aConfigMap()],
    [/user-data: "ConfigMap\/" names no ConfigMap: a name has small letters/],
  ],
  [
    'a name that leads elsewhere',
    [asking({ [source]: 'ConfigMap/../secrets/a', [named]: '../secrets/a' })],
    [
      /user-data: "ConfigMap\/\.\.\/secrets\/a" names no ConfigMap/,
      /user-data-config: "\.\.\/secrets\/a" names no ConfigMap/,
    ],
  ],
  [
    'what was made for another namespace',
    [only({ [source]: 'Secret/cloud-init-settings/pool-other-bootstrap-config' })],
    [
      `${source}: "Secret/cloud-init-settings/pool-other-bootstrap-config" is not allowed: the name must be MACHINEDEPLOYMENT-shoot-bootstrap-config`,
    ],
  ],
  [
    'a Secret by a path, or without a name',
    [only({ [source]: 'Secret/cloud-init-settings/../a-shoot-bootstrap-config' })],
    [/user-data: "Secret\/.*" is not allowed/],
  ],
  [
    'no config',
    [only({ [source]: 'ubuntu-24.04' })],
    [`${named} is missing: it must name the ConfigMap with the key config.yaml`],
  ],
  [
    'a config alone',
    [only({ [named]: 'pool-config' }), aConfigMap()],
    [/user-data is missing: it must be one of /],
  ],
  [
    'a config beside the Secret of operating-system-manager',
    [asking({ [source]: 'Secret/cloud-init-settings/a-shoot-bootstrap-config' })],
    [/user-data-config: "pool-config" has no effect .*: remove it$/],
  ],
  [
    'missing ConfigMaps',
    [asking({ [source]: 'ConfigMap/mine' })],
    [
      `${source}: "ConfigMap/mine": ConfigMap "mine" does not exist in namespace shoot`,
      `${named}: "pool-config": ConfigMap "pool-config" does not exist in namespace shoot`,
    ],
  ],
  [
    'missing keys',
    [
      asking({ [source]: 'ConfigMap/mine' }),
      aConfigMap('', { name: 'mine', key: 'profile' }),
      aConfigMap('', { key: 'config' }),
    ],
    [
      `${source}: "ConfigMap/mine": ConfigMap "mine" has no key "profile.yaml": add it`,
      `${named}: "pool-config": ConfigMap "pool-config" has no key "config.yaml": add it`,
    ],
  ],
  [
    'YAML that cannot be read',
    [asking(), aConfigMap('kubernetes:\n  version: "1\n')],
    [/^ConfigMap pool-config, config\.yaml:\d+: [^\n]*$/],
  ],
  [
    'a field that is wrong, in its line',
    [asking(), aConfigMap(stringify(config).replace('1.34.2', 'v1.34'))],
    [/^ConfigMap pool-config, config\.yaml:2: kubernetes\.version: "v1\.34".* a version of three/],
  ],
  [
    'a profile that is wrong',
    [
      asking({ [source]: 'ConfigMap/mine' }),
      aProfile({ ...profile, format: 'kickstart' }),
      aConfigMap(),
    ],
    [/^ConfigMap mine, profile\.yaml:\d+: format: "kickstart"/],
  ],
  [
    'Secrets and keys that are not there, each once',
    [
      asking(),
      ofPool({
        registries: [
          { host: 'docker.io', credentialsSecret: 'pull' },
          { host: 'ghcr.io', credentialsSecret: 'half' },
        ],
        ...file({ name: 'other', key: 'a' }),
      }),
      aSecret({ username: 'a' }, { name: 'half' }),
      aSecret({ b: 'a' }, { name: 'other' }),
    ],
    [
      'config.yaml: registries[0].credentialsSecret: Secret "pull" does not exist in namespace shoot',
      'config.yaml: registries[1].credentialsSecret: Secret "half" has no key "password": add it',
      'config.yaml: files[0].secret: Secret "other" has no key "a": add it',
    ],
  ],
  [
    'a Secret by a path',
    [asking(), ofPool(file({ name: '../../kube-system/secrets/a', key: 'a' }))],
    [/files\[0\]\.secret/],
  ],
  [
    'bytes where a text is wanted',
    [
      asking(),
      ofPool(file({ name: 'bytes', key: 'a' })),
      { ...aSecret({}, { name: 'bytes' }), data: { a: Buffer.from([255]).toString('base64') } },
    ],
    ['config.yaml: files[0].secret: Secret "bytes": its key "a" must be a text in UTF-8'],
  ],
  [
    'more than the cloud takes',
    [
      asking({}, { provider: 'AWS' }),
      ofPool({
        kubernetes: {
          ...config.kubernetes,
          caBundle: `${config.kubernetes.caBundle}# ${noise(40_000)}`,
        },
      }),
    ],
    [/^the user data have \d+ bytes, \d+ with gzip: AWS takes 16384$/, /^provider: "AWS"/],
  ],
])('%s is a line that names field, value and what is allowed', async (_name, objects, lines) => {
  const faults = await faultsOf(...objects);
  const seen = faults.map((fault, index) => {
    const line = lines[index];
    return line instanceof RegExp && line.test(fault) ? line : fault;
  });
  expect(seen).toEqual(lines);
});

test('a machine without a cluster to join gets nothing rendered', async () => {
  const { target: _none, ...world } = aWorld({ control: [asking(), aConfigMap()] });
  const resolved = await world.classes.read('small', { isFresh: true });
  if (!resolved) throw new Error('no class');
  expect(await classFaults(world, resolved)).toEqual([
    expect.stringContaining(`${source}: there is no cluster to join`),
  ]);
});

test('what the API server refuses is a fault; that it is out of order is not', async () => {
  const world = aWorld({ control: [asking(), aConfigMap()] });
  const read = async (code: number): Promise<string[]> => {
    const resolved = await world.classes.read('small', { isFresh: true });
    if (!resolved) throw new Error('no class');
    world.control.fault = ({ path }) =>
      path.includes('configmaps') ? { code, reason: 'Because', message: 'no' } : undefined;
    return await classFaults(world, resolved).finally(() => {
      world.control.fault = () => undefined;
    });
  };
  expect(await read(403)).toEqual([expect.stringMatching(/^user data could not be read: .*no/)]);
  await expect(read(503)).rejects.toThrow('no');
});

/** Gzip makes little of it. */
function noise(length: number): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
  let state = 1;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return letters[state % letters.length];
  }).join('');
}
