import { describe, expect, test } from '@jest/globals';
import {
  errorOfAnswer,
  errorOfOperation,
} from '../../../../activities/drivers/gcp/compute-error.ts';
import {
  meaningOf,
  reasonMeanings,
  statusMeanings,
} from '../../../../activities/drivers/gcp/errors.ts';
import { errorOfToken } from '../../../../activities/drivers/gcp/token-error.ts';
import { meanings } from '../../../../activities/drivers/error-meanings.ts';
import { errorAnswer } from '../../../doubles/gcp/answers.ts';

const answerOf = (status: number, reason: string, message = 'words') => ({
  status,
  text: JSON.stringify(errorAnswer({ status, reason, message }).body),
  retryAfter: null,
});

describe('each reason has its meaning', () => {
  test.each(Object.entries(reasonMeanings))('%s is %s', (reason, meaning) => {
    const error = errorOfAnswer('insert', answerOf(400, reason), true);
    const expected = meanings[meaning === 'missing' ? 'input' : meaning];
    expect(error).toMatchObject({ code: expected.code, settled: expected.isRefusal });
    expect(error.message).toBe(`Google Compute Engine: insert: 400 ${reason}: words`);
    expect(errorOfAnswer('get', answerOf(400, reason), false)).toMatchObject({
      code: meanings[meaning].code,
      settled: false,
    });
    const operation = { name: 'op', isDone: true, errors: [{ code: reason, message: 'words' }] };
    expect(errorOfOperation('insert', operation, true).code).toBe(expected.code);
  });
});

describe('each status has its meaning, where the reason is unknown', () => {
  test.each(Object.entries(statusMeanings))('%s is %s', (status, meaning) => {
    const error = errorOfAnswer('get', answerOf(Number(status), 'newReason'), false);
    expect(error.code).toBe(meanings[meaning].code);
  });

  test('what is in no table is Unknown, and not settled', () => {
    const is = { code: 'Unknown', settled: false };
    expect(errorOfAnswer('insert', answerOf(418, 'teapot'), true)).toMatchObject(is);
    expect(meaningOf({ reasons: ['NEVER_SEEN'], message: '' })).toBe('unknown');
    expect(meaningOf({ reasons: ['toString'], message: '' })).toBe('unknown');
  });
});

describe('told apart', () => {
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
      'InvalidArgument',
    ],
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
      'a 401 whose reason is that of a missing field',
      401,
      'required',
      'Login Required',
      'Unauthenticated',
    ],
  ])('%s', (...[, status, reason, message, code]) => {
    expect(errorOfAnswer('get', answerOf(status, reason, message), false).code).toBe(code);
  });

  test('of several errors the one that says most about what to do counts, not the last', () => {
    const errors = [
      { code: 'ZONE_RESOURCE_POOL_EXHAUSTED', message: 'no machines' },
      { code: 'INTERNAL_ERROR', message: 'and something else' },
    ];
    const operation = { name: 'op', isDone: true, errors };
    expect(errorOfOperation('insert x', operation, true)).toMatchObject({
      kind: 'capacity',
      message:
        'Google Compute Engine: insert x: operation op failed: ZONE_RESOURCE_POOL_EXHAUSTED, INTERNAL_ERROR: no machines; and something else',
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
    expect(errorOfAnswer('get', answer, false).retryAfterSeconds).toEqual(seconds);
  });
});

test('an answer that is not of Google is told in its own words, not all of them', () => {
  const text = `<html>${'x'.repeat(1_000)}`;
  const { message, code } = errorOfAnswer('get', { status: 502, text, retryAfter: null }, false);
  expect(code).toBe('Unavailable');
  expect(message).toHaveLength('Google Compute Engine: get: 502: '.length + 200);
});

const answered = (status: number, data: object) =>
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
});
