/**
 * The table, row by row: in Azure's words, through the SDK's shape of errors, to what the core is
 * told.
 */
import {
  busyCodes,
  codeMeanings,
  meaningOf,
  messageMeanings,
  statusMeanings,
} from '../../../../activities/drivers/azure/errors.ts';
import {
  driverErrorOf,
  failureOf,
  isAbsent,
  secondsOfRetryAfter,
} from '../../../../activities/drivers/azure/error-mapping.ts';
import { meanings } from '../../../../activities/drivers/error-meanings.ts';

const sdkError = (more: object): Error => Object.assign(new Error('words'), more);

describe('by code', () => {
  test.each(Object.entries(codeMeanings))('%s is %s', (code, meaning) => {
    const error = driverErrorOf(failureOf('do it', sdkError({ code, statusCode: 418 })), false);
    expect(error.code).toBe(meanings[meaning].code);
    expect(error.message).toBe(`Azure: do it: ${code}: words`);
  });

  test.each(Object.keys(codeMeanings).filter((code) => !busyCodes.includes(code)))(
    '%s with 429 is throttling',
    (code) => {
      expect(meaningOf({ code, status: 429, message: '' })).toBe('throttling');
    },
  );

  test.each(busyCodes)('%s with 429 is a part that is being changed', (code) => {
    expect(meaningOf({ code, status: 429, message: '' })).toBe('conflict');
  });
});

test.each(Object.entries(statusMeanings))(
  'status %s without a known code is %s',
  (status, meaning) => {
    expect(meaningOf({ status: Number(status), code: 'New', message: '' })).toBe(meaning);
  },
);

test.each([500, 502, 503, 504])('status %d is trouble of Azure', (status) => {
  expect(meaningOf({ status, message: '' })).toBe('unavailable');
});

describe('by words', () => {
  test.each([
    [
      'OperationNotAllowed',
      'results in exceeding approved standardDSv3Family Cores quota',
      'quota',
    ],
    ['OperationNotAllowed', 'The limit was reached', 'quota'],
    ['OperationNotAllowed', 'Disk a is attached to VM b.', 'conflict'],
    [
      'OperationNotAllowed',
      "Operation 'startTenantUpdate' is not allowed on VM 'a' since the VM is marked for deletion. You can only retry the Delete operation (or wait for an ongoing one to complete).",
      'conflict',
    ],
    [
      'OperationNotAllowed',
      'This operation cannot be performed when extension operations are in progress.',
      'conflict',
    ],
    ['OperationNotAllowed', 'no', 'precondition'],
    ['BadRequest', 'the size is not supported in this zone', 'capacity'],
    ['BadRequest', 'the size is not\r\n  supported here', 'capacity'],
    ['BadRequest', 'malformed', 'input'],
    [
      'InvalidParameter',
      'The requested VM size Standard_X is not available in the current region.',
      'capacity',
    ],
  ])('%s: %s', (code, message, meaning) => {
    expect(meaningOf({ code, status: 409, message })).toBe(meaning);
  });

  test('every row is used', () => {
    expect(messageMeanings).toHaveLength(7);
  });
});

test('an unknown error is Unknown, and not settled', () => {
  expect(driverErrorOf(failureOf('do it', new Error('odd')), false)).toMatchObject({
    code: 'Unknown',
    settled: false,
    message: 'Azure: do it: odd',
  });
  expect(failureOf('do it', 'a text').message).toBe('Azure: do it: a text');
});

test.each([
  [
    'in the library that fetches tokens',
    sdkError({ errorCode: 'invalid_client' }),
    'Unauthenticated',
  ],
  ['of the connection to the authority', sdkError({ code: 'ECONNREFUSED' }), 'Unavailable'],
  ['that says nothing', undefined, 'Unauthenticated'],
])('a token that is not to be had, with a cause %s', (_name, cause, is) => {
  const error = sdkError({ name: 'AuthenticationRequiredError', cause });
  expect(driverErrorOf(failureOf('do it', error), false).code).toBe(is);
});

test.each([
  { value: '7', is: 7 },
  { value: '0', is: 0 },
  { value: '-3', is: 0 },
  { value: '', is: undefined },
  { value: 'soon', is: undefined },
  { value: undefined, is: undefined },
])('Retry-After $value', ({ value, is }) => {
  expect(secondsOfRetryAfter(value)).toBe(is);
});

test('Retry-After may be a date', () => {
  const inTenSeconds = new Date(Date.now() + 10_000).toUTCString();
  expect(secondsOfRetryAfter(inTenSeconds)).toBeGreaterThan(8);
});

describe('absent', () => {
  test.each([
    { code: 'ResourceNotFound', is: true },
    { code: 'ResourceGroupNotFound', is: true },
    { code: 'NotFound', is: true },
    { code: 'SubscriptionNotFound', is: false },
    { code: 'InvalidAuthenticationTokenTenant', is: false },
  ])('404 with $code: $is', ({ code, is }) => {
    const details = { error: { code } };
    expect(isAbsent(failureOf('look', sdkError({ code, statusCode: 404, details })))).toBe(is);
    // A proxy may have codes as well: Azure's stands in its envelope.
    expect(isAbsent(failureOf('look', sdkError({ code, statusCode: 404 })))).toBe(false);
  });

  test('403 is never absent', () => {
    const error = sdkError({ code: 'AuthorizationFailed', statusCode: 403 });
    expect(isAbsent(failureOf('look', error))).toBe(false);
  });
});
