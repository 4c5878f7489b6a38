import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { repository } from '../../deploy/local/layout.ts';
import { slowestFirst } from './slowest-first.ts';
import slowest from './slowest.json' with { type: 'json' };

const fileOf = (name: string) => ({ path: join(repository, 'test/e2e', name) });

describe('the order of the test files', () => {
  test('begins with the slowest, and leaves the others as they are', () => {
    const [first = '', second = ''] = slowest;
    const given = ['b.test.ts', second, 'a.test.ts', first].map(fileOf);
    const sorted = [first, second, 'b.test.ts', 'a.test.ts'].map(fileOf);
    expect(slowestFirst(given)).toEqual(sorted);
  });

  test.each(slowest)('names %s, which is there', (name) => {
    expect(existsSync(fileOf(name).path)).toBe(true);
  });
});
