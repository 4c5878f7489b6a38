/** Parts of JSON patches (RFC 6902) that hold only for what was read. */
import type { KubeError } from '../client/errors.ts';
import { isConflict, isInvalid, isNotFound } from '../client/errors.ts';
import type { KubeObject } from '../client/client.ts';

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

/** For a patch that rests on fields which it cannot test one by one, such as a condition. */
export function sameVersion({ metadata: { resourceVersion } }: KubeObject): object {
  return { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion };
}

/** Sets keys of a map of texts, and removes those with null; empty where all is so already. */
export function changingKeys(
  map: string,
  present: Readonly<Record<string, string>> | undefined,
  changes: Readonly<Record<string, string | null>>,
): object[] {
  const operations = Object.entries(changes).flatMap(([key, value]): object[] => {
    const path = pointerTo(map, key);
    if (present?.[key] === (value ?? undefined)) return [];
    return [value === null ? { op: 'remove', path } : { op: 'add', path, value }];
  });
  const isNew = present === undefined && operations.length > 0;
  return isNew ? [...replacing(map, undefined, {}), ...operations] : operations;
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
