/**
 * Section of CHANGELOG.md on a version, without its heading. Undefined when there is no such
 * section with a date, or nothing in it.
 */
export function sectionOf(changelog: string, version: string): string | undefined {
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`[${version}] - `));
  const [heading = '', ...lines] = section?.split('\n') ?? [];
  if (!/ - \d{4}-\d\d-\d\d$/.test(heading)) return undefined;
  const text = lines.join('\n').trim();
  return text === '' ? undefined : text;
}

/** Versions with a section and a date, the newest first. */
export function releasesIn(changelog: string): string[] {
  return [...changelog.matchAll(/^## \[([^\]]+)\] - \d{4}-\d\d-\d\d$/gm)].map(
    ([, version = '']) => version,
  );
}
