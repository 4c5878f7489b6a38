/**
 * `npm run sbom -- FILE`: writes the npm packages that the image contains, for both platforms, as a
 * CycloneDX document.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { lockedPackages, type Locked } from './licenses.ts';

export interface Sbom {
  bomFormat: string;
  metadata: { component: SbomComponent };
  components: readonly SbomComponent[];
  dependencies: readonly { ref: string; dependsOn: readonly string[] }[];
}

interface SbomComponent {
  'bom-ref': string;
  type: string;
  name: string;
  version: string;
  purl: string;
}

/**
 * All packages of the lock file, by npm, and then those of the image. With `--omit=dev` npm 11 also
 * leaves out what a development dependency needs too, which is half of them.
 */
export function makeSbom(): Sbom {
  const words = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'];
  const printed = execFileSync('npm', words, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return ofTheImage(JSON.parse(printed), lockedPackages());
}

/** @param locked The packages of the lock file, by their path. */
function ofTheImage(sbom: Sbom, locked: Readonly<Record<string, Locked>>): Sbom {
  const wanted = new Set(
    Object.entries(locked)
      .filter(([path, entry]) => path !== '' && entry.dev !== true && isForImage(entry))
      .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`),
  );
  // `pkg:npm/%40scope/name@1.0.0` is `@scope/name@1.0.0`.
  const components = sbom.components.filter(({ purl }) =>
    wanted.has(decodeURIComponent(purl.slice('pkg:npm/'.length))),
  );
  const refs = new Set(components.map((component) => component['bom-ref']));
  // npm names it after the folder that it lies in.
  const component = { ...sbom.metadata.component, name: 'millwright', type: 'application' };
  const dependencies = sbom.dependencies
    .filter(({ ref }) => refs.has(ref) || ref === component['bom-ref'])
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((id) => refs.has(id)) }));
  return { ...sbom, metadata: { ...sbom.metadata, component }, components, dependencies };
}

function isForImage({ os, cpu, libc }: Locked): boolean {
  return isOne(os, 'linux') && isOne(cpu, 'x64', 'arm64') && isOne(libc, 'glibc');
}

function isOne(given: readonly string[] | undefined, ...ours: readonly string[]): boolean {
  return given === undefined || ours.some((name) => given.includes(name));
}

if (import.meta.main) {
  const [file] = process.argv.slice(2);
  if (file === undefined) {
    console.error('Usage: npm run sbom -- FILE');
    process.exit(2);
  }
  const sbom = makeSbom();
  writeFileSync(file, `${JSON.stringify(sbom, undefined, 2)}\n`);
  console.log(`${file} names ${sbom.components.length} packages`);
}
