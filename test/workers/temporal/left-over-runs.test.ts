import type { Claimant } from '../../../workers/temporal/claims.ts';
import type { Run } from '../../../workers/temporal/workflow-registry.ts';
import { untilClaimed } from '../../../workers/temporal/claims.ts';
import { followLeftOverRuns, isLeftOver } from '../../../workers/temporal/workflow-registry.ts';
import { Scope } from '../../../workers/process/scope.ts';
import { createDelivery } from '../../../watcher/queue/delivery.ts';
import { SimulatedProcess } from '../../simulation/engine/process.ts';
import { Simulation } from '../../simulation/engine/simulation.ts';
import { SimulatedTemporal } from '../../simulation/temporal/server.ts';
import { logLines } from '../log/log-lines.ts';

const identity = { cluster: 'ours', name: 'blue', taskQueue: 'millwright/ours/blue' };
const claimant: Claimant = { identity, namespace: 'shoot' };
const named: Claimant = { identity: { ...identity, clusterName: 'eu' }, namespace: 'shoot' };

const run = (workflowId: string, taskQueue: string, cluster?: string): Run => ({
  workflowId,
  runId: 'r',
  taskQueue,
  cluster,
});

describe('a run is left over', () => {
  test.each<{ name: string; claimant: Claimant; run: Run; expected: boolean }>([
    {
      name: 'never where it is ours',
      claimant,
      run: run('machine/shoot/a', identity.taskQueue, 'ours'),
      expected: false,
    },
    {
      name: 'of a control cluster that was replaced',
      claimant,
      run: run('machine/shoot/a', 'millwright/old/blue', 'old'),
      expected: true,
    },
    {
      name: 'of an install that served the namespace before',
      claimant,
      run: run('machineSet/shoot/a', 'millwright/ours/green', 'ours'),
      expected: true,
    },
    {
      name: 'of an earlier version, which knew neither clusters nor installs',
      claimant,
      run: run('machineClass/shoot/a', 'millwright'),
      expected: true,
    },
    {
      name: 'of this cluster before it had a name',
      claimant: named,
      run: run('machine/shoot/a', identity.taskQueue, 'ours'),
      expected: true,
    },
    {
      name: 'never where another cluster has the name, though its namespace is called the same',
      claimant,
      run: run('machine/us/shoot/a', 'millwright/theirs/blue', 'theirs'),
      expected: false,
    },
    {
      name: 'never where a cluster without a name has a namespace of that name',
      claimant: named,
      run: run('machine/shoot/a', 'millwright/theirs/blue', 'theirs'),
      expected: false,
    },
    {
      name: 'never in another namespace',
      claimant,
      run: run('machine/other/a', 'millwright/old/blue', 'ours'),
      expected: false,
    },
    {
      name: 'never where it stands for no object',
      claimant,
      run: run('claim/ids', 'millwright/old/blue', 'old'),
      expected: false,
    },
  ])('$name', ({ claimant: who, run: one, expected }) => {
    expect(isLeftOver(one, who)).toBe(expected);
  });
});

describe('the runs that the install before begins while it still runs', () => {
  const simulation = new Simulation(1);
  const temporal = new SimulatedTemporal(simulation, {
    namespace: 'default',
    fateOf: () => ({ requestMs: 1, answerMs: 1 }),
  });
  const process = new SimulatedProcess(simulation, { name: 'watcher' });
  const client = temporal.clientFor(process, 'watcher');
  const { log } = logLines();
  const scope = new Scope(log);
  const pass = async (seconds: number): Promise<void> =>
    await simulation.run(simulation.now + seconds * 1_000);
  const beginAs = (cluster: string, taskQueue: string, object: string): void => {
    const deliver = createDelivery({
      temporal: client,
      namespace: 'shoot',
      cluster,
      taskQueue,
      timeouts: { workflowTaskSeconds: 10, heartbeatSeconds: 30 },
      creationTimeoutSeconds: 1_200,
    });
    void process.run(() =>
      deliver({
        kind: 'secret',
        object,
        name: 'useChanged',
        payload: { resourceVersion: '1', epoch: 1, cluster },
        start: { summary: object },
        cause: { resource: 'machineClasses', resourceVersion: '1' },
      }),
    );
  };
  const statusOf = async (object: string): Promise<string | undefined> => {
    let status: string | undefined;
    const handle = client.workflow.getHandle(`secret/shoot/${object}`);
    void process.run(async () => (status = (await handle.describe()).status.name));
    await pass(1);
    return status;
  };
  const watcher = { isLeading: false, resignals: 0 };

  test('end once we lead, and all is signalled again; ours go on', async () => {
    void process.run(async () => {
      const waiting = { log, signal: new AbortController().signal };
      await untilClaimed(client, { ...claimant, takeOver: [] }, waiting);
      followLeftOverRuns(client, claimant, {
        scope,
        log,
        watcher: {
          isLeader: () => watcher.isLeading,
          noteOthersRuns: () => void (watcher.resignals += 1),
        },
      });
    });
    await pass(1);
    beginAs('old', 'millwright/old/blue', 'a');
    beginAs('ours', identity.taskQueue, 'b');
    await pass(600);
    expect(await statusOf('a')).toBe('RUNNING');
    expect(watcher.resignals).toBe(0);

    watcher.isLeading = true;
    await pass(10);
    expect(await statusOf('a')).toBe('TERMINATED');
    expect(await statusOf('b')).toBe('RUNNING');
    expect(watcher.resignals).toBe(1);

    beginAs('old', 'millwright/old/blue', 'a');
    await pass(120);
    expect(await statusOf('a')).toBe('TERMINATED');
    expect(watcher.resignals).toBe(2);
  });

  test('are not looked for any more after two minutes', async () => {
    await pass(120);
    beginAs('old', 'millwright/old/blue', 'a');
    await pass(600);
    expect(await statusOf('a')).toBe('RUNNING');
    await scope.close();
  });
});
