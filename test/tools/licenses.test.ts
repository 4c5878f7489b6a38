import { readFileSync } from 'node:fs';
import {
  exceptions,
  licensesIn,
  lockedPackages,
  noticeFile,
  noticeFor,
} from '../../tools/supply-chain/licenses.ts';

test('each package of the image has an accepted license, and NOTICE names it', () => {
  const { packages, faults } = licensesIn(lockedPackages());
  expect(faults).toEqual([]);
  expect(readFileSync(noticeFile, 'utf8')).toBe(noticeFor(packages));
});

test('each exception is needed', () => {
  const { packages } = licensesIn(lockedPackages());
  const used = packages.map(({ name, license }) => `${name} ${license}`);
  const listed = Object.entries(exceptions).map(([name, { license }]) => `${name} ${license}`);
  expect(used).toEqual(expect.arrayContaining(listed));
});

test('another license, and none, are faults; what is for development is not asked', () => {
  const version = '1.0.0';
  const { packages, faults } = licensesIn({
    '': { version, license: 'Apache-2.0' },
    'node_modules/a': { version, license: 'GPL-3.0-only' },
    'node_modules/a/node_modules/@s/b': { version },
    'node_modules/c': { version, license: 'MIT AND Apache-2.0' },
    'node_modules/d': { version, license: 'GPL-3.0-only', dev: true },
  });
  expect(packages.map(({ name }) => name)).toEqual(['a', 'c', '@s/b']);
  expect(faults).toEqual([
    expect.stringMatching('^a 1.0.0: license GPL-3.0-only is not one of'),
    expect.stringMatching('^@s/b 1.0.0: license none is not one of'),
  ]);
});
