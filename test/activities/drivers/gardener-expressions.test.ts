/**
 * Gardener's extensions tell by expressions what kind of failure a machine has: whether to try
 * again, and what to show to the owner of the shoot. Every text that we write matches as the text
 * of Gardener's own driver does. (Expressions: `pkg/apis/<cloud>/helper/error_codes.go` of each.)
 */
import { describe, expect, test } from '@jest/globals';
import { errorOfAnswer } from '../../../activities/drivers/gcp/compute-error.ts';
import { errorOfToken } from '../../../activities/drivers/gcp/token-error.ts';
import { invalidSpec } from '../../../activities/drivers/spec-schema.ts';

/** The parts of them that our texts can meet. */
const expressions = {
  ERR_INFRA_UNAUTHENTICATED: /Authentication failed|invalid_client|cannot fetch token/i,
  ERR_INFRA_UNAUTHORIZED: /Unauthorized|invalid_grant|AccessDenied|Error 403/i,
  ERR_INFRA_QUOTA_EXCEEDED: /Quotas|Quota.*exceeded|exceeded quota|QUOTA_EXCEEDED/i,
  ERR_CONFIGURATION_PROBLEM: /Invalid value|notFound|InvalidParameter/i,
};

const codesOf = (text: string): string[] =>
  Object.entries(expressions).flatMap(([code, expression]) =>
    expression.test(text) ? [code] : [],
  );

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
      ['ERR_INFRA_UNAUTHORIZED', 'ERR_INFRA_QUOTA_EXCEEDED'],
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
    expect(codesOf(text)).toEqual(codes);
  });
});
