/** `notes.ts TAG`: prints the notes of a release. */
import { readFileSync } from 'node:fs';
import { sectionOf } from './changelog.ts';

const root = new URL('../../', import.meta.url);

/**
 * @param version Without the `v`.
 * @param changelog The text of CHANGELOG.md.
 * @param supported The text of docs/supported-versions.md.
 */
export function notesOf(version: string, changelog: string, supported: string): string {
  const changes = sectionOf(changelog, version);
  if (changes === undefined) throw new Error(`CHANGELOG.md has no section of ${version}`);
  const table = supported.match(/^\|.*\n(?:\|.*\n)+/m)?.[0];
  if (table === undefined) throw new Error('docs/supported-versions.md has no table');
  return `${changes}\n\n## Supported versions\n\n${table}\n${checking}`;
}

const checking = `## Check what you got

The image, the chart and the npm package are signed by the CI run that built them; docs/releasing.md
says how to check that. SHA256SUMS has the checksums of the files here, and sbom.cdx.json names the
npm packages in the image.
`;

if (import.meta.main) {
  const [tag = ''] = process.argv.slice(2);
  const read = (name: string): string => readFileSync(new URL(name, root), 'utf8');
  const version = tag.replace(/^v/, '');
  process.stdout.write(notesOf(version, read('CHANGELOG.md'), read('docs/supported-versions.md')));
}
