import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Answer } from '../command-line/answer.ts';
import { UsageError } from '../command-line/usage-error.ts';
import type { OutputOptions } from '../command-line/options.ts';

export interface RunbookOptions extends OutputOptions {
  /** Name of the page. Undefined: which there are. */
  name: string | undefined;
}

/** Beside what was built; else in the repository. */
function folder(): string {
  const built = fileURLToPath(new URL('runbooks', import.meta.url));
  return existsSync(built) ? built : fileURLToPath(new URL('../../docs/runbooks', import.meta.url));
}

export function runbook({ name }: RunbookOptions): Answer {
  const files = readdirSync(folder()).filter((file) => file !== 'README.md');
  const names = files.map((file) => file.replace(/\.md$/, '')).toSorted();
  if (name === undefined) {
    const titles = names.map((one) => pageOf(one).split('\n', 1)[0]?.replace(/^# /, '') ?? one);
    return { text: titles.join('\n'), data: { names }, names };
  }
  if (!names.includes(name)) {
    throw new UsageError(`There is no runbook ${JSON.stringify(name)}: ${names.join(', ')}`);
  }
  const page = pageOf(name);
  return { text: page.trimEnd(), data: { name, page }, names: [name] };
}

const pageOf = (name: string): string => readFileSync(`${folder()}/${name}.md`, 'utf8');
