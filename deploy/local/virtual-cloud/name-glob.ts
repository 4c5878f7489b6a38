/**
 * Does the whole name match the pattern? `*` stands for any characters, `?` for one; all others for
 * themselves.
 */
export function matchesGlob(name: string, pattern: string): boolean {
  return expressionOf(pattern).test(name);
}

function expressionOf(pattern: string): RegExp {
  const source = pattern
    .replaceAll(/[\\^$.|+()[\]{}]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's');
}
