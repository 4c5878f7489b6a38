/** `check.ts TAG`: does what is about to be released say the same version everywhere? */
import { readFileSync } from 'node:fs';
import { licensesIn, lockedPackages, noticeFile, noticeFor } from '../supply-chain/licenses.ts';
import { sectionOf } from './changelog.ts';
import { hasRecordings } from './recordings.ts';

const root = new URL('../../', import.meta.url);

export interface Tree {
  /** Version in package.json. */
  version: string;
  changelog: string;
  /** The texts of NOTICE, as it is and as it should be. */
  notice: string;
  wantedNotice: string;
  /** The recorded histories are kept as those of the tag. */
  isRecorded: boolean;
  /** Base images of deploy/Dockerfile. */
  bases: readonly string[];
}

/** A sentence for each fault; empty when the tag may be released. */
export function faultsOf(
  tag: string,
  { version, changelog, notice, wantedNotice, isRecorded, bases }: Tree,
): string[] {
  const faults: string[] = [];
  if (tag !== `v${version}`) faults.push(`tag ${tag}: package.json has version ${version}`);
  if (sectionOf(changelog, version) === undefined)
    faults.push(`CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD" with text in it`);
  if (notice !== wantedNotice) faults.push('NOTICE is out of date: run "npm run licenses"');
  if (!isRecorded)
    faults.push(
      `test/replay/${tag} has not all histories of the present code: run "npm run release -- ${tag}"`,
    );
  if (bases.length === 0) faults.push('deploy/Dockerfile has no line ARG ..._IMAGE=...');
  for (const base of bases.filter((one) => !/:[^@:]+@sha256:[0-9a-f]{64}$/.test(one)))
    faults.push(
      `deploy/Dockerfile begins with ${base}, which is no TAG@sha256:DIGEST: docs/releasing.md says how to find it`,
    );
  return faults;
}

export function basesIn(dockerfile: string): string[] {
  return [...dockerfile.matchAll(/^ARG \w+_IMAGE=(.*)$/gm)].map(([, base = '']) => base);
}

function read(name: string): string {
  return readFileSync(new URL(name, root), 'utf8');
}

function readTree(tag: string): Tree {
  const { version }: { version: string } = JSON.parse(read('package.json'));
  const { packages, faults } = licensesIn(lockedPackages());
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return {
    version,
    changelog: read('CHANGELOG.md'),
    notice: readFileSync(noticeFile, 'utf8'),
    wantedNotice: noticeFor(packages),
    isRecorded: hasRecordings(tag),
    bases: basesIn(read('deploy/Dockerfile')),
  };
}

if (import.meta.main) {
  const [tag = ''] = process.argv.slice(2);
  const faults = faultsOf(tag, readTree(tag));
  if (faults.length > 0) {
    console.error(faults.join('\n'));
    process.exit(1);
  }
  console.log(`${tag} may be released`);
}
