/**
 * How workflow code turns errors into failures: with messages and stack traces in a payload where
 * the worker encrypts payloads. The worker says so by a global of the bundle
 * (`workers/temporal/bundle-workflows.ts`), so one bundle serves both.
 */
import { DefaultFailureConverter } from '@temporalio/common';
import { encodesFailures } from '../values/encodes-failures.ts';

export const failureConverter = new DefaultFailureConverter({
  encodeCommonAttributes: Reflect.get(globalThis, encodesFailures) === true,
});
