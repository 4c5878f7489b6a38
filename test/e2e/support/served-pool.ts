/** A pool whose worker, with the watcher in it, runs for a Deployment: runbooks act on that. */
import { deployments } from '../../../cli/install/deployments.ts';
import { createDeployment, deleteDeployment, untilRunning } from './machines.ts';
import { Replicas } from './replicas.ts';
import type { Scenario, ScenarioOptions } from './scenario.ts';
import { useScenario } from './scenario.ts';

export interface ServedPool {
  scenario: Scenario;
  /** Name of the MachineDeployment; of one machine at first. */
  name(): string;
  /** Until so many run, and the first one is still among them. */
  expectScaledTo(count: number): Promise<void>;
}

/** Its checks of API servers run every 5 s, with as long a limit. */
export function useServedPool(short: string, options: ScenarioOptions = {}): ServedPool {
  let pool: string;
  let uids: string[];
  let replicas: Replicas;
  // Before the scenario ends: drains would evict the pods of its Deployment again and again.
  afterAll(async () => {
    await replicas.stop();
    await scenario.cluster.delete(deployments(scenario.namespace));
    await deleteDeployment(scenario, pool);
  });
  const scenario = useScenario(short, {
    ...options,
    isDoubled: false,
    isInOne: true,
    workerFlags: [
      '--machine-safety-apiserver-statuscheck-timeout=5s',
      '--machine-safety-apiserver-statuscheck-period=5s',
    ],
  });
  beforeAll(async () => {
    pool = await createDeployment(scenario, 'pool', { replicas: 1 });
    const [machine] = await untilRunning(scenario, pool, 1);
    uids = [machine?.metadata.uid ?? ''];
    replicas = new Replicas(scenario, { nodeName: machine?.metadata.name ?? '' });
    await replicas.start();
  });
  return {
    scenario,
    name: () => pool,
    async expectScaledTo(count) {
      await scenario.cluster.scale(pool, count);
      const machines = await untilRunning(scenario, pool, count);
      expect(machines.map(({ metadata }) => metadata.uid)).toEqual(expect.arrayContaining(uids));
    },
  };
}
