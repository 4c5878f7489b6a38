import { customResource, namespaced } from '../../../kube/client/paths.ts';
import { createRefusals } from '../../../activities/machine-class/refusals.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import type { MachineClass } from '../../../workflows/api/machine-class.ts';
import { aMachineClass, namespace } from '../../support/builders.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';

const ref = { namespace, name: 'small' };
const path = customResource('machineclasses', namespace, 'small');
const once = [`PATCH ${path}`, `POST ${namespaced('events', namespace)}`];

const noteIn = async (control: InMemoryClient): Promise<string | undefined> =>
  (await control.read<MachineClass>(path)).metadata.annotations?.[annotations.invalid];

test('hundreds of machines whose credentials are refused make one annotation and one Event', async () => {
  const control = new InMemoryClient(aMachineClass());
  const refusals = createRefusals(control);
  const calls = Array.from({ length: 300 }, (_, index) => `Unauthenticated: request ${index}`);
  await Promise.all(calls.map((words) => refusals.refused(ref, words, 'machines')));
  await refusals.refused(ref, 'Unauthenticated: later', 'machines');
  expect(control.writes()).toEqual(once);
  expect(await noteIn(control)).toBe('credentials: Unauthenticated: request 0');
});

test('the first machine whose call succeeds takes it back, the others write nothing', async () => {
  const control = new InMemoryClient(aMachineClass());
  const refusals = createRefusals(control);
  await refusals.refused(ref, 'Unauthenticated: no', 'machines');
  await Promise.all(Array.from({ length: 300 }, () => refusals.accepted(ref, 'machines')));
  expect(control.writes()).toEqual([...once, ...once]);
  expect(await noteIn(control)).toBeUndefined();
});

test('a class that takes no annotation, as under a policy, holds up none of its machines', async () => {
  const control = new InMemoryClient(aMachineClass());
  const refusals = createRefusals(control);
  await refusals.refused(ref, 'Unauthenticated: no', 'machines');
  control.fault = ({ method }) =>
    method === 'PATCH' ? { code: 403, reason: 'Forbidden', message: 'GitOps only' } : undefined;
  await refusals.refused(ref, 'Unauthenticated: no', 'listing');
  await refusals.accepted(ref, 'machines');
  expect(await noteIn(control)).toBe('credentials: Unauthenticated: no');
  control.fault = () => ({ code: 503, reason: 'ServiceUnavailable' });
  await expect(refusals.accepted(ref, 'machines')).rejects.toThrow('ServiceUnavailable');
});

test('a class that is gone is nothing to tell of', async () => {
  const control = new InMemoryClient();
  await createRefusals(control).refused(ref, 'Unauthenticated: no', 'machines');
  expect(control.writes()).toEqual([]);
});
