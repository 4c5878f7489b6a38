import { expect, test } from 'vitest';
import { errorOfTransport } from '../../../../activities/kube/client/errors.ts';

test('where a host has several addresses, the error says what each of them did', () => {
  const cause = new AggregateError([
    new Error('connect ECONNREFUSED 10.0.0.1:443'),
    new Error('connect ETIMEDOUT 10.0.0.2:443'),
  ]);
  expect(errorOfTransport({ method: 'GET', path: '/version' }, cause).message).toBe(
    'GET /version: Unreachable: connect ECONNREFUSED 10.0.0.1:443; connect ETIMEDOUT 10.0.0.2:443',
  );
});
