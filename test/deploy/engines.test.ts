/**
 * `engines` in package.json is what is needed of the machine's own Node: the command runs there,
 * and deploy/local/bootstrap.mjs. All else runs on the Node that is one of the packages.
 */
import { readFile } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';

interface Package {
  engines?: { node?: string };
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
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
const processes = versionIn(own.devDependencies?.['node'] ?? '');
const machines = own.engines?.node?.replace('>=', '') ?? '';

describe('the Node among the packages', () => {
  test.each(Object.keys(own.dependencies ?? {}))('is allowed by %s', async (name) => {
    const { engines } = await packageIn(`node_modules/${name}/`);
    expect(allows(engines?.node ?? '', processes)).toBe(true);
  });

  test('runs TypeScript as it is, without a flag (Node 22.18)', () => {
    expect(isAtLeast(processes, [22, 18])).toBe(true);
  });
});

describe("the machine's own Node", () => {
  test.each([
    'README.md',
    'CONTRIBUTING.md',
    'cli/README.md',
    'docs/running-in-a-cluster.md',
    'docs/supported-versions.md',
  ])('is as new in %s as in package.json', async (page) => {
    const text = await readFile(join(repository, page), 'utf8');
    const named = text.matchAll(/Node\.js (?:.*\| )?(\d+\.\d+) or\s+newer/g);
    const versions = [...named].map(([, version]) => version);
    expect(versions.length).toBeGreaterThan(0);
    expect(new Set(versions)).toEqual(new Set([machines]));
  });

  test('is refused by the npm scripts where it is older', () => {
    const older = `Object.defineProperty(process.versions, 'node', { value: '20.18.3' });`;
    const { stderr, status } = spawnSync(
      process.execPath,
      [
        `--import=data:text/javascript,${encodeURIComponent(older)}`,
        join(repository, 'deploy/local/bootstrap.mjs'),
        'none.ts',
      ],
      { encoding: 'utf8' },
    );
    expect(stderr).toBe(`Node 20.18.3 is too old: version ${machines} or newer is needed.\n`);
    expect(status).toBe(1);
  });
});
