import type { Plugin } from 'rolldown';

/** Files that are loaded by their path: the source that names each, and the entrance that it is. */
const entrancesByPath = [
  { in: /lean-creator\.ts$/, name: 'lean-thread' },
  { in: /data-converter\.ts$/, name: 'failure-converter' },
] as const;

/** File of the entrance `failure-converter`. */
export const failureConverter = 'workers/payloads/failure-converter.ts';

/**
 * A thread starts in a file, and the SDK loads its failure converter from one: such a name is a
 * text and no import that a bundler would see.
 */
export const entrancesOfPaths: Plugin[] = entrancesByPath.map((entrance) => ({
  name: `entrance-${entrance.name}`,
  transform: {
    filter: { id: entrance.in },
    handler: (code) => ({ code: entranceIn(code, entrance.name), map: null }),
  },
}));

/** Names the built file. Throws when the code does not name the source. */
export function entranceIn(code: string, name: string): string {
  const written = `'${name}.ts'`;
  if (!code.includes(written)) throw new Error(`the code no longer names ${written}`);
  return code.replace(written, `'${name}.js'`);
}
