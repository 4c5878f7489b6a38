import { isNativeError } from 'node:util/types';

/**
 * The message of whatever was thrown. (`instanceof Error` misses errors of another realm, as jest
 * makes them.)
 */
export function messageOf(error: unknown): string {
  return isNativeError(error) ? error.message : String(error);
}

/** Was this thrown by the operating system with this code, such as ENOENT? */
export function hasCode(error: unknown, code: string): boolean {
  return isNativeError(error) && 'code' in error && error.code === code;
}
