/** What to type to run a setup again. */
import type { Setup } from './simulator.ts';
import type { Kinds } from './values.ts';

const namedMost = 8;

export function commandOf({ seed, machines, hours, faults, users }: Setup, kinds: Kinds): string {
  const lists = `--faults ${listOf(faults, kinds.faults)} --users ${listOf(users, kinds.users)}`;
  return `npm run simulate -- --seed ${seed} --machines ${machines} --hours ${hours} ${lists}`;
}

function listOf(names: readonly string[], known: readonly string[]): string {
  if (names.length === 0) return 'none';
  return names.length === known.length ? 'all' : names.join(',');
}

/** `3 machines, 1.25 h, faults: lostCalls, users: none` */
export function wordsOf({ machines, hours, faults, users }: Setup): string {
  const lists = `faults: ${shortList(faults)}, users: ${shortList(users)}`;
  return `${machines} machines, ${hours} h, ${lists}`;
}

/** A long list says no more than its length does. */
function shortList(names: readonly string[]): string {
  if (names.length > namedMost) return `${names.length} kinds`;
  return names.join(' ') || 'none';
}
