/** A cluster with more than the watcher of a namespace may keep. */
import { startWatcher } from '../../watcher/index.ts';
import { SimulatedProcess } from '../simulation/engine/process.ts';
import { Simulation } from '../simulation/engine/simulation.ts';
import { SimulatedTemporal } from '../simulation/temporal/server.ts';
import { InMemoryClient } from '../support/api-server/in-memory-client.ts';
import { aMachine, namespace } from '../support/builders.ts';
import { logLines } from '../workers/log/log-lines.ts';

test('is named, and why, so that the namespace is served no more', async () => {
  const simulation = new Simulation(1);
  const temporal = new SimulatedTemporal(simulation, {
    namespace: 'default',
    fateOf: () => ({ requestMs: 1, answerMs: 1 }),
  });
  const process = new SimulatedProcess(simulation, { name: 'watcher' });
  const labels = { pool: 'x'.repeat(1024 * 1024) };
  const machines = Array.from({ length: 33 }, (_, index) =>
    aMachine({ metadata: { name: `m-${index}`, uid: `uid-${index}`, labels } }),
  );
  const control = new InMemoryClient(...machines);
  const reasons: string[] = [];
  void process.run(() =>
    startWatcher({
      control,
      target: undefined,
      targetCluster: undefined,
      temporal: temporal.clientFor(process, 'watcher'),
      readQueue: async () => ({ backlogMs: 0 }),
      readActivityQueue: async () => ({ backlogMs: 0 }),
      turn: (send) => send(),
      namespace,
      install: { name: 'shoot', isFleet: false, temporalAddress: 'temporal:7233' },
      cluster: 'one',
      taskQueue: 'millwright/one/shoot',
      concurrency: 5,
      timeouts: { workflowTaskSeconds: 10, heartbeatSeconds: 30 },
      creationTimeoutSeconds: 1_200,
      log: logLines().log,
      certificates: () => [],
      onTooLarge: (reason) => reasons.push(reason),
      leaderElection: { client: control, identity: 'watcher', isElected: true },
    }).catch(() => undefined),
  );
  await simulation.run(simulation.now + 10_000);
  expect(reasons[0]).toMatch(/^machines are too large: LIST .*machines: 413 TooLarge: more than/);
});
