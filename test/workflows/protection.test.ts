import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { LastLook } from '../../workflows/activities.ts';
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
      return {};
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

describe('a class that no Machine uses any more', () => {
  const ref = { namespace: 'last', name: 'small' };
  const asked = { resource: 'machineclasses', ref } as const;

  interface Row {
    isDeleting: boolean;
    looks: LastLook[];
  }

  async function run(taskQueue: string, { isDeleting, looks }: Row): Promise<CallLog> {
    const log = new CallLog();
    let isReleased = false;
    const kube = log.record({
      async protectFromDeletion({ lastLook }: { lastLook?: object }) {
        isReleased ||= lastLook !== undefined;
        return isReleased ? {} : { looksFirst: { provider: 'local', isDeleting } };
      },
    });
    const rest = looks[Symbol.iterator]();
    const driver = log.record({
      lookLast: async () => rest.next().value ?? { left: 0, examples: [] },
    });
    await temporal.withWorkers(taskQueue, { kube, driver }, async () => {
      const handle = await temporal.client.workflow.start('machineClass', {
        taskQueue,
        workflowId: taskQueue,
        args: [{ ref, cluster }] satisfies [EntityInput],
      });
      const waits = isDeleting ? looks.length - 1 : 0;
      for (let waited = 0; waited < waits; waited += 1) {
        await log.until('lookLast', waited + 1);
        await temporal.skip(31);
      }
      await handle.result();
    });
    return log;
  }

  const empty: LastLook = { left: 0, examples: [] };
  const one: LastLook = { left: 1, examples: ['local:///z/i-1'] };
  const failed: LastLook = { left: 0, examples: [], error: 'Internal: no' };

  test('is let go when a last look finds nothing', async () => {
    const log = await run('last-empty', { isDeleting: true, looks: [empty] });
    expect(log.inputsOf('protectFromDeletion')).toEqual([asked, { ...asked, lastLook: {} }]);
    expect(log.inputsOf('lookLast')).toEqual([
      { namespace: 'last', cluster, provider: 'local', className: 'small' },
    ]);
  });

  test('stays while there are instances, and goes after them', async () => {
    const log = await run('last-one', { isDeleting: true, looks: [one, one, empty] });
    expect(log.count('lookLast')).toBe(3);
    expect(log.inputsOf('protectFromDeletion').at(-1)).toEqual({ ...asked, lastLook: {} });
  });

  test('stays protected without waiting while nobody deletes it', async () => {
    const log = await run('last-kept', { isDeleting: false, looks: [one] });
    expect(log.inputsOf('protectFromDeletion')).toEqual([asked]);
  });

  test('is let go with a word when the cloud does not let us look', async () => {
    const log = await run('last-failed', { isDeleting: true, looks: [failed, failed, failed] });
    expect(log.inputsOf('protectFromDeletion').at(-1)?.lastLook?.problem).toContain('Internal: no');
  });
});
