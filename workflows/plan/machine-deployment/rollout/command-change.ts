/** What a command on a rollout writes to its MachineDeployment, whoever asks for it. */
import { options } from '../../../api/constants.ts';
import { formatOverride } from './policy-override.ts';

export interface CommandChange {
  /** For people, without a full stop. */
  message: string;
  annotations?: Readonly<Record<string, string>>;
  /** A merge patch of the spec. */
  spec?: object;
}

export const pauseChange: CommandChange = { message: 'Paused', spec: { paused: true } };

/** @param canaryRevision Its first machines are held for a person to check; undefined: none are. */
export function resumeChange(canaryRevision: number | undefined): CommandChange {
  const spec = { paused: null };
  if (canaryRevision === undefined) return { message: 'Resumed', spec };
  return {
    message: `Resumed, past the first machines of revision ${canaryRevision}`,
    annotations: { [options.canaryPassed]: String(canaryRevision) },
    spec,
  };
}

/** @param revision 0: the one before the present one. */
export function rollbackChange(revision: number): CommandChange {
  const to = revision === 0 ? 'the previous revision' : `revision ${revision}`;
  return { message: `Rollback to ${to}`, spec: { rollbackTo: { revision } } };
}

/** `end`: RFC 3339. `by`: who asks, as far as that is known. */
export function overrideChange(end: string, reason: string, by?: string): CommandChange {
  return {
    message: `Policies overridden until ${end}: ${reason}`,
    annotations: { [options.overridePolicies]: formatOverride(end, reason, by) },
  };
}
