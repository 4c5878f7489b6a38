/** What the simulated cloud answers where it refuses, in the form of the virtual cloud. */
export interface CloudAnswer {
  statusCode: number;
  headers: Record<string, string>;
  text: string;
}

export interface Refusal {
  status: number;
  code: string;
  reason: string;
  message: string;
  retryAfterSeconds?: number;
}

export const noSuchInstance: Refusal = {
  status: 404,
  code: 'NotFound',
  reason: 'NoSuchInstance',
  message: 'there is no such instance',
};

export const tokenConflict: Refusal = {
  status: 409,
  code: 'AlreadyExists',
  reason: 'TokenConflict',
  message: 'the token was used for another request',
};

export const throttled: Refusal = {
  status: 429,
  code: 'Unavailable',
  reason: 'Throttled',
  message: 'too many calls',
  retryAfterSeconds: 2,
};

export const quotaExceeded: Refusal = {
  status: 400,
  code: 'ResourceExhausted',
  reason: 'QuotaExceeded',
  message: 'the quota of instances is exhausted',
};

export const zoneFull: Refusal = {
  status: 400,
  code: 'ResourceExhausted',
  reason: 'ZoneFull',
  message: 'the zone has no capacity for this size',
};

export const credentialsRefused: Refusal = {
  status: 401,
  code: 'Unauthenticated',
  reason: 'InjectedFault',
  message: 'the credentials are not valid',
};

export const internalError: Refusal = {
  status: 500,
  code: 'Internal',
  reason: 'InternalError',
  message: 'an internal error',
};

export function answered(status: number, body: object): CloudAnswer {
  return { statusCode: status, headers: {}, text: JSON.stringify(body) };
}

export function refused({
  status,
  code,
  reason,
  message,
  retryAfterSeconds,
}: Refusal): CloudAnswer {
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return {
    statusCode: status,
    headers,
    text: JSON.stringify({ error: { code, reason, message } }),
  };
}
