import { gzipSync } from 'node:zlib';
import { checkUserData } from '../../../userdata/check/check.ts';

const check = (text: string) => checkUserData(Buffer.from(text));
const faultsOf = (text: string): string[] =>
  check(text).faults.map(({ line, sentence }) => `${line}: ${sentence}`);
const ignition = (rest: object): string =>
  JSON.stringify({ ignition: { version: '3.3.0' }, ...rest });

test.each([
  [
    'package_updat: true',
    '2: package_updat is not a key of cloud-config: did you mean package_update?',
  ],
  ['kubelet: {}', '2: kubelet is not a key of cloud-config: cloud-init ignores it'],
  ['ntp:\n  sevrers: []', '3: ntp.sevrers is not a field: did you mean servers?'],
  ['ntp:\n  enabled: 3', '3: ntp.enabled: 3 is not true or false'],
  ['a: b: c', '2: Nested mappings are not allowed in compact mappings'],
  ['hostname: a\nhostname: b', '3: hostname is there twice'],
  [
    'write_files:\n- path: /a\n  permissions: 0644',
    '4: write_files[0].permissions: 420 is not a string: put it in quotes',
  ],
  [
    'users:\n- {name: a, expiredate: 2030-01-01}',
    '3: users[0].expiredate: 2030-01-01T00:00:00.000Z is not a day in quotes, such as "2030-12-31"',
  ],
  ['- a', '2: a cloud-config is keys with values'],
  [
    'apt_pipelining: never',
    '2: apt_pipelining: "never" is not a whole number, or true or false, or one of none, unchanged, os',
  ],
])('cloud-config %j', (text, fault) => {
  expect(faultsOf(`#cloud-config\n${text}\n`)).toEqual([fault]);
});

test.each([
  ['', 'nothing but comments'],
  ['package_update: yes', 'YAML 1.1 has yes for true'],
  ['final_message: y', 'a letter is a text for cloud-init'],
  ['write_files: [{path: /a, content: !!binary QQ==}]', 'bytes are a text'],
  ['users: [{name: a, ssh-authorized-keys: [b]}]', 'some names may have dashes'],
])('cloud-config %j has no fault: %s', (text) => {
  expect(faultsOf(`#cloud-config\n# comment\n${text}\n`)).toEqual([]);
});

test('values that may be secrets are not shown', () => {
  const text = '#cloud-config\npassword: 1234567\nrh_subscription: {activation_key: 89}\n';
  expect(faultsOf(text).join()).not.toMatch(/1234567|89/);
  const source = { source: 'ftp://person:geheim@example.com/' };
  const file = ignition({ storage: { files: [{ path: '/a', contents: source }] } });
  expect(faultsOf(file).join()).toContain('not shown');
  expect(faultsOf(file).join()).not.toContain('geheim');
});

test.each([
  ['{', '1: it is no JSON'],
  ['{"ignition":{"version":"3.9"}}', '1: ignition.version: "3.9" is not a version of Ignition'],
  [
    ignition({ storage: { files: [{ path: 'a' }] } }),
    '1: storage.files[0].path: "a" is not an absolute',
  ],
  [
    ignition({ storage: { files: [{ path: '/a' }, { path: '/a' }] } }),
    '1: storage.files[1].path: "/a" is there twice',
  ],
  [
    ignition({ systemd: { units: [{ name: 'a.service', contents: '[Service]\nExecStart' }] } }),
    '1: systemd.units[0].contents (a.service): its line 2 is not NAME=VALUE, and no section: "ExecStart"',
  ],
])('Ignition %s', (text, fault) => {
  expect(faultsOf(text)).toEqual([expect.stringContaining(fault)]);
});

test('what Ignition ignores is a warning', () => {
  const early =
    '{"ignition":{"version":"3.2.0"},\n"kernelArguments":{"shouldExist":["a"]},\n"unit":1}';
  expect(check(early)).toMatchObject({
    kind: 'Ignition 3.2.0',
    faults: [],
    warnings: [
      { line: 2, sentence: 'kernelArguments is known since 3.3.0, and ignored by 3.2.0' },
      { line: 3, sentence: expect.stringContaining('unit is not a field') },
    ],
  });
  const units = [{ name: 'a.service', enabled: true, contents: '[Service]\nExecStart=/a' }];
  const [warning] = check(ignition({ systemd: { units } })).warnings;
  expect(warning?.sentence).toContain('a.service is enabled and has no section [Install]');
});

test('packed by gzip, and in parts, it is the same; lines are those of the whole', () => {
  const text = '#cloud-config\nntp: 3\n';
  const packed = checkUserData(gzipSync(text));
  expect(packed.kind).toBe('cloud-config, packed by gzip');
  expect(packed.faults).toMatchObject([{ line: 2 }]);
  const parts = `Content-Type: multipart/mixed; boundary=A\n\n--A\nContent-Type: text/cloud-config\n\n${text}--A--\n`;
  expect(faultsOf(parts)).toEqual(['7: part 1: ntp: 3 is not an object, or nothing']);
});

test.each([
  ['#!/bin/sh\n', 'a script'],
  ['## template: jinja\n#cloud-config\n{{', 'a template of Jinja'],
  ['#include\nhttps://example.com/a\n', 'addresses'],
  ['#cloud-boothook\n', 'boothook'],
  ['#cloud-config-jsonp\n', 'jsonp'],
  ['#part-handler\n', 'part-handler'],
])('%j is named, and not checked', (text, kind) => {
  expect(check(text)).toMatchObject({ kind: expect.stringContaining(kind), faults: [] });
});

test('a beginning that nothing knows is a fault', () => {
  expect(faultsOf('packages: []\n')[0]).toContain('with #cloud-config, #!');
});

test.each([
  ['an alias without an anchor', '#cloud-config\nhostname: *a\n'],
  [
    'aliases that stand for very much',
    `#cloud-config\na: &a [${'x,'.repeat(99)}]\nb: &b [${'*a,'.repeat(99)}]\nc: [${'*b,'.repeat(99)}]\n`,
  ],
  ['a tag that is not known', '#cloud-config\nhostname: !python/object:a b\n'],
  ['very deep nesting', `{"ignition":${'['.repeat(200_000)}`],
  ['very deep nesting that is closed', `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
])('%s is a fault', (_what, text) => {
  expect(check(text).faults).not.toEqual([]);
});
