/** What `millwright watch` does where it may not read what it is to watch. */
import { expect, test } from 'vitest';
import { LiveFleet } from '../../cli/watch/live-fleet.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import { InMemoryClient } from '../support/api-server/in-memory-client.ts';
import { aMachine } from '../support/builders.ts';

function aFleetWithout(kind: string) {
  const kube = new InMemoryClient(aMachine());
  kube.fault = ({ path }) =>
    path.endsWith(`/${kind}`) ? { code: 403, reason: 'Forbidden' } : undefined;
  const said: string[] = [];
  const fleet = new LiveFleet({
    place: { kube, namespace: 'shoot' },
    asked: {},
    onChange: () => {},
    onError: (error) => said.push(reasonOf(error)),
  });
  return { fleet, said };
}

test('without the right to list machines it ends, and never shows that there are none', async () => {
  const { fleet } = aFleetWithout('machines');
  await expect(fleet.start()).rejects.toThrow('/machines: 403 Forbidden');
  expect(fleet.now()).toBeUndefined();
  await fleet.stop();
}, 10_000);

test('reports once that it may not list MachineClasses, and shows the rest', async () => {
  const { fleet, said } = aFleetWithout('machineclasses');
  await fleet.start();
  expect(fleet.now()?.machines).toHaveLength(1);
  expect(said).toEqual([expect.stringContaining('/machineclasses: 403 Forbidden')]);
  await fleet.stop();
}, 10_000);
