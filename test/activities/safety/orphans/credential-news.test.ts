import { DriverError } from '../../../../activities/drivers/driver.ts';
import { customResource } from '../../../../kube/client/paths.ts';
import { createRefusals } from '../../../../activities/machine-class/refusals.ts';
import { findOrphans } from '../../../../activities/safety/orphans/find-orphans.ts';
import { reportCredentials } from '../../../../activities/safety/orphans/report-credentials.ts';
import { annotations } from '../../../../workflows/api/constants.ts';
import type { MachineClass } from '../../../../workflows/api/machine-class.ts';
import type { CredentialNews } from '../../../../workflows/plan/safety/orphan-sweep.ts';
import { aMachineClass, aSecret, namespace } from '../../../support/builders.ts';
import { InMemoryClient } from '../../../support/api-server/in-memory-client.ts';

const { signal } = new AbortController();
const refusal = 'PermissionDenied: no';
const told = `credentials, to list instances: ${refusal}`;

const classWith = (name: string, note?: string): MachineClass =>
  aMachineClass({
    metadata: { name, ...(note && { annotations: { [annotations.invalid]: note } }) },
  });

/** Two classes with one Secret, of which one says that it is refused. */
async function newsOf(kind: 'credentials' | 'none' | 'unavailable'): Promise<unknown> {
  const control = new InMemoryClient(classWith('silent'), classWith('told', told), aSecret());
  const driver = {
    settleSeconds: 1,
    describeInstance: async () => undefined,
    listScope: () => '',
    async listInstances() {
      if (kind === 'credentials') {
        throw new DriverError({ code: 'PermissionDenied', kind, message: 'no', settled: true });
      }
      if (kind === 'unavailable') {
        throw new DriverError({ code: 'Unavailable', message: 'later', settled: false });
      }
      return [];
    },
  };
  const request = { namespace, cluster: 'c', provider: 'virtual', minAgeSeconds: 60 };
  const [listing] = await findOrphans({ driver, control, signal: () => signal }, request);
  return listing?.credentials;
}

describe('a listing is news of the credentials', () => {
  test('for the classes that do not say yet that they are refused', async () => {
    expect(await newsOf('credentials')).toEqual({ classNames: ['silent'], refusal });
  });

  test('for the classes that still say so', async () => {
    expect(await newsOf('none')).toEqual({ classNames: ['told'] });
  });

  test('for nobody when it fails for another reason', async () => {
    expect(await newsOf('unavailable')).toBeUndefined();
  });
});

test('each class is reported once', async () => {
  const control = new InMemoryClient(classWith('a'), classWith('b', told));
  const world = { refusals: createRefusals(control) };
  const news: CredentialNews[] = [{ classNames: ['a', 'gone'], refusal }, { classNames: ['b'] }];
  await reportCredentials(world, { namespace, news });
  await reportCredentials(world, { namespace, news });
  const noteOf = async (name: string): Promise<string | undefined> => {
    const path = customResource('machineclasses', namespace, name);
    return (await control.read<MachineClass>(path)).metadata.annotations?.[annotations.invalid];
  };
  expect([await noteOf('a'), await noteOf('b')]).toEqual([told, undefined]);
  expect(control.writes()).toHaveLength(4);
});
