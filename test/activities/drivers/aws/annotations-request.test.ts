/**
 * What stands on the Machine for its Node reaches the driver: the AWS driver reads its placement
 * there.
 */
import type { CreateRequest } from '../../../../activities/drivers/driver.ts';
import { createVirtualDriver } from '../../../../activities/drivers/virtual/driver.ts';
import { createDriverActivities } from '../../../../activities/instance.ts';
import { contractVersion } from '../../../../workflows/contracts/driver-activities.ts';
import { aMachineClass, aSecret } from '../../../support/builders.ts';
import { aWorld, lifeOf } from '../../../support/world.ts';

test('the driver gets the labels, taints and annotations of the Node with a create', async () => {
  const asked: CreateRequest[] = [];
  const driver = {
    ...createVirtualDriver({ url: undefined }),
    async createInstance(request: CreateRequest) {
      asked.push(request);
      const identity = { providerID: 'local:///z/i', nodeName: 'pool-a' };
      return { ...identity, isInitialized: true, found: false };
    },
  };
  const world = {
    ...aWorld({ control: [aMachineClass(), aSecret()] }),
    driver,
    signal: () => new AbortController().signal,
    isShuttingDown: () => false,
    guard: async () => undefined,
  };
  const annotations = { 'machine.sapcloud.io/awsPlacement': '{"Tenancy":"dedicated"}' };
  await createDriverActivities(world).createInstance({
    contractVersion,
    machine: lifeOf('pool-a'),
    cluster: 'c',
    className: 'small',
    provider: 'virtual',
    token: 'uid-0',
    isRetry: false,
    nodeTemplate: { labels: { a: 'b' }, annotations },
  });
  expect(asked).toMatchObject([{ nodeLabels: { a: 'b' }, nodeAnnotations: annotations }]);
});
