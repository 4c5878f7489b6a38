/** Notes for the reader of an answer: what stands over it all, and what it does not know. */
import { isoOf } from './times.ts';
import type { Install } from './install.ts';
import { isUnused, isUnreachableFromHere } from './install.ts';
import { formatAge } from '../terminal/age.ts';
import { oneLine } from '../terminal/screen.ts';

/** Lines, with an empty one before them. All but the stops, which stand at the top. */
export function notesOf(install: Install): string[] {
  const notes = [
    ...(install.namespace !== undefined && isUnused(install)
      ? [
          `Namespace ${install.namespace} has no machines, and no watcher has led there: -n names another.`,
        ]
      : []),
    ...(install.unread.length === 0
      ? []
      : [`Not readable with your rights: ${install.unread.join(', ')}.`]),
    ...temporalNotes(install),
  ];
  return notes.length === 0 ? [] : ['', ...notes];
}

/** The same for programs. */
export function notesData({ stops, temporal, unread }: Install) {
  return {
    stops: stops.map(({ namespace, reason, by, since }) => ({
      namespace,
      reason,
      ...(by !== undefined && { by }),
      since: isoOf(since),
    })),
    temporal: temporal ?? null,
    unread,
  };
}

function temporalNotes(install: Install): string[] {
  const { temporal } = install;
  if (!temporal) return ['Temporal was not asked: --temporal-address says where it is.'];
  const { address, failure = '', isOther, isRefused = false } = temporal;
  if (isOther) {
    const own = `${isOther.address}, namespace ${isOther.namespace}`;
    return [
      `Temporal at ${address}, namespace ${temporal.namespace}, is not that of this install, whose watcher has ${own}: unset TEMPORAL_*, or name it with --temporal-address and --temporal-namespace.`,
    ];
  }
  if (!isUnreachableFromHere(install)) return [];
  if (isRefused) return [`Temporal at ${address} refuses this command: ${oneLine(failure)}`];
  return [
    `Temporal at ${address}, as the flags of the watcher have it, cannot be reached from here (${oneLine(failure)}): --temporal-address names another way.`,
  ];
}

/** Above all else: while they stand, nothing moves. */
export function stopLines({ stops, now }: Install): string[] {
  return stops.map(({ namespace, by, since, reason }) => {
    const author = by === undefined ? '' : ` by ${oneLine(by)}`;
    return `${namespace} is stopped since ${formatAge(now - since)}${author}: ${oneLine(reason)}`;
  });
}
