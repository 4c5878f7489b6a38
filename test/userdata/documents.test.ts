import { readConfig, readProfile } from '../../userdata/documents.ts';

const profile = `name: ours
version: 1.0.0
operatingSystem:
  name: ubuntu
  version: '24.04'
  title: Ours
format: cloud-init
packageManager: apt
`;

function faultsOf(text: string): readonly string[] {
  return readProfile(text, 'profile.yaml').faults ?? [];
}

test('a profile of a user is read', () => {
  expect(readProfile(profile, 'profile.yaml')).toEqual({
    value: {
      name: 'ours',
      version: '1.0.0',
      operatingSystem: { name: 'ubuntu', version: '24.04', title: 'Ours' },
      format: 'cloud-init',
      packageManager: 'apt',
    },
  });
});

test.each([
  [
    'an unknown field',
    `${profile}packges: [jq]\n`,
    '9: packges is not a field: did you mean packages?',
  ],
  [
    'an unknown field further in',
    `${profile}files:\n  - path: /a\n    content: ''\n    mode: '0600'\n`,
    '12: files[0].mode is not a field: known are path, permissions, content',
  ],
  [
    'a number where text has to be',
    profile.replace("'24.04'", '24.04'),
    '5: operatingSystem.version: 24.04 is not a string: put it in quotes',
  ],
  [
    'a value that is none of the allowed',
    profile.replace('cloud-init', 'cloudinit'),
    '7: format: "cloudinit" is not one of cloud-init, ignition',
  ],
  [
    'the name of a package that is an option',
    `${profile}packages:\n  - jq\n  - --allow-unauthenticated\n`,
    '11: packages[1]: "--allow-unauthenticated" is not the name of a package',
  ],
  [
    'a file that ends in no unit',
    `${profile}units:\n  - name: a.service\n    dropIns:\n      - name: x\n        content: y\n`,
    '12: units[0].dropIns[0].name: "x" is not a file name that ends in .conf',
  ],
  ['a missing field', profile.replace('format: cloud-init\n', ''), '1: format is missing'],
  ['a field that is there twice', `${profile}name: other\n`, '9: name is there twice'],
  [
    'a tag',
    `${profile}packages: !!js/function x\n`,
    '9: Unresolved tag: tag:yaml.org,2002:js/function',
  ],
  [
    'a key that is a list',
    `${profile}? [a]\n: b\n`,
    '9: With stringKeys, all keys must be strings',
  ],
  ['a second document', `${profile}---\n${profile}`, '9: a second document begins here'],
  ['nothing', '', '1: the document: null is not an object'],
  ['a list', '- a\n', '1: the document: a list of 1 is not an object'],
])('%s is named with file, line and field', (_what, text, fault) => {
  expect(faultsOf(text)).toEqual([`profile.yaml:${fault}`]);
});

test('what is not YAML is named with its line, and none of its text', () => {
  const [fault = ''] = faultsOf(`${profile}packages: [s3cret\n`);
  expect(fault).toMatch(/^profile\.yaml:10: Flow sequence in block collection must/);
  expect(fault).not.toMatch(/s3cret|\n/);
});

test('a profile asks for no downloads: digests are those of Millwright or of the config', () => {
  expect(faultsOf(`${profile}downloads: { digests: {} }\n`)).toEqual([
    expect.stringContaining('profile.yaml:9: downloads is not a field'),
  ]);
});

test('all faults are said at once', () => {
  const text = `${profile.replace('apt', 'brew')}format2: x\nprograms: usr/bin\n`;
  expect(faultsOf(text).map((fault) => fault.split(':')[1])).toEqual(['9', '8', '10']);
});

describe('a text that somebody made to be hard to read', () => {
  test('of a million characters is not read', () => {
    const list = `${'a,'.repeat(500_000)}a`;
    expect(faultsOf(`${profile}packages: [${list}]\n`)).toEqual([
      'profile.yaml: 1000144 characters are more than 131072',
    ]);
  });

  test('with aliases that stand for very much is refused', () => {
    const levels = ['b', 'c', 'd', 'e', 'f'].map((name, index) => {
      const before = String.fromCodePoint(97 + index);
      return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(', ')}]`;
    });
    expect(faultsOf(`a: &a [x, x, x]\n${levels.join('\n')}\n`)).toEqual([
      'profile.yaml: Excessive alias count indicates a resource exhaustion attack',
    ]);
  });

  test('with an alias of nothing, or of what it stands in, is refused', () => {
    expect(faultsOf(`${profile}packages: *none\n`)).toEqual([
      'profile.yaml: Unresolved alias (the anchor must be set before the alias): none',
    ]);
    expect(faultsOf(`${profile}packages: &all [*all]\n`)).toEqual([
      'profile.yaml:9: packages[0]: a list of 1 is not the name of a package',
    ]);
  });

  test('has a hundred faults at most', () => {
    const fields = Array.from({ length: 9000 }, (_, index) => `k${index}: 1\n`).join('');
    expect(faultsOf(`${profile}${fields}`)).toHaveLength(100);
    expect(faultsOf('k:\n'.repeat(9000))).toHaveLength(100);
  });
});

test('a config is read in the same way', () => {
  const text = `kubernetes:
  version: 1.34.2
  apiServer: https://api.example.com
  caBundle: x
  clusterDNS: []
downloads:
  digests: { kubelet: { 1.34.2: { amd64: abc } } }
`;
  const { faults = [] } = readConfig(text, 'config.yaml');
  expect(faults).toContain(
    'config.yaml:7: downloads.digests.kubelet.1.34.2.amd64: "abc" is not a SHA-256 in 64 hexadecimal digits',
  );
  expect(faults).toContainEqual(expect.stringMatching(/^config\.yaml:5: kubernetes\.clusterDNS: /));
});
