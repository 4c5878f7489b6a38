/** Values of the class's Secret in what a driver says. */

/** Shorter ones stand in many texts by chance. */
const shortestSecret = 6;

/** Keys of the Secret whose values stand in one of the texts, plainly or in base64. */
export function leakedKeys(secret: Record<string, string>, texts: readonly string[]): string[] {
  const leaked = spellings(secret).filter(([, value]) =>
    texts.some((text) => text.includes(value)),
  );
  return [...new Set(leaked.map(([key]) => key))];
}

/** Words that a driver should not have said must not stand in the report either. */
export function withoutSecrets(text: string, secret: Record<string, string>): string {
  return spellings(secret).reduce(
    (rest, [key, value]) => rest.replaceAll(value, `<value of ${key}>`),
    text,
  );
}

/** The longest first: one that is part of another must not save the rest of that. */
function spellings(secret: Record<string, string>): [string, string][] {
  return Object.entries(secret)
    .filter(([, value]) => value.length >= shortestSecret)
    .flatMap(([key, value]): [string, string][] => [
      [key, value],
      [key, Buffer.from(value).toString('base64')],
      // As it stands in a report, where answers are JSON.
      [key, JSON.stringify(value).slice(1, -1)],
    ])
    .toSorted(([, a], [, b]) => b.length - a.length);
}
