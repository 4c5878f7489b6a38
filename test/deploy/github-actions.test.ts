/** What CI runs of others is named by what it is, not by a tag, which its owner can move. */
import { readdir, readFile } from 'node:fs/promises';

const folder = new URL('../../.github/workflows/', import.meta.url);

test.each(await readdir(folder))(
  '%s names each action by its commit, and its version',
  async (file) => {
    const text = await readFile(new URL(file, folder), 'utf8');
    for (const [line] of text.matchAll(/^.*\buses:.*$/gm)) {
      expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/);
    }
  },
);
