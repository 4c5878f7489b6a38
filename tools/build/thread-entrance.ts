import type { Plugin } from 'rolldown';

const written = "'lean-thread.ts'";
const built = "'lean-thread.js'";

/** A thread starts in a file, whose name is a text and no import that a bundler would see. */
export const entranceOfThread: Plugin = {
  name: 'entrance-of-thread',
  transform: {
    filter: { id: /lean-creator\.ts$/ },
    handler: (code) => ({ code: entranceIn(code), map: null }),
  },
};

/** Names the built file. Throws when the code does not name the source. */
export function entranceIn(code: string): string {
  if (!code.includes(written)) throw new Error(`lean-creator.ts no longer names ${written}`);
  return code.replace(written, built);
}
