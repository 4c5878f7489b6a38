/**
 * A name in a line that people copy into a shell. Kubernetes checks the names of objects, and not
 * those that only refer to one, as to a class or an owner: their author could write a command
 * there.
 */
export function nameInLine(name: string): string {
  return /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/.test(name) ? name : 'NAME';
}
