/**
 * `npm run licences`: writes NOTICE, which names the licence of each package that the image
 * contains, and fails on a licence that nobody looked at.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
export const noticeFile = new URL('NOTICE', root);

/** Licences that ask for no more than their text beside the copy. */
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

/** Packages of which each was looked at. */
export const exceptions: Readonly<Record<string, { licence: string; reason: string }>> = {
  argparse: {
    licence: 'PSF-2.0',
    reason: 'of Python, from which its code comes; asks for its text beside the copy, no more',
  },
  'caniuse-lite': {
    licence: 'CC-BY-4.0',
    reason: 'data that is passed on unchanged, and NOTICE names where it is from',
  },
  unionfs: {
    licence: 'Unlicense',
    reason: 'its package.json names no licence; its file LICENSE is the Unlicense',
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

export interface Licence {
  name: string;
  version: string;
  licence: string;
}

export interface Licences {
  packages: readonly Licence[];
  /** A sentence for each package whose licence nobody looked at. */
  faults: readonly string[];
}

/** @param locked The packages of a lock file, by their path. */
export function licencesIn(locked: Readonly<Record<string, Locked>>): Licences {
  const found = new Map<string, Licence>();
  for (const [path, { version, license, dev = false }] of Object.entries(locked)) {
    const name = path.replace(/^.*node_modules\//, '');
    if (path === '' || dev) continue;
    const licence = license ?? exceptions[name]?.licence ?? 'none';
    found.set(`${name} ${version}`, { name, version, licence });
  }
  const packages = [...found.values()].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return { packages, faults: packages.filter((one) => !isKnown(one)).map(faultOf) };
}

function keyOf({ licence, name, version }: Licence): string {
  return [licence, name, version].join('\n');
}

function isKnown({ name, licence }: Licence): boolean {
  if (exceptions[name]?.licence === licence) return true;
  return licence.split(' AND ').every((part) => allowed.includes(part));
}

function faultOf({ name, version, licence }: Licence): string {
  return `${name} ${version}: licence ${licence} is not one of ${allowed.join(', ')}, and no exception names it`;
}

export function noticeFor(packages: readonly Licence[]): string {
  const licences = [...new Set(packages.map(({ licence }) => licence))];
  const sections = licences.map((licence) => {
    const names = packages.filter((one) => one.licence === licence);
    return [`${licence}:`, ...names.map(({ name, version }) => `  ${name} ${version}`)].join('\n');
  });
  return `${[heading, ...sections].join('\n\n')}\n`;
}

const heading = `Millwright
Copyright 2026 The Millwright authors
Licensed under the Apache License 2.0, in the file LICENSE.

The container image contains, each under its own licence: a base image of Debian (texts in
/usr/share/doc), Node.js (/usr/local/LICENSE), certificates of Mozilla (MPL-2.0), and the npm packages
below. Each of them keeps its own licence file, if it has one, in its folder below /app/node_modules.
The npm package of the command has a NOTICE of its own, with the texts of what is bundled in it.

This list is made from package-lock.json by "npm run licences".`;

export function lockedPackages(): Record<string, Locked> {
  return JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8')).packages;
}

if (import.meta.main) {
  const { packages, faults } = licencesIn(lockedPackages());
  writeFileSync(noticeFile, noticeFor(packages));
  if (faults.length > 0) {
    console.error(faults.join('\n'));
    process.exit(1);
  }
  console.log(`NOTICE names ${packages.length} packages, whose licences were all looked at`);
}
