/** Parts of JSON patches (RFC 6902) that hold only for what was read. */
import type { KubeError } from '../client/errors.ts';
import { isConflict, isInvalid, isNotFound } from '../client/errors.ts';

/** Sets a value in the place of the one that was read; absent is like null. */
export function replacing(path: string, present: unknown, value: unknown): object[] {
  return [
    { op: 'test', path, value: present ?? null },
    { op: 'add', path, value },
  ];
}

/** One key of a map of texts, which may hold slashes: `/metadata/labels`, `a.b/c`. */
export function pointerTo(map: string, key: string): string {
  return `${map}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/**
 * The API server has read the new content and refuses it, however often it is asked. Without causes
 * it was a test of a JSON patch that did not hold: another client wrote meanwhile.
 */
export function isContentRefused(error: unknown): error is KubeError {
  return isInvalid(error) && (error.details.causes?.length ?? 0) > 0;
}

/**
 * A write that may hold for what is there now: the object changed, or is gone or another by now.
 */
export function isOutdated(error: unknown): boolean {
  return isNotFound(error) || isInvalid(error) || isConflict(error);
}
