import { expect, test } from 'vitest';
import { untilDriversKnown } from '../../../workers/fleet/serve-worker.ts';
import { ServedNamespace } from '../../../workers/fleet/served-namespace.ts';
import { aMachineClass, namespace } from '../../support/builders.ts';
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
