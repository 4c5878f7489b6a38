/** What the double answers. */
export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  retryAfterSeconds: number | undefined;
  details: object[] = [];

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Azure's envelope of errors. */
export function answerOf(refusal: Refusal): Answer {
  const { status, code, message, retryAfterSeconds, details } = refusal;
  return {
    status,
    body: { error: { code, message, details } },
    headers: {
      'x-ms-failure-cause': 'gateway',
      'x-ms-error-code': code,
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    },
  };
}
