import {
  errorOfAnswer,
  errorOfOperation,
} from '../../../../activities/drivers/gcp/error-mapping.ts';
import {
  meaningOf,
  reasonMeanings,
  statusMeanings,
} from '../../../../activities/drivers/gcp/errors.ts';
import { errorOfToken } from '../../../../activities/drivers/gcp/sdk-call.ts';
import { meanings } from '../../../../activities/drivers/error-meanings.ts';
import { errorAnswer } from '../../../doubles/gcp/answers.ts';

const answerOf = (status: number, reason: string, message = 'words') => ({
  status,
  text: JSON.stringify(errorAnswer({ status, reason, message }).body),
  retryAfter: null,
});

describe('each reason has its meaning', () => {
  test.each(Object.entries(reasonMeanings))('%s is %s', (reason, meaning) => {
    const error = errorOfAnswer({ what: 'insert', isInsert: true }, answerOf(400, reason));
    const expected = meanings[meaning === 'missing' ? 'input' : meaning];
    expect(error).toMatchObject({ code: expected.code, settled: expected.isRefusal });
    expect(error.message).toBe(`Google Compute Engine: insert: Error 400 ${reason}: words`);
    // Of what is missing only Google's word that just this is.
    const ofGet = meanings[meaning === 'missing' ? 'unknown' : meaning];
    expect(errorOfAnswer({ what: 'get' }, answerOf(400, reason))).toMatchObject({
      code: ofGet.code,
      settled: false,
    });
    const operation = {
      name: 'op',
      status: 'DONE',
      isDone: true,
      errors: [{ code: reason, message: 'words' }],
    };
    expect(errorOfOperation('insert', operation, true).code).toBe(expected.code);
  });
});

describe('each status has its meaning, where the reason is unknown', () => {
  test.each(Object.entries(statusMeanings))('%s is %s', (status, meaning) => {
    const error = errorOfAnswer({ what: 'get' }, answerOf(Number(status), 'newReason'));
    expect(error.code).toBe(meanings[meaning].code);
  });

  test('an error in no table is Unknown, and not settled', () => {
    const is = { code: 'Unknown', settled: false };
    expect(
      errorOfAnswer({ what: 'insert', isInsert: true }, answerOf(418, 'teapot')),
    ).toMatchObject(is);
    expect(meaningOf({ reasons: ['NEVER_SEEN'], message: '' })).toBe('unknown');
    expect(meaningOf({ reasons: ['toString'], message: '' })).toBe('unknown');
  });
});

describe('errors with the same reason are told apart by their words', () => {
  test.each([
    [
      'a machine type that the zone does not have',
      400,
      'invalid',
      `Machine type with name 'x' does not exist in zone 'z'.`,
      'ResourceExhausted',
    ],
    [
      'another thing that the zone does not have',
      400,
      'invalid',
      `Disk type with name 'x' does not exist in zone 'z'.`,
      'ResourceExhausted',
    ],
    ...['acceleratorTypes', 'diskTypes', 'machineTypes'].map(
      (kind): [string, number, string, string, string] => [
        `${kind} that the zone does not have`,
        404,
        'notFound',
        `The resource 'projects/p/zones/z/${kind}/x' was not found`,
        'ResourceExhausted',
      ],
    ),
    [
      'protection against deletion',
      400,
      'invalidUsage',
      `Resource cannot be deleted if it's protected against deletion.`,
      'FailedPrecondition',
    ],
    [
      'no such instance',
      404,
      'notFound',
      `The resource 'projects/p/zones/z/instances/i' was not found`,
      'NotFound',
    ],
    [
      'no such instance, but another one',
      404,
      'notFound',
      `The resource 'projects/p/zones/z/instances/xi' was not found`,
      'Unknown',
    ],
    [
      'no such instance, by a reason that is not known',
      404,
      'gone',
      `The resource 'projects/p/zones/z/instances/i' was not found`,
      'Unknown',
    ],
    [
      'no such project',
      404,
      'notFound',
      `The resource 'projects/p' was not found`,
      'InvalidArgument',
    ],
    [
      'no such zone',
      404,
      'notFound',
      `The resource 'projects/p/zones/z' was not found`,
      'InvalidArgument',
    ],
    [
      'an unknown zone',
      400,
      'invalid',
      `Invalid value for field 'zone': 'x'. Unknown zone.`,
      'InvalidArgument',
    ],
    ['too many calls', 403, 'rateLimitExceeded', 'Rate Limit Exceeded', 'Unavailable'],
    ['quota', 403, 'quotaExceeded', `Quota 'CPUS' exceeded.`, 'ResourceExhausted'],
    [
      'no right',
      403,
      'forbidden',
      `Required 'compute.instances.create' permission`,
      'PermissionDenied',
    ],
    [
      'no right to protect against deletion',
      403,
      'forbidden',
      `Required 'compute.instances.setDeletionProtection' permission for 'projects/p/zones/z/instances/i'`,
      'PermissionDenied',
    ],
    [
      'a 401 whose reason is that of a missing field',
      401,
      'required',
      'Login Required',
      'Unauthenticated',
    ],
  ])('%s', (...[, status, reason, message, code]) => {
    const call = { what: 'get', resource: 'instances/i' };
    expect(errorOfAnswer(call, answerOf(status, reason, message)).code).toBe(code);
  });

  test('the most telling of several errors counts, not the last', () => {
    const errors = [
      { code: 'ZONE_RESOURCE_POOL_EXHAUSTED', message: 'no machines' },
      { code: 'INTERNAL_ERROR', message: 'and something else' },
    ];
    const operation = { name: 'op', status: 'DONE', isDone: true, errors };
    expect(errorOfOperation('insert x', operation, true)).toMatchObject({
      kind: 'capacity',
      message:
        'Google Compute Engine: insert x: operation op failed: ZONE_RESOURCE_POOL_EXHAUSTED, INTERNAL_ERROR: no machines; and something else',
    });
  });

  test.each([
    [403, 'PermissionDenied'],
    [409, 'Aborted'],
    [503, 'Unavailable'],
  ])('an operation that failed with %s and a code that is not known', (errorStatus, code) => {
    const errors = [{ code: 'NEVER_SEEN', message: 'words' }];
    const operation = { name: 'op', status: 'DONE', isDone: true, errors, errorStatus };
    expect(errorOfOperation('insert x', operation, true).code).toBe(code);
  });

  test('a service account that may not be given to instances is a right that is missing', () => {
    const code = 'SERVICE_ACCOUNT_ACCESS_DENIED';
    const errors = [{ code, message: "The user does not have access to service account 'n'." }];
    const operation = { name: 'op', status: 'DONE', isDone: true, errors, errorStatus: 400 };
    expect(errorOfOperation('insert x', operation, true)).toMatchObject({
      code: 'PermissionDenied',
      kind: 'credentials',
    });
  });

  test('any code with QUOTA in it is quota', () => {
    const reasons = ['GPUS_ALL_REGIONS_QUOTA'];
    expect(meaningOf({ reasons, message: '' })).toBe('quota');
  });
});

