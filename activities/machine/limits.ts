/** Timeouts of a Machine: its own, else those of the flags. */
import type { Machine } from '../../workflows/api/machine.ts';
import type { MachineDefaults } from '../../workflows/api/settings.ts';
import type { MachineLimits } from '../../workflows/contracts/machine-activities.ts';
import { creationTimeoutSecondsOf } from '../../workflows/api/creation-timeout.ts';
import { evictRetriesWithin } from '../../workflows/plan/drain/removals.ts';
import { defined } from '../../workflows/values/defined.ts';
import { parseDuration } from '../../workflows/api/duration.ts';
import { shortTextsOf } from '../../workflows/api/validation.ts';

/** The machine's own word, else the flag. */
export function limitsOf(machine: Machine, defaults: MachineDefaults): MachineLimits {
  const { spec } = machine;
  const drainTimeoutSeconds = secondsOf(spec.drainTimeout) ?? defaults.drainTimeoutSeconds;
  const retries = spec.maxEvictRetries ?? defaults.maxEvictRetries;
  return {
    creationTimeoutSeconds: creationTimeoutSecondsOf(machine) ?? defaults.creationTimeoutSeconds,
    drainTimeoutSeconds,
    maxEvictRetries: evictRetriesWithin(retries, drainTimeoutSeconds),
    resourceExhaustedRetrySeconds: defaults.resourceExhaustedRetrySeconds,
  };
}

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

/** Nonsense counts as absent, as in MCM v0.62.1; the CRD refuses it where it can. */
export function secondsOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(text);
}
