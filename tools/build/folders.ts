import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const parts = ['image', 'cli'] as const;
export type PartOfBuild = (typeof parts)[number];

export const repository = join(import.meta.dirname, '../..');

export interface Manifest {
  name: string;
  version: string;
  description: string;
  license: string;
  engines: Readonly<Record<string, string>>;
  dependencies: Readonly<Record<string, string>>;
}

export const manifest: Manifest = JSON.parse(
  readFileSync(join(repository, 'package.json'), 'utf8'),
);
