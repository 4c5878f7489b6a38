/** Annotations of our prefix that mean nothing: what was meant would have no effect. */
import { annotations, drainOptions, options } from '../api/constants.ts';
import { quoted } from '../api/validation.ts';
import { nearestOf } from './nearest.ts';

const prefix = 'millwright.dev/';

const known = [annotations, options, drainOptions]
  .flatMap((names): string[] => Object.values(names))
  .filter((name) => name.startsWith(prefix))
  .map((name) => name.slice(prefix.length));

/** An object has no more than 256 KiB of annotations, but that may be many. */
const mostNamed = 5;

/** A sentence for each, at most 5. Names that belong to another kind of object are known ones. */
export function unknownAnnotations(found: Readonly<Record<string, string>> = {}): string[] {
  const names = Object.keys(found)
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length))
    .filter((name) => !known.includes(name));
  return names.slice(0, mostNamed).map((name) => {
    const nearest = nearestOf(name, known);
    const meant = nearest === undefined ? '' : `: did you mean ${prefix}${nearest}?`;
    return `annotation ${quoted(prefix + name)} means nothing${meant}`;
  });
}
