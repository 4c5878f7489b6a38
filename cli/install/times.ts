/** Deadlines of machines, as the workflows count them. Times in milliseconds. */
import { pausesUntil } from '../../kube/objects/pauses.ts';
import { drainOptions } from '../../workflows/api/constants.ts';
import { holdReportIn } from '../../workflows/api/deletion-hooks.ts';
import { creationTimeoutSecondsOf } from '../../workflows/api/creation-timeout.ts';
import { parseDuration } from '../../workflows/api/duration.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { timeIn } from '../../workflows/api/time.ts';
import type { Pause } from '../../workflows/values/pauses.ts';
import { deadlineOf, pausesOfDrain } from '../../workflows/values/pauses.ts';
import { updateConditionOf } from './in-place.ts';
import type { Install } from './install.ts';
import { pausesIn } from './install.ts';

/** Undefined for what is no time. */
export function timeOf(text: string | null | undefined): number | undefined {
  return timeIn(text, Date.parse);
}

/** Without fractions of a second, as Kubernetes writes it. */
export function isoOf(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** A machine that has no Ready Node then is Failed, and replaced. */
export function joinDeadlineOf(machine: Machine, install: Install): number | undefined {
  const from = timeOf(machine.metadata.creationTimestamp);
  const seconds = creationTimeoutSecondsOf(machine) ?? install.timeouts.creation;
  return movedDeadline({ from, seconds }, pausesOf(machine, install));
}

/** An unhealthy machine is Failed then. Undefined also with `disableHealthTimeout`. */
export function healthDeadlineOf(machine: Machine, install: Install): number | undefined {
  const { spec, status } = machine;
  if (spec.disableHealthTimeout === true) return undefined;
  const from = timeOf(status?.currentStatus?.lastUpdateTime);
  const seconds = secondsOf(spec.healthTimeout) ?? install.timeouts.health;
  return movedDeadline({ from, seconds }, pausesOf(machine, install));
}

/** Pods that are left then are deleted by force. */
export function drainDeadlineOf(machine: Machine, install: Install): number | undefined {
  const { metadata, spec, status } = machine;
  const deletedAt = timeOf(metadata.deletionTimestamp);
  // The time of the hooks before it is not its own.
  const { drainHeldUntil = 0 } = holdReportIn(status?.conditions, Date.parse);
  const from = deletedAt && Math.max(deletedAt, drainHeldUntil);
  const given = timeOf(metadata.annotations?.[drainOptions.until]);
  // As if nothing had been paused, like the timeout: what was paused comes on top of both.
  const seconds =
    given !== undefined && from !== undefined && given > drainHeldUntil
      ? Math.max(given - from, 0) / 1_000
      : (secondsOf(spec.drainTimeout) ?? install.timeouts.drain);
  return movedDeadline({ from, seconds }, pausesOfDrain(pausesOf(machine, install)));
}

/** Pods that are left then are deleted by force, and the agent on the Node begins. */
export function updateDrainDeadlineOf(machine: Machine, install: Install): number | undefined {
  const from = timeOf(updateConditionOf(machine.status?.conditions)?.lastTransitionTime);
  const seconds = secondsOf(machine.spec.drainTimeout) ?? install.timeouts.drain;
  return movedDeadline({ from, seconds }, pausesOfDrain(pausesOf(machine, install)));
}

/** The update of an agent that has said nothing by then has failed. */
export function updateDeadlineOf(machine: Machine, install: Install): number | undefined {
  const { spec, status } = machine;
  const from = timeOf(status?.currentStatus?.lastUpdateTime);
  const seconds = secondsOf(spec.inPlaceUpdateTimeout) ?? install.timeouts.inPlaceUpdate;
  return movedDeadline({ from, seconds }, pausesOf(machine, install));
}

function pausesOf({ metadata }: Machine, install: Install): Pause[] {
  return pausesUntil(pausesIn(install, metadata.namespace), install.now);
}

function movedDeadline(
  { from, seconds }: { from: number | undefined; seconds: number },
  pauses: readonly Pause[],
): number | undefined {
  return from === undefined ? undefined : deadlineOf({ from, timeoutMs: seconds * 1_000 }, pauses);
}

function secondsOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(text);
}
