import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { transcriptOf } from '../../../../support/simulate.ts';
import { stories } from './transcripts.ts';

const golden = new URL('golden/', import.meta.url);

test.each(stories)(
  'the rollout $name goes as its golden file says',
  async ({ name, cluster, happenings }) => {
    const file = new URL(`${name}.txt`, golden);
    const transcript = transcriptOf(cluster, happenings);
    if (process.env['UPDATE_GOLDEN'] === '1') {
      await mkdir(golden, { recursive: true });
      await writeFile(file, transcript);
    }
    expect(transcript).toBe(await readFile(file, 'utf8'));
  },
);

test('there is no golden file without a rollout', async () => {
  const known = stories.map(({ name }) => `${name}.txt`);
  expect((await readdir(golden)).toSorted()).toEqual(known.toSorted());
});
