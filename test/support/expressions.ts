/** All regular expressions of the source, and how their cost grows with the text. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from '@swc/core';
import { repository } from '../../deploy/local/layout.ts';

export interface Expression {
  /** `file: /pattern/flags`. */
  name: string;
  pattern: RegExp;
}

/** Folders whose code reads what users, clouds and API servers write. */
const folders = ['workflows', 'kube', 'activities', 'watcher', 'workers', 'cli'];

export async function expressionsInSource(): Promise<Expression[]> {
  const files = await Promise.all(folders.map(filesIn));
  const found = await Promise.all(files.flat().map(expressionsIn));
  return found.flat();
}

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(join(repository, folder), { recursive: true });
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name));
}

async function expressionsIn(file: string): Promise<Expression[]> {
  const code = await readFile(join(repository, file), 'utf8');
  const found: Expression[] = [];
  collect(await parse(code, { syntax: 'typescript', target: 'es2023' }), (pattern, flags) => {
    found.push({ name: `${file}: /${pattern}/${flags}`, pattern: new RegExp(pattern, flags) });
  });
  return found;
}

function collect(node: unknown, take: (pattern: string, flags: string) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if ('type' in node && node.type === 'RegExpLiteral' && 'pattern' in node && 'flags' in node) {
    take(String(node.pattern), String(node.flags));
    return;
  }
  for (const part of Object.values(node)) collect(part, take);
}

/** What attackers repeat: digits and separators of all that is parsed here, alone and in turn. */
const repeated = [
  '0',
  '1',
  'a',
  'A',
  '-',
  '.',
  '/',
  ' ',
  '\n',
  '_',
  ':',
  '=',
  '1.',
  '.1',
  '-1',
  'a-',
  'a.',
  '1h',
  ' a',
  '{{',
];
const beginnings = ['', '-', '/', 'a'];
/** The last one makes most expressions fail at the very end. */
const endings = ['', '!'];

/** Texts of the same form; `length` in characters. */
export const textForms: readonly { form: string; textOf(length: number): string }[] =
  beginnings.flatMap((beginning) =>
    repeated.flatMap((part) =>
      endings.map((ending) => ({
        form: JSON.stringify([beginning, part, ending]),
        textOf: (length: number) =>
          beginning + part.repeat(Math.ceil(length / part.length)) + ending,
      })),
    ),
  );

/**
 * 16 times the text costs 16 times as much where the cost is linear, and 256 times where it grows
 * with the square. In between lie the memory that a long text takes and the noise of the machine.
 */
const growthMax = 80;
/** For 32 KiB a linear expression takes some 0.1 ms, a quadratic one some 100 ms. */
const suspiciousMs = 1;
/**
 * Processor time of this thread: other programs take none of it, and little of the quickest run.
 */
const runs = 3;

/** How many times more 16 times the text costs, if that is too much. */
export function excessiveGrowth(
  run: (text: string) => void,
  textOf: (length: number) => string,
): number | undefined {
  const screened = textOf(32 * 1024);
  if (leastMs(() => run(screened), runs) < suspiciousMs) return undefined;
  // The short text first: 256 KiB take minutes where the cost grows with the square.
  for (const size of [1024, 16 * 1024]) {
    const growth = growthFrom(size, run, textOf);
    if (growth > growthMax) return growth;
  }
  return undefined;
}

function growthFrom(
  size: number,
  run: (text: string) => void,
  textOf: (length: number) => string,
): number {
  const [small, large] = [textOf(size), textOf(16 * size)];
  return (
    leastMs(() => run(large), runs) /
    Math.max(
      leastMs(() => run(small), runs),
      0.02,
    )
  );
}

function leastMs(run: () => void, times: number): number {
  let least = Infinity;
  for (let index = 0; index < times; index += 1) {
    const before = process.threadCpuUsage();
    run();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}
