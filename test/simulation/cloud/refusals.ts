/** What the simulated cloud answers, in the form of the virtual cloud. */
import { refusal } from '../../../deploy/local/virtual-cloud/answers.ts';
import type { CloudError } from '../../../deploy/local/virtual-cloud/answers.ts';

export interface CloudAnswer {
  statusCode: number;
  headers: Record<string, string>;
  text: string;
}

export type Refusal = CloudError & { retryAfterSeconds?: number };

export function noSuchInstance(id: string): Refusal {
  return {
    code: 'NotFound',
    reason: 'NoSuchInstance',
    message: `there is no instance ${id}`,
  };
}

export function tokenConflict(token: string, id: string): Refusal {
  return {
    code: 'AlreadyExists',
    reason: 'TokenConflict',
    message: `token: ${JSON.stringify(token)} belongs to instance ${id}, which was asked for in another way`,
  };
}

export function badRequest(message: string): Refusal {
  return { code: 'InvalidArgument', reason: 'BadRequest', message };
}

export function throttled(retryAfterSeconds: number): Refusal {
  return { code: 'Unavailable', reason: 'Throttled', message: 'too many calls', retryAfterSeconds };
}

export const quotaExceeded: Refusal = {
  code: 'ResourceExhausted',
  reason: 'QuotaExceeded',
  message: 'the account may not have more instances',
};

export function zoneFull(zone: string, size: string): Refusal {
  return {
    code: 'ResourceExhausted',
    reason: 'ZoneFull',
    message: `zone "${zone}" has no more capacity for size "${size}"`,
  };
}

export function notOffered(zone: string, size: string): Refusal {
  return {
    code: 'InvalidArgument',
    reason: 'InjectedFault',
    message: `size: "${size}" is not offered in zone "${zone}"`,
  };
}

/** The cloud does not know the caller, or does not let it. */
export const credentialsRefused: readonly Refusal[] = [
  { code: 'Unauthenticated', reason: 'InjectedFault', message: 'the credentials have expired' },
  { code: 'PermissionDenied', reason: 'InjectedFault', message: 'the caller may not do this' },
];

/** They may come in the middle of the work: nothing is known of what was done. */
export const breakdowns: readonly Refusal[] = [
  { code: 'Internal', reason: 'InternalError', message: 'an internal error' },
  { code: 'Unavailable', reason: 'InjectedFault', message: 'the service is being maintained' },
  { code: 'Unknown', reason: 'InjectedFault', message: 'an unknown error' },
  { code: 'DeadlineExceeded', reason: 'InjectedFault', message: 'a backend took too long' },
  { code: 'Aborted', reason: 'InjectedFault', message: 'another operation is under way' },
];

/** Of something else than the cloud: a gateway before it, or a captive portal. */
export const foreignAnswers: readonly CloudAnswer[] = [
  { statusCode: 502, headers: {}, text: '<html><h1>502 Bad Gateway</h1></html>' },
  { statusCode: 504, headers: {}, text: '' },
  { statusCode: 200, headers: {}, text: '<html><h1>Sign in</h1></html>' },
  { statusCode: 503, headers: { 'retry-after': 'soon' }, text: '{"error":"overloaded"}' },
];

/** @param text JSON. */
export function answered(statusCode: number, text: string): CloudAnswer {
  return { statusCode, headers: {}, text };
}

export function refused({ retryAfterSeconds, ...error }: Refusal): CloudAnswer {
  const { status, body } = refusal(error);
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return { statusCode: status, headers, text: JSON.stringify(body) };
}
