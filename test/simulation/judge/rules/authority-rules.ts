/** Nothing is created or deleted during a stop, or without a watcher that leads. */
import type { Install } from '../../world/world.ts';
import type { Evidence } from '../evidence.ts';

export interface Deed {
  by: string;
  /** For example `deleted i-1`. */
  what: string;
  subject: string;
  sentAt?: number | undefined;
}

/** For an activity that has begun, and for what travels. Milliseconds. */
const graceMs = 5 * 60_000;
const graceAfterSendingMs = 90_000;

export function judgeAuthority(evidence: Evidence, install: Install, deed: Deed): void {
  const authority = evidence.authorityOf(install);
  const { by, what, subject, sentAt } = deed;
  const { now } = evidence.simulation;
  const since = sentAt === undefined ? now - graceMs : sentAt - graceAfterSendingMs;
  if (authority.hasBeenStoppedSince(since)) {
    const text = `${by} ${what}, although millwright-stop is there`;
    evidence.rulings.against('nothing happens during a stop', subject, text);
  }
  judgeLeader(evidence, install, deed);
}

export function judgeLeader(
  evidence: Evidence,
  install: Install,
  { by, what, subject, sentAt }: Deed,
): void {
  const { now } = evidence.simulation;
  const since = sentAt === undefined ? now - graceMs : sentAt - graceAfterSendingMs;
  if (!evidence.authorityOf(install).hasBeenWithoutLeaderSince(since)) return;
  const text = `${by} ${what}, although no watcher has led for minutes`;
  evidence.rulings.against('nothing happens without a leader', subject, text);
}
