/** Which test files there are. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from '../../deploy/local/layout.ts';

export const projects = ['unit', 'e2e'] as const;
export type Project = (typeof projects)[number];

/** Those whose path matches the regular expression without regard to case, or all. */
export async function testFilesOf(project: Project, pattern = ''): Promise<string[]> {
  const wanted = new RegExp(pattern, 'i');
  const names = await readdir(join(repository, 'test'), { recursive: true });
  return names
    .map((name) => join(repository, 'test', name))
    .filter((path) => path.endsWith('.test.ts') && projectOf(path) === project)
    .filter((path) => wanted.test(path))
    .toSorted();
}

export function isEndToEnd(path: string): boolean {
  return path.startsWith(join(repository, 'test', 'e2e/'));
}

function projectOf(path: string): Project | undefined {
  if (isEndToEnd(path)) return 'e2e';
  return path.startsWith(join(repository, 'test', 'bench/')) ? undefined : 'unit';
}
