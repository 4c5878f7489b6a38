/**
 * Defects that this project once had, as patches that put each of them back at its present place.
 * The list was drawn up before there was a simulator to find them; who changes such a line changes
 * its defect, too.
 */
import { readFileSync } from 'node:fs';

export interface Edit {
  file: string;
  /** Stands in the file exactly once. */
  from: string;
  to: string;
}

export interface Defect {
  /** Of the finding, such as `M1`; or what happens to a message: `lost`, `doubled`, `late`. */
  id: string;
  /** What is wrong with the defect back in. */
  title: string;
  edits: Edit[];
  /** Regular expression for the paths of the unit tests. */
  tests: string;
  /** Title, or a part of it, of a test there that fails with the defect, as its file writes it. */
  test: string;
}

export const defects: readonly Defect[] = JSON.parse(
  readFileSync(new URL('defects.json', import.meta.url), 'utf8'),
);

/**
 * `text` of the file with what the defect makes of it. Throws where an edit does not fit exactly
 * once.
 */
export function withDefect(defect: Defect, file: string, text: string): string {
  return defect.edits
    .filter((edit) => edit.file === file)
    .reduce((changed, { from, to }) => {
      const times = changed.split(from).length - 1;
      if (times !== 1) {
        throw new Error(
          `defect ${defect.id}: ${file} has its text ${times} times, allowed is once`,
        );
      }
      return changed.replace(from, () => to);
    }, text);
}
