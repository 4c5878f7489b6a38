/** What an attempt leaves for the next one. */
import type { Context } from '@temporalio/activity';

/** What an attempt reported; kept here so that the periodic heartbeat repeats it. */
const details = new WeakMap<Context, unknown>();

/**
 * Until an attempt reports, its heartbeats repeat what the one before left: a heartbeat without
 * details would erase it.
 */
export function detailsOf(context: Context): unknown {
  return details.has(context) ? details.get(context) : context.info.heartbeatDetails;
}

/** Notes for a retry how far this attempt came. */
export function reportProgress(context: Context, progress: unknown): void {
  noteProgress(context, progress);
  context.heartbeat(progress);
}

/** The same, with the next heartbeat that is sent anyway. */
export function noteProgress(context: Context, progress: unknown): void {
  details.set(context, progress);
}
