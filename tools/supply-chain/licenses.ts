/**
 * `npm run licenses`: writes NOTICE, which names the license of each package that the image
 * contains, and fails on a license that is neither allowed nor an exception.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
export const noticeFile = new URL('NOTICE', root);

/** Licenses that ask for no more than their text beside the copy. */
export const allowed: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'Unlicense',
];

/** Packages that a person has checked one by one. */
export const exceptions: Readonly<Record<string, { license: string; reason: string }>> = {
  '@darabonba/typescript': {
    license: 'Apache License 2.0',
    reason: 'Apache-2.0, in words that are not those of SPDX',
  },
  argparse: {
    license: 'PSF-2.0',
    reason: 'of Python, from which its code comes; asks for its text beside the copy, no more',
  },
  'caniuse-lite': {
    license: 'CC-BY-4.0',
    reason: 'data that is passed on unchanged, and NOTICE names where it is from',
  },
  unionfs: {
    license: 'Unlicense',
    reason: 'its package.json names no license; its file LICENSE is the Unlicense',
  },
};

export interface Locked {
  version: string;
  license?: string;
  dev?: boolean;
  os?: readonly string[];
  cpu?: readonly string[];
  libc?: readonly string[];
}

export interface License {
  name: string;
  version: string;
  license: string;
}

export interface Licenses {
  packages: readonly License[];
  /** A sentence for each package whose license is not accepted. */
  faults: readonly string[];
}

/** @param locked The packages of a lock file, by their path. */
export function licensesIn(locked: Readonly<Record<string, Locked>>): Licenses {
  const found = new Map<string, License>();
  for (const [path, { version, license: stated, dev = false }] of Object.entries(locked)) {
    const name = path.replace(/^.*node_modules\//, '');
    if (path === '' || dev) continue;
    const license = stated ?? exceptions[name]?.license ?? 'none';
    found.set(`${name} ${version}`, { name, version, license });
  }
  const packages = [...found.values()].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return { packages, faults: packages.filter((one) => !isKnown(one)).map(faultOf) };
}

function keyOf({ license, name, version }: License): string {
  return [license, name, version].join('\n');
}

function isKnown({ name, license }: License): boolean {
  if (exceptions[name]?.license === license) return true;
  return license.split(' AND ').every((part) => allowed.includes(part));
}

function faultOf({ name, version, license }: License): string {
  return `${name} ${version}: license ${license} is not one of ${allowed.join(', ')}, and no exception names it`;
}

export function noticeFor(packages: readonly License[]): string {
  const licenses = [...new Set(packages.map(({ license }) => license))];
  const sections = licenses.map((license) => {
    const names = packages.filter((one) => one.license === license);
    return [`${license}:`, ...names.map(({ name, version }) => `  ${name} ${version}`)].join('\n');
  });
  return `${[heading, ...sections].join('\n\n')}\n`;
}

const heading = `Millwright
Copyright 2026 The Millwright authors
Under the Apache License 2.0, in the file LICENSE.

The container image contains, each under its own license: a base image of Debian (texts in
/usr/share/doc), Node.js (/usr/local/LICENSE), certificates of Mozilla (MPL-2.0), and the npm packages
below. Each of them keeps its own license file, if it has one, in its folder below /app/node_modules.
The npm package of the command has a NOTICE of its own, with the texts of what is bundled in it.

This list is made from package-lock.json by "npm run licenses".`;

export function lockedPackages(): Record<string, Locked> {
  return JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')).packages;
}

if (import.meta.main) {
  const { packages, faults } = licensesIn(lockedPackages());
  writeFileSync(noticeFile, noticeFor(packages));
  if (faults.length > 0) {
    console.error(faults.join('\n'));
    process.exit(1);
  }
  console.log(`NOTICE names ${packages.length} packages, all with accepted licenses`);
}
