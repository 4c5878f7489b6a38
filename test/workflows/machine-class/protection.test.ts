import { EventEmitter, once } from 'node:events';
import type { WorkflowHandle } from '@temporalio/client';
import type { FinalCheck } from '../../../workflows/contracts/safety-activities.ts';
import type { WorkflowInput, SnapshotVersion } from '../../../workflows/contracts/references.ts';
import { useChanged } from '../../../workflows/contracts/messages.ts';
import { workflowIdOf } from '../../../workflows/contracts/workflow-ids.ts';
import { CallLog } from '../../support/call-log.ts';
import { type Queues, TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';

const temporal = TemporalForTests.ofFile();

const cluster = 'uid-of-kube-system';
const signal: SnapshotVersion = { cluster, epoch: 1, resourceVersion: '1' };

test.each([
  { kind: 'machineClass', resource: 'machineclasses' },
  { kind: 'secret', resource: 'secrets' },
] as const)(
  'the workflow of a $kind reads, and once more for all that changed meanwhile',
  async (row) => {
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
        args: [{ ref, cluster }] satisfies [WorkflowInput],
        signal: useChanged,
        signalArgs: [signal],
      });
      await log.until('protectFromDeletion');
      await handle.signal(useChanged, signal);
      await handle.signal(useChanged, { ...signal, resourceVersion: '2' });
      await handle.signal(useChanged, { ...signal, cluster: 'elsewhere' });
      await handle.cancel();
      steps.emit('told');
      await resultOf(handle);
      expect(log.inputsOf('protectFromDeletion')).toEqual([
        { resource, ref },
        { resource, ref },
      ]);
    });
  },
);

/**
 * In small steps: what is skipped before the workflow waits does not bring its next look nearer.
 */
async function skipToLook(log: CallLog, times: number): Promise<void> {
  for (let steps = 0; steps < 100 && log.count('checkFinally') < times; steps += 1) {
    await temporal.skip(5);
  }
  await log.until('checkFinally', times);
}

describe('a class that no Machine uses any more', () => {
  const ref = { namespace: 'last', name: 'small' };
  const asked = { resource: 'machineclasses', ref } as const;

  interface Row {
    isDeleting: boolean;
    looks: FinalCheck[];
  }

  /** Runs `body` with the workflow of the class, which is over with it. */
  async function withClass(
    taskQueue: string,
    queues: Queues,
    body: (handle: WorkflowHandle) => Promise<void>,
  ): Promise<void> {
    await temporal.withWorkflow({ workflowId: taskQueue, taskQueue }, queues, async () => {
      const input: WorkflowInput = { ref, cluster };
      const options = { taskQueue, workflowId: taskQueue, args: [input] };
      await body(await temporal.client.workflow.start('machineClass', options));
    });
  }

  async function run(taskQueue: string, { isDeleting, looks }: Row): Promise<CallLog> {
    const log = new CallLog();
    let isReleased = false;
    const kube = log.record({
      async protectFromDeletion({ finalCheck }: { finalCheck?: object }) {
        isReleased ||= finalCheck !== undefined;
        return isReleased ? {} : { checkFirst: { provider: 'virtual', isDeleting } };
      },
    });
    const rest = looks[Symbol.iterator]();
    const driver = log.record({
      checkFinally: async () => rest.next().value ?? { left: 0, examples: [] },
    });
    await withClass(taskQueue, { kube, driver }, async (handle) => {
      const waits = isDeleting ? looks.length - 1 : 0;
      for (let waited = 0; waited < waits; waited += 1) {
        await skipToLook(log, waited + 2);
      }
      await resultOf(handle);
    });
    return log;
  }

  const empty: FinalCheck = { left: 0, examples: [] };
  const one: FinalCheck = { left: 1, examples: ['local:///z/i-1'] };
  const failed: FinalCheck = { left: 0, examples: [], error: 'Internal: no' };

  test('is let go when a last look finds nothing', async () => {
    const log = await run('last-empty', { isDeleting: true, looks: [empty] });
    expect(log.inputsOf('protectFromDeletion')).toEqual([asked, { ...asked, finalCheck: {} }]);
    expect(log.inputsOf('checkFinally')).toEqual([
      { namespace: 'last', cluster, provider: 'virtual', className: 'small' },
    ]);
  });

  test('stays while there are instances, and goes after them', async () => {
    const log = await run('last-one', { isDeleting: true, looks: [one, one, empty] });
    expect(log.count('checkFinally')).toBe(3);
    expect(log.inputsOf('protectFromDeletion').at(-1)).toEqual({ ...asked, finalCheck: {} });
  });

  test('keeps its finalizer, without a wait, while it is not being deleted', async () => {
    const log = await run('last-kept', { isDeleting: false, looks: [one] });
    expect(log.inputsOf('protectFromDeletion')).toEqual([asked]);
  });

  test('is let go after 3 minutes and told about while instances without a Machine are left', async () => {
    const before = await temporal.now();
    // At 0, 30, 60, 90, 120, 150 and 180 seconds.
    const looks = Array.from({ length: 7 }, () => one);
    const log = await run('last-left', { isDeleting: true, looks });
    expect(log.count('checkFinally')).toBe(7);
    const { problem } = log.inputsOf('protectFromDeletion').at(-1)?.finalCheck ?? {};
    expect(problem).toContain('local:///z/i-1');
    expect((await temporal.now()) - before).toBeLessThan(5 * 60_000);
  });

  test('is let go after 3 minutes when a look gets no answer', async () => {
    const log = new CallLog();
    const kube = log.record({
      protectFromDeletion: async ({ finalCheck }: { finalCheck?: object }) =>
        finalCheck ? {} : { checkFirst: { provider: 'virtual', isDeleting: true } },
    });
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    const driver = log.record({
      async checkFinally() {
        if (log.count('checkFinally') === 7) await isOver;
        return one;
      },
    });
    await withClass('last-silent', { kube, driver }, async (handle) => {
      const start = await temporal.now();
      await skipToLook(log, 6);
      // Time passes as usual while an activity runs: the seventh look begins shortly before the
      // end.
      await temporal.skip(176 - ((await temporal.now()) - start) / 1000);
      await handle.signal(useChanged, signal);
      await resultOf(handle);
      end();
    });
    const { problem } = log.inputsOf('protectFromDeletion').at(-1)?.finalCheck ?? {};
    expect(problem).toContain('no answer in time');
  });

  test('is let go with its problem after three listings that the cloud refused', async () => {
    const log = await run('last-failed', { isDeleting: true, looks: [failed, failed, failed] });
    expect(log.inputsOf('protectFromDeletion').at(-1)?.finalCheck?.problem).toContain(
      'Internal: no',
    );
  });
});
