/** The checks that look twice: what is amiss in one look alone is left alone. */
import type {
  WorkflowReport,
  RepairedWorkflow,
  OvershootReport,
} from '../../../workflows/contracts/safety-activities.ts';
import type { WorkflowComparison } from '../../../workflows/plan/safety/lost-workflows.ts';
import type {
  Freeze,
  OvershootFinding,
  SetFacts,
} from '../../../workflows/plan/safety/overshoot.ts';
import { CallLog } from '../../support/call-log.ts';
import { TemporalForTests } from '../../support/temporal.ts';
import { resultOf } from '../../support/result-of.ts';

const temporal = TemporalForTests.ofFile();

/** Each call gets the next answer, and then the last one for ever. */
function inTurn<Answer>(...answers: [Answer, ...Answer[]]): () => Promise<Answer> {
  let [next] = answers;
  return async () => {
    next = answers.shift() ?? next;
    return next;
  };
}

async function aWhile(): Promise<boolean> {
  await temporal.skip(5);
  return false;
}

async function run<Report>(
  workflow: string,
  { name, kube, input }: { name: string; kube: object; input: object },
): Promise<Report> {
  return await temporal.withWorkers(name, { kube }, async () => {
    const handle = await temporal.client.workflow.start(workflow, {
      taskQueue: name,
      workflowId: name,
      args: [{ namespace: name, ...input }],
    });
    const ended: Promise<Report> = resultOf(handle);
    const isOver = ended.then(() => true);
    // The time between two looks, as often as there are two.
    while (!(await Promise.race([isOver, aWhile()])));
    return await ended;
  });
}

describe('the check of entities', () => {
  const a = { kind: 'machine', name: 'a' } as const;
  const well: WorkflowComparison = {
    objects: 3,
    running: 3,
    unattended: [],
    leftOver: [],
    omitted: 0,
  };
  const amiss: WorkflowComparison = { ...well, running: 2, unattended: [a] };

  async function audit(
    name: string,
    looks: [WorkflowComparison, ...WorkflowComparison[]],
    heals = true,
  ) {
    const log = new CallLog();
    const healed: RepairedWorkflow = { ...a, isHealed: heals, why: 'was terminated' };
    const kube = log.record({
      compareWorkflows: inTurn(...looks),
      repairWorkflows: async () => [healed],
    });
    const report = await run<WorkflowReport>('safetyLostWorkflows', { name, kube, input: {} });
    return { report, log };
  }

  test('looks once when all is well', async () => {
    const { report, log } = await audit('entities-well', [well]);
    expect(report).toEqual({ objects: 3, running: 3, healed: 0, failed: 0, entities: [] });
    expect(log.names()).toEqual(['compareWorkflows']);
  });

  test('leaves alone what is well in the second look', async () => {
    const { report, log } = await audit('entities-late', [amiss, well]);
    expect(report).toMatchObject({ healed: 0 });
    expect(log.names()).toEqual(['compareWorkflows', 'compareWorkflows']);
  });

  test('heals, and looks whether there is more', async () => {
    const { report, log } = await audit('entities-heals', [amiss, amiss, well]);
    expect(report).toMatchObject({ running: 3, healed: 1, failed: 0, entities: [a] });
    expect(log.inputsOf('repairWorkflows')).toMatchObject([{ unattended: [a], leftOver: [] }]);
  });

  test('ends when nothing can be healed', async () => {
    const { report } = await audit('entities-fails', [amiss], false);
    expect(report).toMatchObject({ healed: 0, failed: 1 });
  });
});

async function auditSets(name: string, looks: [OvershootFinding, ...OvershootFinding[]]) {
  const log = new CallLog();
  const kube = log.record({
    checkOvershoot: inTurn(...looks),
    applyFreezes: async ({ freezes }: { freezes: Freeze[] }) => freezes,
  });
  const input = { up: 2, down: 1 };
  const report = await run<OvershootReport>('safetyOvershoot', { name, kube, input });
  return { report, log };
}

describe('the check for too many machines', () => {
  const set: SetFacts = {
    name: 'pool',
    count: 9,
    limit: 8,
    isFrozen: false,
    hasCondition: false,
    wantsUnfreeze: false,
  };
  const look = (count: number): OvershootFinding => ({
    total: 1,
    sets: [{ ...set, count }],
    deployments: [],
    unchecked: [],
  });

  test('freezes what two looks agree on', async () => {
    const { report } = await auditSets('overshoot-freezes', [look(9)]);
    const changed = [{ kind: 'machineSet', name: 'pool', action: 'freeze' }];
    expect(report).toMatchObject({ sets: 1, frozen: 1, changed });
  });

  test('leaves a set alone that shrinks', async () => {
    const { report, log } = await auditSets('overshoot-shrinks', [look(19), look(12)]);
    expect(report).toMatchObject({ frozen: 0, changed: [] });
    expect(log.names()).toEqual(['checkOvershoot', 'checkOvershoot']);
  });

  test('looks once when there is nothing to see', async () => {
    const { log } = await auditSets('overshoot-well', [look(3)]);
    expect(log.names()).toEqual(['checkOvershoot']);
  });
});
