import { watchActiveWatcher } from '../../../kube/leases/active-watcher.ts';
import { requireLeader } from '../../../activities/runtime/leader-gate.ts';
import { watcherOfOthers } from '../../../workers/fleet/namespace-parts.ts';
import { untilDriversKnown } from '../../../workers/fleet/serve-worker.ts';
import { ServedNamespace } from '../../../workers/fleet/served-namespace.ts';
import { aMachineClass, namespace } from '../../support/builders.ts';
import { aWorld } from '../../support/world.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { logLines } from '../log/log-lines.ts';

test('a namespace whose MachineClasses the worker may not list reports why it is not served', async () => {
  const control = new InMemoryClient(aMachineClass({ provider: 'virtual' }));
  control.fault = () => ({ code: 403, reason: 'Forbidden', message: 'no rights' });
  const served: string[] = [];
  const driverWorkers = {
    waitsForClasses: true,
    serve: (provider: string) => void served.push(provider),
  };
  const one = new ServedNamespace({
    namespace,
    serve: (attempt) => untilDriversKnown({ driverWorkers, clients: { control } }, attempt),
    stopping: new AbortController().signal,
    waitMs: { first: 1, max: 2 },
    log: logLines().log,
    onReason: () => undefined,
    isFinal: () => false,
  });
  await one.settled;
  expect(one.reason).toMatch(/^the MachineClasses cannot be read: .*403 Forbidden/);
  control.fault = () => undefined;
  await one.served;
  expect(served).toEqual(['virtual']);
  await one.retire();
});

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const place = 'millwright/one/shoot  first';

test.each([
  { of: 'its own database of Temporal', scope: place, id: 'first', mayAct: true },
  { of: 'another database of Temporal', scope: place, id: 'second', mayAct: false },
  { of: 'another install', scope: 'millwright/one/other  first', id: 'first', mayAct: false },
  { of: 'a database that is not known yet', scope: place, id: '', mayAct: true },
  { of: 'a watcher that has noted nothing yet', scope: undefined, id: 'first', mayAct: true },
])('beside the watcher of $of a worker may act: $mayAct', async ({ scope, id, mayAct }) => {
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  const noted = scope && { 'millwright.dev/checkpoint': JSON.stringify({ scope, machines: '7' }) };
  const control = new InMemoryClient({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'millwright', namespace, annotations: { ...noted } },
    spec: { holderIdentity: 'watcher', leaseDurationSeconds: 15, renewTime },
  });
  const identity = { cluster: 'one', name: 'shoot', taskQueue: 'millwright/one/shoot' };
  const { log, lines } = logLines();
  const activeWatcher = watchActiveWatcher({
    client: control,
    namespace,
    isElsewhere: watcherOfOthers({ database: { id }, identity, log }),
    onError: () => undefined,
  });
  open.push(activeWatcher);
  await activeWatcher.synced;
  expect(activeWatcher.isActive()).toBe(mayAct);
  expect(lines).toHaveLength(mayAct ? 0 : 1);
});

test('an activity that waits until another install ends gives that as its reason', () => {
  const activeWatcher = { isActive: () => false, isElsewhere: () => true };
  const act = (): void => requireLeader({ ...aWorld({}), namespace, activeWatcher });
  expect(act).toThrow(/is that of a watcher of another install, or of another Temporal/);
});
