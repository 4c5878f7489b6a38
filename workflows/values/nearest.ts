import leven from 'leven';

/** More wrong letters are another word: of 5 letters one may be wrong, of more two. */
const wrongLettersMax = (name: string): number => (name.length <= 5 ? 1 : 2);

/** Longer words are no misspelt names, and comparing takes time. */
const longestWord = 64;

/** The name that was probably meant by a word that is none, in any case. */
export function nearestOf(word: string, names: readonly string[]): string | undefined {
  if (word.length > longestWord) return undefined;
  return names
    .map((name) => ({ name, wrong: leven(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, wrong }) => wrong <= wrongLettersMax(name))
    .toSorted((a, b) => a.wrong - b.wrong)[0]?.name;
}
