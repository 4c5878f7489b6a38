/** What a policy says, for people. */
import type { Going } from './going.ts';

const namedMax = 3;

/** Why there is, or is not, room for more. */
export function formatRoom(
  limit: number,
  { names, ...counts }: Going,
  which: 'all' | 'underWay' = 'all',
): string {
  const count = counts[which];
  const shown = names.toSorted().slice(0, namedMax).join(', ');
  const more = names.length > namedMax ? ', ...' : '';
  const what = `${count} of at most ${limit} ${limit === 1 ? 'machine' : 'machines'} on their way`;
  return count === 0 ? what : `${what}: ${shown}${more}`;
}
