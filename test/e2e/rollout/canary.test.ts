/** Secrets are nowhere but in their Secrets. `canary-clouds` has the other clouds, by night. */
import type { CloudCase, RunningCloud } from '../support/clouds/cloud-case.ts';
import { aws } from '../support/clouds/aws.ts';
import { describeSecrets } from '../support/planted-secrets.ts';
import { testStack } from '../support/test-stack.ts';

const virtual: CloudCase = {
  provider: 'virtual',
  start: async (): Promise<RunningCloud> => ({
    upstream: { origin: testStack().virtualCloud },
    envFor: () => ({}),
    providerSpec: { size: 'small' },
    secret: { password: 'canary-4c20e8-of-the-account' },
    stepOf: () => ({ kind: '', object: '', isWrite: false, isDecisive: false }),
    living: async () => [],
    made: async () => 0,
    stop: async () => undefined,
  }),
};

describeSecrets(virtual);
describeSecrets(aws);
