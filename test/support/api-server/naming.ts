/** What the API server makes up: names, UIDs and times. */

/** Longer beginnings of a name are cut. */
const longestBeginning = 58;
const characters = 'bcdfghjklmnpqrstvwxz2456789';

/** A name that begins so; another one for each version of the store. */
export function generatedName(beginning: string, version: number): string {
  const digits = [0, 1, 2, 3, 4].map(
    (place) => Math.floor(version / characters.length ** place) % characters.length,
  );
  const suffix = digits.map((digit) => characters[digit]).join('');
  return beginning.slice(0, longestBeginning) + suffix;
}

export interface Clock {
  /** The present, as an object says when it was created. */
  nextTime(): string;
  /** Milliseconds since 1970. */
  now(): number;
}

/**
 * In whole seconds as a real server, or so that no two objects are of one millisecond: which of
 * them is older is not left to chance then.
 */
export function createClock(now: () => number, inWholeSeconds: boolean): Clock {
  let latest = 0;
  return {
    now,
    nextTime() {
      if (inWholeSeconds) return secondOf(now());
      latest = Math.max(now(), latest + 1);
      return new Date(latest).toISOString();
    },
  };
}

/** The second that a moment lies in. `ms`: since 1970. */
export function secondOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
