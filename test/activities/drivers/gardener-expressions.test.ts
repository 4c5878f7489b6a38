/**
 * Gardener reads what kind of failure a machine has from our texts, as it does from those of MCM's
 * drivers.
 */
import { failureOf } from '../../../activities/drivers/aws/error-mapping.ts';
import { awsErrors } from '../../../activities/drivers/aws/errors.ts';
import { failureOfAnswer } from '../../../activities/drivers/azure/error-mapping.ts';
import { codeMeanings } from '../../../activities/drivers/azure/errors.ts';
import { errorOfAnswer } from '../../../activities/drivers/gcp/error-mapping.ts';
import { errorOfToken } from '../../../activities/drivers/gcp/sdk-call.ts';
import { reasonMeanings } from '../../../activities/drivers/gcp/errors.ts';
import { invalidSpec } from '../../../activities/drivers/spec-schema.ts';
import { gardenerCodesOf, type Cloud } from './gardener-error-codes.ts';

function refusedInsert(status: number, reason: string, message: string): string {
  const text = JSON.stringify({ error: { code: status, message, errors: [{ reason }] } });
  return errorOfAnswer({ what: 'insert i-1', isInsert: true }, { status, text, retryAfter: null })
    .message;
}

function refusedToken(error: string, error_description: string): string {
  const cause = { response: { status: 400, data: { error, error_description } } };
  return errorOfToken('insert i-1', cause, true).message;
}

describe('Gardener reads from our texts', () => {
  test.each([
    [
      'a Google 403',
      refusedInsert(403, 'forbidden', "Required 'compute.instances.create' permission"),
      ['ERR_INFRA_UNAUTHORIZED'],
    ],
    [
      'a Google quota',
      refusedInsert(403, 'quotaExceeded', "Quota 'CPUS' exceeded. Limit: 24.0"),
      ['ERR_INFRA_QUOTA_EXCEEDED', 'ERR_INFRA_UNAUTHORIZED'],
    ],
    [
      'a Google key that was deleted',
      refusedToken('invalid_grant', 'Invalid JWT Signature.'),
      ['ERR_INFRA_UNAUTHENTICATED', 'ERR_INFRA_UNAUTHORIZED'],
    ],
    [
      'a Google key that cannot be used',
      errorOfToken('insert i-1', new Error('no PEM'), true).message,
      ['ERR_INFRA_UNAUTHENTICATED'],
    ],
    [
      'a faulty class',
      invalidSpec(['providerSpec.region is missing']),
      ['ERR_CONFIGURATION_PROBLEM'],
    ],
  ])('%s', (_what, text, codes) => {
    expect(gardenerCodesOf('gcp', text)).toEqual(codes);
  });
});

const words = 'the words of the cloud';

function ofEc2(code: string): string {
  const cause = { name: code, message: words, $metadata: { httpStatusCode: 400 } };
  const { signal } = new AbortController();
  const call = { action: 'RunInstances', region: 'eu-west-1', isCreate: true, timeoutSeconds: 30 };
  return failureOf({ ...call, signal, timeout: signal }, cause).message;
}

function ofAzure(code: string): string {
  return failureOfAnswer('PUT virtual machine m-1', { status: 400, code, message: words }).message;
}

/** A status that no expression knows by itself. */
const ofGoogle = (reason: string): string => refusedInsert(400, reason, words);

describe.each<[Cloud, (code: string) => string, string[]]>([
  ['aws', ofEc2, Object.keys(awsErrors)],
  ['azure', ofAzure, Object.keys(codeMeanings)],
  ['gcp', ofGoogle, Object.keys(reasonMeanings)],
])('of %s', (cloud, textOf, codes) => {
  test('each error that the driver knows is reported as the bare words of the cloud are', () => {
    const told = codes.map((code) => [code, gardenerCodesOf(cloud, textOf(code))]);
    expect(told).toEqual(codes.map((code) => [code, gardenerCodesOf(cloud, `${code}: ${words}`)]));
  });
});

test('a class that a driver refuses is a configuration problem in all clouds', () => {
  const text = invalidSpec(['providerSpec.region is missing']);
  for (const cloud of ['aws', 'azure', 'gcp'] as const) {
    expect(gardenerCodesOf(cloud, text)).toEqual(['ERR_CONFIGURATION_PROBLEM']);
  }
});
