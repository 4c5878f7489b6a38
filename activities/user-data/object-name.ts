/** Names stand in paths of the API: what is no name is not asked for. */

export const objectNameRule =
  'a name has small letters, digits, dashes and dots, and at most 253 characters';

export function isObjectName(name: string): boolean {
  return /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(name);
}
