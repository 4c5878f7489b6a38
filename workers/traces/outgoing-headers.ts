/** Headers of the signal that is being sent: the calls of the client take none. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { Headers } from '@temporalio/common';

const outgoing = new AsyncLocalStorage<Headers>();

/** Signals that `send` sends carry them. */
export function withHeaders<T>(headers: Headers, send: () => T): T {
  return outgoing.run(headers, send);
}

function withOutgoing<Input extends { headers: Headers }>(input: Input): Input {
  return { ...input, headers: { ...input.headers, ...outgoing.getStore() } };
}

/** Interceptor of a client whose signals carry headers. */
export const headerInterceptor: WorkflowClientInterceptor = {
  signal: (input, next) => next(withOutgoing(input)),
  signalWithStart: (input, next) => next(withOutgoing(input)),
};
