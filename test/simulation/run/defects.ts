/**
 * Known defects that are put back one at a time, each as edits of the present code: does the
 * simulator find them? Their list is in `test/simulation/defects/defects.json`.
 */
import { readFileSync } from 'node:fs';
import type { Copy } from '../../mutants/copy.ts';

export interface Edit {
  /** Path from the root of the repository. */
  file: string;
  /** Stands in the file exactly once. */
  from: string;
  to: string;
}

export interface Defect {
  /** E.g. `M7`. */
  id: string;
  /** What is so with the edits, and must not be. */
  title: string;
  /** In this order; of one file several may be. */
  edits: readonly Edit[];
}

export function readDefects(): readonly Defect[] {
  return JSON.parse(readFileSync(new URL('../defects/defects.json', import.meta.url), 'utf8'));
}

/** Throws an Error that names an id that no defect has. */
export function chosenDefects(all: readonly Defect[], only?: string): readonly Defect[] {
  if (only === undefined) return all;
  const ids = only.split(',');
  const unknown = ids.find((id) => all.every((defect) => defect.id !== id));
  if (unknown === undefined) return all.filter(({ id }) => ids.includes(id));
  throw new Error(`--only: "${unknown}" is not one of ${all.map(({ id }) => id).join(', ')}`);
}

/** Puts the defect into the copy while `body` runs. Throws when its edits do not fit. */
export async function withDefect<T>(
  copy: Copy,
  { id, edits }: Defect,
  body: () => Promise<T>,
): Promise<T> {
  const faults = await Promise.all(edits.map((edit) => copy.faultOf({ id, ...edit })));
  const fault = faults.find((one) => one !== undefined);
  if (fault !== undefined) throw new Error(fault);
  return await withEdits(copy, edits, body);
}

async function withEdits<T>(
  copy: Copy,
  [edit, ...others]: readonly Edit[],
  body: () => Promise<T>,
): Promise<T> {
  if (!edit) return await body();
  return await copy.with(edit, () => withEdits(copy, others, body));
}
