/** Each row of the table, as an answer of EC2 and as what the core hears. */
import { awsErrors } from '../../../../activities/drivers/aws/errors.ts';
import { failureOf, type FailedCall } from '../../../../activities/drivers/aws/error-mapping.ts';
import { meanings } from '../../../../activities/drivers/error-meanings.ts';

function aCall(more: Partial<FailedCall> = {}): FailedCall {
  return {
    action: 'RunInstances',
    region: 'eu-west-1',
    isCreate: true,
    signal: new AbortController().signal,
    timeout: new AbortController().signal,
    timeoutSeconds: 30,
    ...more,
  };
}

/** As the SDK throws it. */
function anAnswer(code: string, httpStatusCode = 400, headers: Record<string, string> = {}) {
  const error = Object.assign(new Error('words of EC2'), { $metadata: { httpStatusCode } });
  return Object.assign(error, { name: code, $response: { headers } });
}

test.each(Object.entries(awsErrors))(
  'the EC2 error %s becomes the failure for %s',
  (code, name) => {
    const { isRefusal, ...meaning } = meanings[name];
    expect(failureOf(aCall(), anAnswer(code))).toMatchObject({
      ...meaning,
      settled: isRefusal,
      message: `EC2 in eu-west-1: RunInstances: ${code}: words of EC2`,
    });
    expect(failureOf(aCall({ isCreate: false }), anAnswer(code)).settled).toBe(false);
  },
);

describe('an error that is not in the table', () => {
  test.each([
    { name: 'a status of throttling', error: anAnswer('Odd', 429), expected: 'Unavailable' },
    { name: 'a status of trouble', error: anAnswer('Odd', 502), expected: 'Unavailable' },
    { name: 'another status', error: anAnswer('Odd', 418), expected: 'Unknown' },
    { name: 'a name of Object', error: anAnswer('constructor'), expected: 'Unknown' },
    { name: 'no error at all', error: 'text', expected: 'Unknown' },
  ])('$name is $expected', ({ error, expected }) => {
    expect(failureOf(aCall(), error).code).toBe(expected);
  });

  test('a broken connection leaves it open what was done', () => {
    const error = Object.assign(new Error('socket hang up'), {
      code: 'ECONNRESET',
      $metadata: { attempts: 1 },
    });
    expect(failureOf(aCall(), error)).toMatchObject({
      code: 'Unavailable',
      settled: false,
      message: 'EC2 in eu-west-1: RunInstances: ECONNRESET: socket hang up',
    });
  });
});

test('a cancelled call and a slow one have different codes', () => {
  const error = new Error('aborted');
  const aborted = AbortSignal.abort();
  expect(failureOf(aCall({ signal: aborted, timeout: aborted }), error)).toMatchObject({
    code: 'Canceled',
    settled: false,
  });
  expect(failureOf(aCall({ timeout: aborted }), error)).toMatchObject({
    code: 'DeadlineExceeded',
    settled: false,
    message: 'EC2 in eu-west-1: RunInstances: no answer within 30 s',
  });
});

test.each([
  { header: '3', expected: 3 },
  { header: '0.5', expected: 0.5 },
  { header: 'soon', expected: undefined },
  { header: 'Thu, 01 Jan 1970 00:00:00 GMT', expected: 0 },
])('Retry-After "$header" is $expected', ({ header, expected }) => {
  const error = anAnswer('RequestLimitExceeded', 503, { 'retry-after': header });
  expect(failureOf(aCall(), error).retryAfterSeconds).toBe(expected);
});

test('Retry-After may be a date', () => {
  const date = new Date(Date.now() + 60_000).toUTCString();
  const error = anAnswer('RequestLimitExceeded', 503, { 'retry-after': date });
  const seconds = failureOf(aCall(), error).retryAfterSeconds ?? 0;
  expect(seconds).toBeGreaterThan(50);
  expect(seconds).toBeLessThanOrEqual(60);
});

function messageOf(message: string): string {
  const error = Object.assign(anAnswer('UnauthorizedOperation', 403), { message });
  return failureOf(aCall(), error).message;
}

describe('a long message', () => {
  const title = 'You are not authorized. Encoded authorization failure message: ';

  test('a long message keeps an encoded policy decision whole, so that it can be decoded', () => {
    const message = `${title}${'x'.repeat(1_400)}`;
    expect(messageOf(message)).toBe(
      `EC2 in eu-west-1: RunInstances: UnauthorizedOperation: ${message}`,
    );
  });

  test('a long message drops a decision that is too long, and keeps the rest', () => {
    const words = messageOf(`${title}${'x'.repeat(9_999)} User: arn:aws:iam::1:user/u`);
    expect(words).toContain('(9999 characters, too long for here: CloudTrail has them');
    expect(words).toContain('User: arn:aws:iam::1:user/u');
    expect(words).not.toContain('xx');
  });

  test('a long message of another kind is cut', () => {
    expect(messageOf('y'.repeat(9_999)).length).toBeLessThan(1_700);
  });
});

test('AuthFailure for an image that is not shared is a fault of the class', () => {
  const message = 'Not authorized for images: [ami-03a5b89a2fbe7dd3d]';
  const failure = failureOf(aCall(), Object.assign(anAnswer('AuthFailure'), { message }));
  expect(failure).toMatchObject({ code: 'InvalidArgument', kind: 'input', settled: true });
});

describe('ValidationError is', () => {
  test.each([
    { message: 'Request ARN is invalid', code: 'Unauthenticated', kind: 'credentials' },
    {
      message:
        "1 validation error detected: Value 'arn:aws' at 'roleArn' failed to satisfy constraint: Member must have length greater than or equal to 20",
      code: 'Unauthenticated',
      kind: 'credentials',
    },
    {
      message:
        "1 validation error detected: Value '' at 'webIdentityToken' failed to satisfy constraint: Member must have length greater than or equal to 4",
      code: 'Unauthenticated',
      kind: 'credentials',
    },
    { message: 'The input is not right', code: 'InvalidArgument', kind: 'input' },
  ])('$kind: $message', ({ message, code, kind }) => {
    const failure = failureOf(aCall(), Object.assign(anAnswer('ValidationError'), { message }));
    expect(failure).toMatchObject({ code, kind });
  });
});

describe('Unsupported is a lack of capacity, so that the autoscaler turns to another pool', () => {
  test.each([
    'Your requested instance type (i4i.large) is not supported in your requested Availability Zone (us-east-1a).',
    'EBS-optimized instances are not supported for your requested configuration.',
    'Your requested instance type (m1.small) is not supported in this region (eu-west-1).',
  ])('%s', (message) => {
    const failure = failureOf(aCall(), Object.assign(anAnswer('Unsupported'), { message }));
    expect(failure).toMatchObject({ code: 'ResourceExhausted', kind: 'capacity', settled: true });
    expect(failure.message).toContain(message);
  });

  test('Unsupported without a reason says what to check', () => {
    const message = 'The requested configuration is currently not supported.';
    const failure = failureOf(aCall(), Object.assign(anAnswer('Unsupported'), { message }));
    expect(failure).toMatchObject({
      kind: 'capacity',
      message: expect.stringContaining('ebsOptimized'),
    });
  });
});
