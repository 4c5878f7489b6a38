import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { EntityInput, Sighting } from '../../workflows/messages.ts';
import { useChanged, workflowIdOf } from '../../workflows/messages.ts';
import { CallLog } from '../support/call-log.ts';
import { TemporalForTests } from '../support/temporal.ts';

let temporal: TemporalForTests;
beforeAll(async () => {
  temporal = await TemporalForTests.start();
}, 60_000);
afterAll(() => temporal.stop());

const cluster = 'uid-of-kube-system';
const signal: Sighting = { cluster, epoch: 1, resourceVersion: '1' };

test.each([
  { kind: 'machineClass', resource: 'machineclasses' },
  { kind: 'secret', resource: 'secrets' },
] as const)('$kind: looks, and once more for all that changed meanwhile', async (row) => {
  const { kind, resource } = row;
  const ref = { namespace: `shoot-${kind}`, name: 'small' };
  const workflowId = workflowIdOf(kind, ref);
  const steps = new EventEmitter();
  const isToldOf = once(steps, 'told');
  const log = new CallLog();
  const kube = log.record({
    protectFromDeletion: async () => {
      if (log.count('protectFromDeletion') === 1) await isToldOf;
    },
  });
  await temporal.withWorkers(ref.namespace.toLowerCase(), { kube }, async () => {
    const handle = await temporal.client.workflow.signalWithStart(kind, {
      taskQueue: ref.namespace.toLowerCase(),
      workflowId,
      args: [{ ref, cluster }] satisfies [EntityInput],
      signal: useChanged,
      signalArgs: [signal],
    });
    await log.until('protectFromDeletion');
    await handle.signal(useChanged, signal);
    await handle.signal(useChanged, { ...signal, resourceVersion: '2' });
    await handle.signal(useChanged, { ...signal, cluster: 'elsewhere' });
    await handle.cancel();
    steps.emit('told');
    await handle.result();
    expect(log.inputsOf('protectFromDeletion')).toEqual([
      { resource, ref },
      { resource, ref },
    ]);
  });
});
