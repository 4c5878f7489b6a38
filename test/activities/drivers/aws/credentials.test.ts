import { credentialsOf } from '../../../../activities/drivers/aws/credentials.ts';
import type { Environment } from '../../../../activities/drivers/settings.ts';

const keys = { kind: 'keys', accessKeyId: 'a', secretAccessKey: 's' };
const tokenFile = '/var/run/secrets/gardener.cloud/workload-identity/token';

function settings(env: Environment = {}, allowsAmbientCredentials = false) {
  return { env, allowsAmbientCredentials, allowsTokenFiles: true };
}

test.each([
  { providerAccessKeyId: 'a', providerSecretAccessKey: 's' },
  { accessKeyID: 'a', secretAccessKey: 's' },
  { providerAccessKeyId: 'a', secretAccessKey: 's' },
  { providerAccessKeyId: ' a\n', providerSecretAccessKey: 's\n' },
  { providerAccessKeyId: 'a', accessKeyID: 'b', secretAccessKey: 's' },
])('AWS keys are read out of %j', (secret) => {
  expect(credentialsOf(secret, settings())).toEqual(keys);
});

test('a role with a token goes before keys', () => {
  const secret = { workloadIdentityTokenFile: tokenFile, roleARN: 'arn:r', accessKeyID: 'a' };
  expect(credentialsOf(secret, settings())).toEqual({
    kind: 'webIdentity',
    tokenFile,
    roleArn: 'arn:r',
  });
});

describe('AWS credentials are refused with what is missing:', () => {
  const pair =
    'providerAccessKeyId or accessKeyID, and no providerSecretAccessKey or secretAccessKey';
  test.each([
    { name: 'nothing', secret: {}, says: `the Secret of the class has no ${pair}.` },
    {
      name: 'no secret key',
      secret: { accessKeyID: 'a' },
      says: 'the Secret of the class has no providerSecretAccessKey or secretAccessKey.',
    },
    {
      name: 'no access key',
      secret: { secretAccessKey: 's' },
      says: 'the Secret of the class has no providerAccessKeyId or accessKeyID.',
    },
    {
      name: 'an empty key that hides another',
      secret: { providerAccessKeyId: '', accessKeyID: 'a', secretAccessKey: 's' },
      says: 'the Secret of the class has no providerAccessKeyId or accessKeyID.',
    },
    {
      name: 'the spelling of a sample that no driver reads',
      secret: { accessKeyId: 'a', secretAccessKey: 's' },
      says: 'the Secret of the class has no providerAccessKeyId or accessKeyID.',
    },
    {
      name: 'a token without a role',
      secret: { workloadIdentityTokenFile: tokenFile },
      says: 'the Secret of the class has workloadIdentityTokenFile and no roleARN; add it',
    },
  ])('$name', ({ secret, says }) => {
    expect(() => credentialsOf(secret, settings())).toThrow(
      expect.objectContaining({
        code: 'Unauthenticated',
        kind: 'credentials',
        settled: false,
        message: expect.stringContaining(says),
      }),
    );
  });
});

test('no message holds what a key says', () => {
  expect(() => credentialsOf({ accessKeyID: 'AKIA-THIS' }, settings())).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('AKIA-THIS') }),
  );
});

function secretOf(workloadIdentityTokenFile: string) {
  return { workloadIdentityTokenFile, roleARN: 'arn:r' };
}

describe('a token file', () => {
  test('a token file is used only where the operator allows it, whatever role the Secret names', () => {
    const strict = { env: {}, allowsAmbientCredentials: false };
    expect(() => credentialsOf(secretOf(tokenFile), strict)).toThrow(
      expect.objectContaining({
        code: 'Unauthenticated',
        kind: 'credentials',
        settled: false,
        message: expect.stringContaining('only if it runs with --token-files'),
      }),
    );
  });

  test('a token file of the process needs no permission, as it is a part of its own credentials', () => {
    const env = { AWS_WEB_IDENTITY_TOKEN_FILE: '/any/token', AWS_ROLE_ARN: 'arn:r' };
    const ambient = { env, allowsAmbientCredentials: true, allowsTokenFiles: false };
    expect(credentialsOf({}, ambient)).toMatchObject({ tokenFile: '/any/token' });
  });

  test('a token file may be in the folder that the operator sets', () => {
    const env = { MILLWRIGHT_TOKEN_DIRECTORY: '/tokens/' };
    expect(credentialsOf(secretOf('/tokens/aws/token'), settings(env))).toMatchObject({
      tokenFile: '/tokens/aws/token',
    });
    expect(() => credentialsOf(secretOf(tokenFile), settings(env))).toThrow('below /tokens/');
  });
});

describe('credentials of the process', () => {
  const env = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' };

  test('credentials of the process are used only where allowed, and only if the Secret has none', () => {
    expect(credentialsOf({}, settings(env, true))).toEqual(keys);
    expect(() => credentialsOf({}, settings(env))).toThrow('--ambient-credentials');
    expect(() => credentialsOf({ accessKeyID: 'a' }, settings(env, true))).toThrow('has no');
    const secret = { accessKeyID: 'b', secretAccessKey: 't' };
    expect(credentialsOf(secret, settings(env, true))).toMatchObject({ accessKeyId: 'b' });
  });

  test.each([
    {
      name: 'keys of a session',
      env: { ...env, AWS_SESSION_TOKEN: 't' },
      expected: { ...keys, sessionToken: 't' },
    },
    {
      name: 'a role with a token, wherever that is',
      env: { AWS_WEB_IDENTITY_TOKEN_FILE: '/any/token', AWS_ROLE_ARN: 'arn:r' },
      expected: { kind: 'webIdentity', tokenFile: '/any/token', roleArn: 'arn:r' },
    },
    { name: 'whatever the chain of the SDK finds', env: {}, expected: { kind: 'ambient' } },
  ])('$name', ({ env: given, expected }) => {
    expect(credentialsOf({}, settings(given, true))).toEqual(expected);
  });
});
