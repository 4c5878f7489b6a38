import { gzipSync } from 'node:zlib';
import { fillUserData, wantsBootstrapToken } from '../../../activities/machine-class/user-data.ts';

const values = { machineName: 'pool-a', bootstrapToken: 'abc.d+f' };

test.each([
  {
    name: 'literal places',
    text: 'a <<BOOTSTRAP_TOKEN>> <<MACHINE_NAME>>',
    filled: 'a abc.d+f pool-a',
  },
  { name: 'escaped places', text: 'a=%3C%3CBOOTSTRAP_TOKEN%3E%3E', filled: 'a=abc.d%2Bf' },
  {
    name: 'never both in one document',
    text: '<<BOOTSTRAP_TOKEN>> %3C%3CBOOTSTRAP_TOKEN%3E%3E',
    filled: 'abc.d+f %3C%3CBOOTSTRAP_TOKEN%3E%3E',
  },
  { name: 'all of one kind', text: '<<MACHINE_NAME>><<MACHINE_NAME>>', filled: 'pool-apool-a' },
  { name: 'none', text: 'plain', filled: 'plain' },
])('fills $name', ({ text, filled }) => {
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
