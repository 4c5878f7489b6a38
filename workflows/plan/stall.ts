/** Which failures of a machine get no further without help, and what helps. */
import { isOfApiServer } from '../api/creation-failure.ts';
import { needsPerson } from '../api/failures.ts';
import type { Unsettled } from '../api/kstatus.ts';
import type { LastOperation } from '../api/machine.ts';
import { clip } from '../values/clip.ts';

export const reasons = {
  spec: 'InvalidSpec',
  credentials: 'CredentialsRefused',
  room: 'ResourcesExhausted',
  kubernetes: 'RefusedByKubernetes',
} as const;

export interface Stall {
  reason: string;
  help: string;
}

/**
 * Undefined while another attempt may do. For want of room the next attempt is minutes away, and
 * only the cloud or a person can make room; a deletion needs none.
 */
export function stallOf({
  state,
  type,
  errorCode,
  description = '',
}: LastOperation): Stall | undefined {
  if (state !== 'Failed') return undefined;
  if (errorCode === 'ResourceExhausted' && type === 'Create') {
    const help = 'Raise the quota, use another type or zone, or wait until the cloud has room';
    return { reason: reasons.room, help };
  }
  if (!needsPerson(errorCode)) return undefined;
  if (errorCode === 'InvalidArgument') {
    const help =
      'Correct the MachineClass, its Secret or the spec: the next attempt follows at once';
    return { reason: reasons.spec, help };
  }
  // Its codes are those of a cloud, but other rights than those of the credentials are missing.
  if (isOfApiServer(description)) {
    const help = 'Give Millwright the right, or correct the policy or the webhook that refuses it';
    return { reason: reasons.kubernetes, help };
  }
  const help = 'Renew the credentials in the Secret of the MachineClass, or give them the rights';
  return { reason: reasons.credentials, help };
}

/** A cloud or a driver may send thousands of bytes; `lastOperation` has all of them. */
const longestBytes = 1_000;

export function stalled(reason: string, said: string, help: string): Unsettled {
  return { type: 'Stalled', reason, message: sentences(said, help) };
}

export function reconciling(reason: string, said: string): Unsettled {
  return { type: 'Reconciling', reason, message: sentences(said) };
}

function sentences(said: string, help?: string): string {
  const first = withoutFullStop(clip(said, longestBytes));
  return [first, help].filter((text) => (text ?? '') !== '').join('. ');
}

function withoutFullStop(text: string): string {
  let end = text.length;
  while (end > 0 && /[.\s]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
