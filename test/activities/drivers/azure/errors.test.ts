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
    {
      code: 'OperationNotAllowed',
      message: 'results in exceeding approved standardDSv3Family Cores quota',
      meaning: 'quota',
    },
    { code: 'OperationNotAllowed', message: 'The limit was reached', meaning: 'quota' },
    {
      code: 'OperationNotAllowed',
      message: 'Disk a is attached to VM b.',
      meaning: 'conflict',
    },
    {
      code: 'OperationNotAllowed',
      message:
        "Operation 'startTenantUpdate' is not allowed on VM 'a' since the VM is marked for deletion. You can only retry the Delete operation (or wait for an ongoing one to complete).",
      meaning: 'conflict',
    },
    {
      code: 'OperationNotAllowed',
      message: 'This operation cannot be performed when extension operations are in progress.',
      meaning: 'conflict',
    },
    { code: 'OperationNotAllowed', message: 'no', meaning: 'precondition' },
    { code: 'BadRequest', message: 'the size is not supported in this zone', meaning: 'capacity' },
    { code: 'BadRequest', message: 'the size is not\r\n  supported here', meaning: 'capacity' },
    { code: 'BadRequest', message: 'malformed', meaning: 'input' },
    {
      code: 'InvalidParameter',
      message: 'The requested VM size Standard_X is not available in the current region.',
      meaning: 'capacity',
    },
  ])('$code: $message', ({ code, message, meaning }) => {
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
  {
    name: 'in the library that fetches tokens',
    cause: sdkError({ errorCode: 'invalid_client' }),
    is: 'Unauthenticated',
  },
  {
    name: 'of the connection to the authority',
    cause: sdkError({ code: 'ECONNREFUSED' }),
    is: 'Unavailable',
  },
  { name: 'that says nothing', cause: undefined, is: 'Unauthenticated' },
])('a token that is not to be had, with a cause $name', ({ cause, is }) => {
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
