/** What the double answers with, in Google's envelope. */

export interface HttpAnswer {
  status: number;
  /** A text: a page of something that is not Google. */
  body: object | string;
  headers?: Record<string, string>;
}

/** A request that Google would refuse. */
export class Refusal extends Error {
  readonly answer: HttpAnswer;

  constructor(answer: HttpAnswer) {
    super(JSON.stringify(answer.body));
    this.answer = answer;
  }
}

export interface ErrorWords {
  status: number;
  /** As in `error.errors[].reason`. */
  reason: string;
  message: string;
  /** As in `error.details[]`, an ErrorInfo. */
  infoReason?: string;
  headers?: Record<string, string>;
}

export function errorAnswer({
  status,
  reason,
  message,
  infoReason,
  headers,
}: ErrorWords): HttpAnswer {
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: infoReason,
    domain: 'googleapis.com',
  };
  return {
    status,
    ...(headers && { headers }),
    body: {
      error: {
        code: status,
        message,
        errors: [{ message, domain: 'global', reason }],
        ...(infoReason !== undefined && { details: [info] }),
      },
    },
  };
}

export function refuse(status: number, reason: string, message: string): never {
  throw new Refusal(errorAnswer({ status, reason, message }));
}
