import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';
import durations from './durations.json' with { type: 'json' };
import { slowestFirst } from './slowest-first.ts';

const fileOf = (path: string) => ({ path: join(repository, path) });

describe('the order of the test files', () => {
  test('begins with the slowest, and leaves the others as they are', () => {
    const [first = '', second = ''] = Object.keys(durations);
    const given = ['test/b.test.ts', second, 'test/a.test.ts', first].map(fileOf);
    const sorted = [first, second, 'test/b.test.ts', 'test/a.test.ts'].map(fileOf);
    expect(slowestFirst(given)).toEqual(sorted);
  });

  test.each(Object.keys(durations))('knows how long %s took, which is there', (path) => {
    expect(existsSync(fileOf(path).path)).toBe(true);
  });
});