describe('Retry-After', () => {
  test.each([
    ['7', 7],
    ['0', 0],
    [new Date(Date.now() + 60_000).toUTCString(), expect.any(Number)],
    ['soon', undefined],
    [null, undefined],
  ])('%s', (retryAfter, seconds) => {
    const answer = { ...answerOf(429, 'rateLimitExceeded'), retryAfter };
    expect(errorOfAnswer({ what: 'get' }, answer).retryAfterSeconds).toEqual(seconds);
  });
});

const strangerStart = (status: number): string =>
  `Google Compute Engine: get: Error ${status} (not an answer of Google; is something in between?): `;

describe('an answer that is not of Google', () => {
  test('the message quotes the beginning of the answer', () => {
    const text = `<html>${'x'.repeat(1_000)}`;
    const { message, code } = errorOfAnswer(
      { what: 'get' },
      { status: 502, text, retryAfter: null },
    );
    expect(code).toBe('Unavailable');
    expect(message).toHaveLength(strangerStart(502).length + 200);
  });

  test.each([
    [400, 'Unknown'],
    [401, 'Unknown'],
    [403, 'Unknown'],
    [404, 'Unknown'],
    [407, 'Unknown'],
    [408, 'DeadlineExceeded'],
    [429, 'Unavailable'],
    [502, 'Unavailable'],
    [504, 'DeadlineExceeded'],
  ])('%s neither judges class and credentials nor settles a create: %s', (status, code) => {
    for (const text of ['', '<html>', '{}', '[]', 'null', '{"error":"no"}', '{"message":"no"}']) {
      const answer = { status, text, retryAfter: null };
      const call = { what: 'get', isInsert: true, resource: 'instances/i' };
      expect(errorOfAnswer(call, answer)).toMatchObject({ code, settled: false });
    }
  });
});

const answered = (status: number, data: object | string) =>
  Object.assign(new Error('failed'), { response: { status, data } });

describe('no access token', () => {
  test.each([
    [
      'a wrong key',
      answered(400, { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' }),
      'Unauthenticated',
    ],
    ['a refused account', answered(403, { error: 'access_denied' }), 'Unauthenticated'],
    ['too many', answered(429, { error: 'rate' }), 'Unavailable'],
    ['their trouble', answered(503, {}), 'Unavailable'],
    [
      'an account that may not be impersonated',
      answered(403, { error: { code: 403, status: 'PERMISSION_DENIED', message: 'denied' } }),
      'Unauthenticated',
    ],
    [
      'an account to be impersonated that there is not',
      answered(404, { error: { code: 404, status: 'NOT_FOUND', message: 'no such email' } }),
      'Unauthenticated',
    ],
    ['a page of something in between', answered(404, 'no such page'), 'Unknown'],
    [
      'a key that is none',
      Object.assign(new Error('DECODER'), { code: 'ERR_OSSL_UNSUPPORTED' }),
      'Unauthenticated',
    ],
    ['no connection', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), 'Unavailable'],
    ['no file', Object.assign(new Error('no such file'), { code: 'ENOENT' }), 'Unauthenticated'],
  ])('%s', (_what, cause, code) => {
    expect(errorOfToken('insert', cause, true)).toMatchObject({ code, settled: true });
    expect(errorOfToken('get', cause, false).settled).toBe(false);
  });

  test.each([
    'SELF_SIGNED_CERT_IN_CHAIN',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'CERT_HAS_EXPIRED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'EPROTO',
    'HPE_INVALID_CONSTANT',
  ])('%s is a broken connection', (code) => {
    const cause = Object.assign(new Error('failed'), { code });
    expect(errorOfToken('insert', cause, true).code).toBe('Unavailable');
  });

  const denied =
    "Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist).";
  test.each([
    [
      'OAuth',
      { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' },
      '403 invalid_grant: Invalid JWT Signature.',
    ],
    [
      'the service that impersonates',
      { error: { code: 403, status: 'PERMISSION_DENIED', message: denied } },
      `403 PERMISSION_DENIED: ${denied}`,
    ],
    [
      'the metadata server',
      'Unable to generate access token',
      '403: Unable to generate access token',
    ],
    ['nobody', {}, '403: an empty answer'],
  ])('in the words of %s', (_who, data, words) => {
    const { message } = errorOfToken('get', answered(403, data), false);
    expect(message).toBe(`Google Compute Engine: get: cannot fetch token: ${words}`);
  });
});
