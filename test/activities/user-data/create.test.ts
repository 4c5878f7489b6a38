import type { CreateRequest } from '../../../activities/drivers/driver.ts';
import { createDriverActivities } from '../../../activities/instance.ts';
import { readAndClaimMachine } from '../../../activities/machine/read-and-claim.ts';
import { contractVersion } from '../../../workflows/contracts/driver-activities.ts';
import type { DriverRequest } from '../../../workflows/contracts/driver-contract.ts';
import { aMachine, namespace } from '../../support/builders.ts';
import { refusingDriver } from '../../support/refusing-driver.ts';
import { aWorld, lifeOf } from '../../support/world.ts';
import { aConfigMap, anAskingClass } from './class-world.ts';

const request: DriverRequest = {
  contractVersion,
  machine: lifeOf('pool-a'),
  cluster: 'c',
  className: 'small',
  provider: 'virtual',
  token: 'uid-of-pool-a-0',
  isRetry: false,
};

function aServedWorld(control: object[]) {
  const asked: CreateRequest[] = [];
  const driver = refusingDriver('not asked for in this test', {
    createInstance: async (sent) => {
      asked.push(sent);
      return { providerID: 'local:///z/i', nodeName: 'pool-a', isInitialized: true, found: false };
    },
  });
  const view = {
    signal: () => new AbortController().signal,
    isShuttingDown: () => false,
    guard: async () => undefined,
  };
  const world = { ...aWorld({ control: [aMachine(), ...control] }), driver, ...view };
  return { world, asked, steps: createDriverActivities(world) };
}

const machine = { namespace, name: 'pool-a' };

test('a class without secretRef creates a machine with user data that were rendered for it', async () => {
  const { world, asked, steps } = aServedWorld([
    anAskingClass({}, { secretRef: {} }),
    aConfigMap(),
  ]);
  const read = await readAndClaimMachine(world, { machine, isRetry: false });
  const bootstrapTokenId = read.found ? read.machine.bootstrapTokenId : undefined;
  if (bootstrapTokenId === undefined) throw new Error(JSON.stringify(read));
  expect(await steps.createInstance({ ...request, bootstrapTokenId })).toEqual({
    outcome: 'created',
    instance: {
      providerID: 'local:///z/i',
      nodeName: 'pool-a',
      isFound: false,
      userDataOrigin: expect.stringMatching(/^ubuntu-24\.04@\S+ sha256:[0-9a-f]+$/),
    },
  });
  expect(asked[0]?.userData).toContain('pool-a');
  expect(asked[0]?.userData).toMatch(new RegExp(`${bootstrapTokenId}\\.[a-z0-9]{16}`));
});
