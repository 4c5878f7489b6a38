/** What a reader has to know of an answer: what stands over it all, and what it does not know. */
import type { Fleet } from '../diagnosis/fleet.ts';
import { formatAge } from '../terminal/age.ts';

/** Lines, with an empty one before them. */
export function notesOf(fleet: Fleet): string[] {
  const lines = [
    ...fleet.stops.map(({ namespace, by, since, reason }) => {
      const author = by === undefined ? '' : ` by ${by}`;
      return `${namespace} is stopped since ${formatAge(fleet.now - since)}${author}: ${reason}`;
    }),
    ...(fleet.unread.length === 0 ? [] : [`Not readable with your rights: ${listOf(fleet)}.`]),
    ...(fleet.temporal === undefined
      ? ['Temporal was not asked: --temporal-address says where it is.']
      : []),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}

const listOf = ({ unread }: Fleet): string => unread.join(', ');
