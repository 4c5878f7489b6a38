import { evaluateListings } from '../../../../activities/safety/orphans/find-orphans.ts';
import { aMachine, namespace } from '../../../support/builders.ts';
import { InMemoryClient } from '../../../support/api-server/in-memory-client.ts';

const provider = 'acme';

const machine = (name: string, className: string, providerID?: string) =>
  aMachine({
    phase: providerID === undefined ? 'Pending' : 'Running',
    metadata: { name },
    spec: {
      class: { kind: 'MachineClass', name: className },
      ...(providerID !== undefined && { providerID }),
    },
  });

const judge = (
  control: InMemoryClient,
  listings: Parameters<typeof evaluateListings>[1]['listings'],
) => evaluateListings(control, { namespace, provider, minAgeSeconds: 60, listings });

test('what no Machine knows is suspected, with the class that led to it', async () => {
  const control = new InMemoryClient(machine('a', 'small', 'acme:///1'), machine('b', 'small'));
  const [judged] = await judge(control, [
    {
      className: 'small',
      instances: [
        { providerID: 'acme:///1', machineName: 'a' },
        { providerID: 'acme:///2', machineName: 'b' },
        { providerID: 'acme:///3', machineName: 'gone' },
        { providerID: 'acme:///4', machineName: 'new', createdAt: Date.now() },
      ],
    },
  ]);
  expect(judged?.listing).toEqual({
    provider,
    className: 'small',
    classCount: 1,
    kept: { claimed: 1, creating: 1, young: 1 },
    suspects: [
      {
        providerID: 'acme:///3',
        machineName: 'gone',
        because: 'noMachine',
        provider,
        className: 'small',
      },
    ],
    omitted: 0,
  });
});

test('an instance that another class has listed is not missing', async () => {
  const control = new InMemoryClient(
    machine('a', 'small', 'acme:///1'),
    machine('b', 'small', 'acme:///2'),
    machine('c', 'large', 'acme:///3'),
  );
  const [small, large] = await judge(control, [
    { className: 'small', instances: [{ providerID: 'acme:///3', machineName: 'c' }] },
    { className: 'large', instances: [{ providerID: 'acme:///1', machineName: 'a' }] },
  ]);
  expect(small).toMatchObject({ machines: 2, unlisted: [{ name: 'b', providerID: 'acme:///2' }] });
  expect(large).toMatchObject({ machines: 1, unlisted: [] });
});

test('a listing that failed says of none that it is missing', async () => {
  const control = new InMemoryClient(machine('a', 'small', 'acme:///1'));
  const [judged] = await judge(control, [{ className: 'small', instances: [], error: 'no' }]);
  expect(judged).toMatchObject({ listing: { error: 'no', suspects: [] }, unlisted: [] });
});
