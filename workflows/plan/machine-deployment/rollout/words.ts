/** Numbers of machines, in words. */
export function machines(count: number): string {
  return count === 1 ? '1 machine' : `${count} machines`;
}
