import { loadClientConnectConfig } from '@temporalio/envconfig';
import { defined } from '../../../workflows/values/defined.ts';
import { stackEnvironment } from '../../../deploy/local/stack-environment.ts';

const ofPerson = {
  HOME: '/home/ada',
  TEMPORAL_ADDRESS: 'prod.tmprl.cloud:7233',
  TEMPORAL_NAMESPACE: 'prod',
  TEMPORAL_API_KEY: 'key',
  TEMPORAL_TLS_CLIENT_CERT_PATH: '/home/ada/cert',
  TEMPORAL_PROFILE: 'prod',
  MILLWRIGHT_TEMPORAL: '/opt/temporal',
};

describe('the environment of a stack', () => {
  test('has nothing of another Temporal server where it starts its own', () => {
    expect(stackEnvironment({}, ofPerson)).toEqual({
      HOME: '/home/ada',
      MILLWRIGHT_TEMPORAL: '/opt/temporal',
      // The profile that is read without a variable.
      TEMPORAL_CONFIG_FILE: expect.stringMatching(/deploy.local.temporal\.toml$/),
      no_proxy: '127.0.0.1',
      NO_PROXY: '127.0.0.1',
    });
  });

  test('lets the SDK read its profile', () => {
    const environment = stackEnvironment({}, { TEMPORAL_ADDRESS: 'prod.tmprl.cloud:7233' });
    const overrideEnvVars = defined({ ...environment, TEMPORAL_ADDRESS: '127.0.0.1:7233' });
    const { connectionOptions } = loadClientConnectConfig({ overrideEnvVars });
    expect(connectionOptions).toMatchObject({ address: '127.0.0.1:7233' });
  });

  test('has what leads to the named server, and its namespace default', () => {
    const temporalAddress = 'temporal.example:7233';
    expect(stackEnvironment({ temporalAddress }, ofPerson)).toMatchObject({
      TEMPORAL_API_KEY: 'key',
      TEMPORAL_PROFILE: 'prod',
      TEMPORAL_NAMESPACE: 'default',
    });
  });

  test.each([
    { given: {}, spared: '127.0.0.1' },
    { given: { NO_PROXY: '.example' }, spared: '.example,127.0.0.1' },
    { given: { no_proxy: '.a', NO_PROXY: '.b' }, spared: '.a,127.0.0.1' },
    { given: { NO_PROXY: '*' }, spared: '*' },
  ])('asks no proxy for this machine: $spared', ({ given, spared }) => {
    expect(stackEnvironment({}, given)).toMatchObject({ NO_PROXY: spared, no_proxy: spared });
  });
});
