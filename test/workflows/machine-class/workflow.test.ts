import type { WorkflowHandle } from '@temporalio/client';
import type { ReadClassOutcome } from '../../../workflows/contracts/machine-class-activities.ts';
import type { FinalCheck } from '../../../workflows/contracts/safety-activities.ts';
import type { ValidateOutcome } from '../../../workflows/contracts/driver-contract.ts';
import type { ClassSnapshot } from '../../../workflows/contracts/snapshots.ts';
import type { WorkflowInput } from '../../../workflows/contracts/references.ts';
import { driverQueueOf } from '../../../workflows/contracts/task-queues.ts';
import { classChanged } from '../../../workflows/contracts/messages.ts';
import { workflowIdOf } from '../../../workflows/contracts/workflow-ids.ts';
import { CallLog } from '../../support/call-log.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';

const temporal = TemporalForTests.ofFile();

const cluster = 'uid-of-kube-system';
const signal: ClassSnapshot = { cluster, epoch: 1, resourceVersion: '1' };
const served: ReadClassOutcome = { found: true, provider: 'virtual', hasDriver: true };
const unserved: ReadClassOutcome = { found: true, provider: 'virtual', hasDriver: false };

/** One class, as far as its workflow can tell. */
class ClassWorld {
  readonly log = new CallLog();
  readonly ref: WorkflowInput['ref'];
  look: ReadClassOutcome = served;
  answer: () => Promise<ValidateOutcome> = async () => ({ outcome: 'validated', faults: [] });

  constructor(namespace: string) {
    this.ref = { namespace, name: 'small' };
  }

  readonly steps = {
    protectFromDeletion: async () => ({}),
    readMachineClass: async () => this.look,
    reportClass: async () => undefined,
  };

  get kube(): object {
    return this.log.record(this.steps);
  }

  get driver(): object {
    return this.log.record({ validateClass: () => this.answer() });
  }

  async tell(changes: Partial<ClassSnapshot> = {}): Promise<WorkflowHandle> {
    return await temporal.client.workflow.signalWithStart('machineClass', {
      taskQueue: this.ref.namespace,
      workflowId: workflowIdOf('machineClass', this.ref),
      args: [{ ref: this.ref, cluster }] satisfies [WorkflowInput],
      signal: classChanged,
      signalArgs: [{ ...signal, ...changes }],
    });
  }

  reports(): object[] {
    return this.log.inputsOf('reportClass').map(({ ref: _same, ...report }) => report);
  }
}

interface Row {
  what: string;
  look?: ReadClassOutcome;
  answer?: ClassWorld['answer'];
  reports: object[];
}

describe('a class that changed', () => {
  const rows: Row[] = [
    {
      what: 'is validated by its driver',
      answer: async () => ({ outcome: 'validated', faults: ['size is missing'] }),
      reports: [{ faults: ['size is missing'], isEdited: true }],
    },
    {
      what: 'is told of with what its driver ignores',
      answer: async () => ({ outcome: 'validated', faults: [], warnings: ['siz is ignored'] }),
      reports: [{ faults: [], warnings: ['siz is ignored'], isEdited: true }],
    },
    { what: 'is nothing once it is gone', look: { found: false }, reports: [] },
    {
      what: 'has nobody to ask without a provider',
      look: { found: true, provider: '', hasDriver: false },
      reports: [{ faults: [], isEdited: true }],
    },
    {
      what: 'is validated without its driver when that cannot answer',
      answer: async () => {
        throw new Error('never heard of it');
      },
      reports: [{ faults: [], isEdited: true }],
    },
    {
      what: 'is validated without its driver when that answers nonsense',
      // @ts-expect-error A driver in another language says what it likes.
      answer: async () => ({ outcome: 'validated', faults: 7 }),
      reports: [{ faults: [], isEdited: true }],
    },
  ];

  test.each(rows)('$what', async ({ what, look = served, answer, reports }) => {
    const world = new ClassWorld(`judged-${what.replaceAll(/[^a-z]+/gi, '-')}`.toLowerCase());
    world.look = look;
    if (answer) world.answer = answer;
    await temporal.withWorkers(world.ref.namespace, world, async () => {
      const handle = await world.tell({ isEdited: true });
      await resultOf(handle);
    });
    expect(world.reports()).toEqual(reports);
  });

  test('a class that is seen for the first time is not taken for edited, and another cluster is not heard', async () => {
    const world = new ClassWorld('first-sight');
    await temporal.withWorkers('first-sight', world, async () => {
      const handle = await world.tell();
      await resultOf(handle);
      await resultOf(await world.tell({ cluster: 'elsewhere' }));
    });
    expect(world.reports()).toEqual([{ faults: [], isEdited: false }]);
  });
});

const keptByOne = async (): Promise<FinalCheck> => ({ left: 1, examples: ['local:///z/i-1'] });

test('a class that instances without a Machine keep is validated, and both wait for news or time', async () => {
  const world = new ClassWorld('kept');
  let isKept = true;
  const kube = {
    ...world.steps,
    protectFromDeletion: async () =>
      isKept ? { checkFirst: { provider: 'virtual', isDeleting: true } } : {},
  };
  const driver = { checkFinally: keptByOne, validateClass: () => world.answer() };
  const queues = { kube: world.log.record(kube), driver: world.log.record(driver) };
  await temporal.withWorkers('kept', queues, async () => {
    const handle = await world.tell();
    await world.log.until('checkFinally');
    await world.tell({ isEdited: true });
    // After the judgement it looks once more, and then not before 30 s are over.
    await world.log.until('reportClass');
    await world.log.until('checkFinally', 2);
    isKept = false;
    await world.tell({ isEdited: true });
    await resultOf(handle);
  });
  expect(world.log.count('checkFinally')).toBeLessThanOrEqual(3);
  expect(world.log.count('validateClass')).toBeLessThanOrEqual(3);
});

describe('a class whose provider no worker serves', () => {
  test('says so at once, and is validated when a driver comes up', async () => {
    const world = new ClassWorld('late-driver');
    world.look = unserved;
    world.answer = async () => ({ outcome: 'validated', faults: ['bad'] });
    const { kube, driver } = world;
    await temporal.withWorkers('late-driver', { kube }, async () => {
      const handle = await world.tell();
      await world.log.until('reportClass');
      await temporal.withWorkers(
        driverQueueOf('late-driver', 'virtual', 'read'),
        { kube: driver },
        async () => {
          await resultOf(handle);
        },
      );
    });
    expect(world.reports()).toEqual([
      { faults: [], isEdited: false },
      { faults: ['bad'], isEdited: false },
    ]);
  });

  test('is looked at again when it is edited, and waits no more once it is gone', async () => {
    const world = new ClassWorld('edited');
    world.look = unserved;
    const { kube } = world;
    await temporal.withWorkers('edited', { kube }, async () => {
      const handle = await world.tell();
      await world.log.until('reportClass');
      await world.tell({ isEdited: true });
      await world.log.until('reportClass', 2);
      world.look = { found: false };
      await handle.signal(classChanged, signal);
      await resultOf(handle);
    });
    expect(world.log.count('readMachineClass')).toBe(3);
  });
});
