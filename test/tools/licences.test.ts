import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  exceptions,
  licencesIn,
  lockedPackages,
  noticeFile,
  noticeFor,
} from '../../tools/supply-chain/licences.ts';

test('each package of the image has a licence that somebody looked at, and NOTICE names it', () => {
  const { packages, faults } = licencesIn(lockedPackages());
  expect(faults).toEqual([]);
  expect(readFileSync(noticeFile, 'utf8')).toBe(noticeFor(packages));
});

test('each exception is needed', () => {
  const { packages } = licencesIn(lockedPackages());
  const used = packages.map(({ name, licence }) => `${name} ${licence}`);
  const listed = Object.entries(exceptions).map(([name, { licence }]) => `${name} ${licence}`);
  expect(used).toEqual(expect.arrayContaining(listed));
});

test('another licence, and none, are faults; what is for development is not asked', () => {
  const version = '1.0.0';
  const { packages, faults } = licencesIn({
    '': { version, license: 'Apache-2.0' },
    'node_modules/a': { version, license: 'GPL-3.0-only' },
    'node_modules/a/node_modules/@s/b': { version },
    'node_modules/c': { version, license: 'MIT AND Apache-2.0' },
    'node_modules/d': { version, license: 'GPL-3.0-only', dev: true },
  });
  expect(packages.map(({ name }) => name)).toEqual(['a', 'c', '@s/b']);
  expect(faults).toEqual([
    expect.stringMatching('^a 1.0.0: licence GPL-3.0-only is not one of'),
    expect.stringMatching('^@s/b 1.0.0: licence none is not one of'),
  ]);
});
