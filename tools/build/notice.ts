/** What the licenses of bundled packages ask for: their names and texts go with the copy. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest } from './folders.ts';

const heading = `Millwright
Copyright 2026 The Millwright authors
Apache License 2.0, in the file LICENSE.

This package contains the code of the packages below, under these licenses.
`;

/** @param folders Of the packages. Throws when one of them has no license text. */
export async function noticeOf(folders: readonly string[]): Promise<string> {
  const sections = await Promise.all(folders.map(sectionOf));
  return [heading, ...sections].join(`\n${'-'.repeat(80)}\n\n`);
}

async function sectionOf(folder: string): Promise<string> {
  const { name, version, license }: Manifest = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  );
  const files = (await readdir(folder)).filter((file) => /^(?:licen[cs]e|notice)/i.test(file));
  if (files.length === 0) throw new Error(`${name} ${version} has no file with its license`);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return `${name} ${version}: ${license}\n\n${texts.map((text) => text.trim()).join('\n\n')}\n`;
}
