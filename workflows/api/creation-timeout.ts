/** How long a machine may take until it is there. */
import { annotations } from './constants.ts';
import { parseDuration } from './duration.ts';
import type { Machine } from './machine.ts';

/**
 * Seconds from the creation of the object, by its own word: the annotation goes before the spec, as
 * in MCM v0.62.1. Undefined where it says nothing, or nonsense: the flag counts.
 */
export function creationTimeoutSecondsOf({ metadata, spec }: Machine): number | undefined {
  const texts = [
    metadata.annotations?.[annotations.effectiveCreationTimeout],
    spec.creationTimeout,
  ];
  return texts
    .map((text) => (text === undefined ? undefined : parseDuration(text)))
    .find((seconds) => seconds !== undefined);
}
