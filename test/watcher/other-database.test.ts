/** A leader goes on while Temporal gets an empty database. */
import { startWatcher } from '../../watcher/index.ts';
import { SimulatedProcess } from '../simulation/engine/process.ts';
import { Simulation } from '../simulation/engine/simulation.ts';
import { SimulatedTemporal } from '../simulation/temporal/server.ts';
import { InMemoryClient } from '../support/api-server/in-memory-client.ts';
import { aMachine, namespace } from '../support/builders.ts';
import { logLines } from '../workers/log/log-lines.ts';

const minuteMs = 60_000;

test('with another database of Temporal every object is signalled again, once', async () => {
  const simulation = new Simulation(1);
  const temporal = new SimulatedTemporal(simulation, {
    namespace: 'default',
    fateOf: () => ({ requestMs: 1, answerMs: 1 }),
  });
  const process = new SimulatedProcess(simulation, { name: 'watcher' });
  const client = temporal.clientFor(process, 'watcher');
  const control = new InMemoryClient(aMachine());
  const pass = async (milliseconds: number): Promise<void> =>
    await simulation.run(simulation.now + milliseconds);
  const settled = async <T>(answer: Promise<T>): Promise<T | undefined> => {
    let result: T | undefined;
    answer.then(
      (given) => (result = given),
      () => undefined,
    );
    await pass(1_000);
    return result;
  };
  const idOfDatabase = async (): Promise<string> => {
    const asked = client.workflowService.describeNamespace({ namespace: 'default' });
    return (await settled(asked))?.namespaceInfo?.id ?? '';
  };
  const { metadata } = aMachine();
  const statusOfRun = async (): Promise<string | undefined> => {
    const handle = client.workflow.getHandle(`machine/${namespace}/${metadata.name}`);
    return (await settled(handle.describe()))?.status.name;
  };
  const starting = process.run(() =>
    startWatcher({
      control,
      target: undefined,
      targetCluster: undefined,
      temporal: client,
      readQueue: async () => ({ backlogMs: 0 }),
      readActivityQueue: async () => ({ backlogMs: 0 }),
      turn: (send) => send(),
      namespace,
      cluster: 'one',
      install: { name: 'shoot', isFleet: false, temporalAddress: 'temporal:7233' },
      taskQueue: 'millwright/one/shoot',
      concurrency: 5,
      timeouts: { workflowTaskSeconds: 10, heartbeatSeconds: 30 },
      creationTimeoutSeconds: 1_200,
      log: logLines().log,
      certificates: () => [],
      leaderElection: { client: control, identity: 'watcher', isElected: true },
    }),
  );
  const watcher = await settled(starting);
  if (!watcher) throw new Error('it did not start');
  await pass(minuteMs);
  expect(await statusOfRun()).toBe('RUNNING');
  process.run(() => watcher.noteDatabase(''));
  const before = await idOfDatabase();
  process.run(() => watcher.noteDatabase(before));
  await pass(minuteMs);
  expect(watcher.doubts.get('temporal')).toBeUndefined();

  temporal.lose();
  await pass(minuteMs);
  expect(await statusOfRun()).toBeUndefined();
  const after = await idOfDatabase();
  for (let times = 0; times < 3; times += 1) {
    process.run(() => watcher.noteDatabase(after));
    await pass(minuteMs);
  }
  expect(await statusOfRun()).toBe('RUNNING');
  // By its own clock: that of the test runner is another one.
  expect(process.run(() => watcher.isLeader())).toBe(true);
  expect(watcher.doubts.get('temporal')).toBe(1);
});
