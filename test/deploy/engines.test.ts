/**
 * `engines` in package.json says on which Node the programs run. The npm scripts need less of the
 * machine's own (20.19): deploy/local/bootstrap.mjs runs there, and runs everything else on the
 * Node 24 that is one of the dependencies.
 */
import { readFile } from 'node:fs/promises';

interface Package {
  engines?: { node?: string };
  dependencies?: Record<string, string>;
}

async function packageIn(folder: string): Promise<Package> {
  const file = new URL(`../../${folder}package.json`, import.meta.url);
  return JSON.parse(await readFile(file, 'utf8'));
}

type Version = [major: number, minor: number];

function versionIn(text: string): Version {
  const [, major = '0', minor = '0'] = /(\d+)(?:\.(\d+))?/.exec(text) ?? [];
  return [Number(major), Number(minor)];
}

function isAtLeast([major, minor]: Version, [otherMajor, otherMinor]: Version): boolean {
  return major > otherMajor || (major === otherMajor && minor >= otherMinor);
}

/** Of the forms that npm packages use for Node: `>=22.1`, `^20.19.0 || >=22.12.0`. */
function allows(range: string, version: Version): boolean {
  return range.split('||').some((part) => {
    const lowest = versionIn(part);
    const isSameMajor = !part.trim().startsWith('^') || lowest[0] === version[0];
    return isSameMajor && isAtLeast(version, lowest);
  });
}

const own = await packageIn('');
const lowest = versionIn(own.engines?.node ?? '');

describe('the oldest Node that package.json allows', () => {
  test.each(Object.keys(own.dependencies ?? {}))('is allowed by %s', async (name) => {
    const { engines } = await packageIn(`node_modules/${name}/`);
    expect(allows(engines?.node ?? '', lowest)).toBe(true);
  });

  test('runs TypeScript as it is, without a flag (Node 22.18)', () => {
    expect(isAtLeast(lowest, [22, 18])).toBe(true);
  });
});
