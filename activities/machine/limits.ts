/** Timeouts of a Machine: its own, else those of the flags. */
import type { Machine } from '../../workflows/api/machine.ts';
import type { MachineDefaults } from '../../workflows/api/settings.ts';
import { defined } from '../../workflows/values/defined.ts';
import { parseDuration } from '../../workflows/api/duration.ts';
import { shortTextsOf } from '../../workflows/api/validation.ts';

export interface HealthLimits {
  /** Types of conditions that must be False. */
  nodeConditions: string[];
  /** Absent with `disableHealthTimeout`. */
  timeoutSeconds?: number;
}

export function healthLimitsOf({ spec }: Machine, defaults: MachineDefaults): HealthLimits {
  const isDisabled = spec.disableHealthTimeout ?? false;
  const seconds = secondsOf(spec.healthTimeout) ?? defaults.healthTimeoutSeconds;
  return defined({
    nodeConditions: shortTextsOf(spec).nodeConditions ?? defaults.nodeConditions,
    timeoutSeconds: isDisabled ? undefined : seconds,
  });
}

export function preserveSecondsOf({ spec }: Machine, defaults: MachineDefaults): number {
  return secondsOf(spec.machinePreserveTimeout) ?? defaults.preserveTimeoutSeconds;
}

export function inPlaceUpdateSecondsOf({ spec }: Machine, defaults: MachineDefaults): number {
  return secondsOf(spec.inPlaceUpdateTimeout) ?? defaults.inPlaceUpdateTimeoutSeconds;
}

/** Nonsense counts as absent, as in MCM v0.62.1; the CRD refuses it where it can. */
export function secondsOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(text);
}
