import { addressesByCloud } from '../../../activities/serving-certificates/ask-cloud.ts';
import { createClassReader } from '../../../activities/machine-class/reader.ts';
import type { MachineRequest } from '../../../activities/drivers/driver.ts';
import { aMachine, aMachineClass, aSecret, namespace } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

const providerID = 'local:///a/i-1';
const machine = aMachine({ spec: { class: { kind: 'MachineClass', name: 'small' }, providerID } });
const secretRef = { name: 'credentials', namespace };
const aClass = aMachineClass({ provider: 'virtual', providerSpec: { size: 's' }, secretRef });

async function asked(...objects: object[]) {
  const requests: MachineRequest[] = [];
  const driver = {
    describeInstance: async (request: MachineRequest) => {
      requests.push(request);
      const addresses = [{ type: 'InternalIP', address: '10.0.0.1' }];
      return { providerID, nodeName: 'pool-a', addresses, isInitialized: true };
    },
  };
  const addresses = await addressesByCloud(
    {
      cluster: 'uid-of-cluster',
      classes: createClassReader({ client: new InMemoryClient(...objects), namespace }),
      driverOf: (provider) => (provider === 'virtual' ? driver : undefined),
      signal: new AbortController().signal,
    },
    machine,
  );
  return { addresses, requests };
}

test('the driver is asked by the identity of the instance', async () => {
  const secret = aSecret({ key: 'x' }, { name: 'credentials' });
  const { addresses, requests } = await asked(aClass, secret);
  expect(addresses).toEqual([{ type: 'InternalIP', address: '10.0.0.1' }]);
  expect(requests).toMatchObject([
    {
      cluster: 'uid-of-cluster',
      machine: { namespace, name: 'pool-a' },
      providerID,
      providerSpec: { size: 's' },
    },
  ]);
});

test.each([
  ['a class that is gone', []],
  ['a driver of another process', [aMachineClass({ provider: 'mine' })]],
])('of %s nothing is known', async (_what, objects) => {
  expect(await asked(...objects)).toEqual({ addresses: undefined, requests: [] });
});
