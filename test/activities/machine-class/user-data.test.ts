import { gzipSync } from 'node:zlib';
import { fillUserData, wantsBootstrapToken } from '../../../activities/machine-class/user-data.ts';

const values = { machineName: 'pool-a', bootstrapToken: 'abc.d+f' };

test.each([
  ['literal places', 'a <<BOOTSTRAP_TOKEN>> <<MACHINE_NAME>>', 'a abc.d+f pool-a'],
  ['escaped places', 'a=%3C%3CBOOTSTRAP_TOKEN%3E%3E', 'a=abc.d%2Bf'],
  [
    'never both in one document',
    '<<BOOTSTRAP_TOKEN>> %3C%3CBOOTSTRAP_TOKEN%3E%3E',
    'abc.d+f %3C%3CBOOTSTRAP_TOKEN%3E%3E',
  ],
  ['all of one kind', '<<MACHINE_NAME>><<MACHINE_NAME>>', 'pool-apool-a'],
  ['none', 'plain', 'plain'],
])('fills %s', (_name, text, filled) => {
  expect(fillUserData(text, values)).toBe(filled);
});

test('a value is never read as a pattern', () => {
  expect(fillUserData('<<MACHINE_NAME>>', { machineName: '$&' })).toBe('$&');
});

test('bytes that are not UTF-8 stay as they are, beside the places', () => {
  const packed = gzipSync('#cloud-config');
  expect(fillUserData(packed, values)).toEqual(packed);
  const mixed = Buffer.concat([packed, Buffer.from('<<MACHINE_NAME>>')]);
  expect(fillUserData(mixed, values)).toEqual(Buffer.concat([packed, Buffer.from('pool-a')]));
  expect(
    [packed, Buffer.from([255, ...Buffer.from('<<BOOTSTRAP_TOKEN>>')])].map(wantsBootstrapToken),
  ).toEqual([false, true]);
});

test('a token is wanted in either spelling', () => {
  const texts = ['<<BOOTSTRAP_TOKEN>>', '%3C%3CBOOTSTRAP_TOKEN%3E%3E', '<<MACHINE_NAME>>'];
  expect(texts.map(wantsBootstrapToken)).toEqual([true, true, false]);
});
