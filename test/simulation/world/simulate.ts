/** Runs a world by seed: with faults and users for some hours, and then until it is at rest. */
import { createVirtualDriver } from '../../../activities/drivers/virtual/driver.ts';
import { bundleForTests } from '../../support/workflow-bundle.ts';
import { Agents } from '../cloud/agents.ts';
import { SimulatedCloud } from '../cloud/cloud.ts';
import { releaseNodes } from '../cloud/critical-components.ts';
import { Kubelets } from '../cloud/kubelets.ts';
import { CloudNetwork } from '../cloud/transport.ts';
import { WaitingOrders } from '../cloud/waiting-orders.ts';
import { standardWorkloads } from '../controllers/standard-workloads.ts';
import type { Controllers } from '../controllers/start-controllers.ts';
import { startControllers } from '../controllers/start-controllers.ts';
import { WorldWorkloads } from '../controllers/world-workloads.ts';
import { RunPool } from '../core/run-pool.ts';
import { Sandboxes } from '../core/sandbox.ts';
import { Simulation } from '../engine/simulation.ts';
import { createJudge } from '../judge/judge.ts';
import type { Judge } from '../judge/judge.ts';
import { installOfRecord } from '../judge/past/instance-past.ts';
import type { SimulatedProcess } from '../engine/process.ts';
import { setUpObjects } from '../users/set-up.ts';
import { userNames, Users } from '../users/users.ts';
import { buildWorld } from './build-world.ts';
import { faultNames, troubleBy } from './fault-kinds.ts';
import type { Outcome, Setup } from '../run/simulator.ts';
import type { Cluster } from './kube-client.ts';
import { leaveMachines } from './left-by-mcm.ts';
import { leavePool } from './left-in-place.ts';
import { mixOf } from './mix.ts';
import { namedChance } from './named-chance.ts';
import { servePolicies } from './policy-crd.ts';
import type { World } from './world.ts';
import { Weather } from './weather.ts';
import { startDisasters } from '../disasters/disasters.ts';
import { isControl } from '../disasters/outages.ts';

export interface OutcomeOfWorld extends Outcome {
  world: World;
}

const minuteMs = 60_000;
/** The longest deadline, backoff or period of a check, and half an hour more. */
const longestEndMs = (75 + 30) * minuteMs;
/** So long after that a person searches once more for what stands in the way. */
const searchAgainMs = 15 * minuteMs;
/** For so long nothing may happen at the end. */
const restMs = 10 * minuteMs;
/** At the beginning, besides those that are on each Node. */
const podsOfMachine = 1.5;
/** Some clouds list late what they made, and their drivers say so. Seconds. */
const settleTimes = [1, 1, 1, 20];
const sandboxes = new Sandboxes();

export { faultNames, userNames };

export async function simulate(options: Setup): Promise<OutcomeOfWorld> {
  const runs = new RunPool();
  try {
    return await simulateWith(runs, options);
  } finally {
    await runs.close();
  }
}

async function simulateWith(runs: RunPool, options: Setup): Promise<OutcomeOfWorld> {
  const simulation = new Simulation(options.seed);
  const mix = mixOf(options.seed);
  const trouble = troubleBy(options.faults, mix);
  const weather = new Weather(simulation, trouble.calls);
  const cloud = new SimulatedCloud(simulation);
  const settleSeconds = namedChance(options.seed, 'settle').pick(settleTimes);
  const network = new CloudNetwork({
    simulation,
    weather,
    cloud,
    trouble: trouble.cloud,
    settleSeconds,
  });
  const orders = new WaitingOrders({ simulation, weather, share: trouble.cloud.waiting });
  const relay = new Relay();
  const { codePath } = await bundleForTests();
  const world = buildWorld({
    simulation,
    weather,
    sandboxes,
    runs,
    workflowBundle: codePath,
    createDrivers: (process: SimulatedProcess) => {
      const driver = createVirtualDriver({ transport: network.transportFor(process) });
      return new Map([['virtual', orders.of({ ...driver, settleSeconds })]]);
    },
    onWrite: (write) => relay.hear(write),
    onLog: (process, line) => relay.hearLog(process, line),
  });
  const targetOf = (record: Parameters<typeof installOfRecord>[1]) =>
    installOfRecord(world, record)?.target;
  const kubelets = new Kubelets({
    simulation,
    weather,
    cloud,
    trouble: trouble.kubelets,
    targetOf,
    isControl: (cluster) => isControl(world, cluster),
  });
  const controllers = new Map(
    world.clusters.map((cluster) => {
      const isAlive = (nodeName: string): boolean => kubelets.isHeard(cluster, nodeName);
      const there = { cluster, trouble: trouble.controllers, isAlive };
      return [cluster, startControllers(simulation, weather, there)];
    }),
  );
  kubelets.start();
  const clusters = new Set(world.installs.map(({ target }) => target));
  for (const cluster of clusters) releaseNodes(simulation, cluster);
  new Agents({ simulation, weather, trouble: trouble.agents, clusters, kubelets }).start();
  servePolicies(world);
  const judge = createJudge(world, { cloud });
  relay.hear = (write) => judge.hear(write);
  relay.hearLog = (process, line) => judge.hearLog(process, line);
  const repositories = setUpObjects(world, { machines: options.machines });
  leaveMachines(world, cloud);
  leavePool(world, { cloud, kubelets });
  const workloads = new WorldWorkloads(controllers, simulation.chance);
  populate(world, controllers, options.machines);
  const users = new Users(world, {
    names: options.users,
    machines: options.machines,
    mix,
    repositories,
    workloads,
  });
  for (const { replicas } of world.installs) for (const replica of replicas) replica.start();
  users.start();
  startDisasters(world);
  const isBroken = (): boolean => simulation.violations.length > 0;
  await simulation.run(simulation.startMs + options.hours * 60 * minuteMs, isBroken);
  if (!isBroken()) await end(world, { judge, users });
  return {
    violations: simulation.violations,
    lives: cloud.records.length,
    events: simulation.events,
    timeline: simulation.timeline,
    simulatedMs: simulation.now - simulation.startMs,
    world,
  };
}

/** The judge comes when the world is there that it judges. */
class Relay {
  hear: Judge['hear'] = () => undefined;
  hearLog: Judge['hearLog'] = () => undefined;
}

/** Pods on the Nodes from the beginning. */
function populate(
  { simulation, installs }: World,
  controllers: ReadonlyMap<Cluster, Controllers>,
  machines: number,
): void {
  const chance = simulation.chance.fork();
  for (const target of new Set(installs.map((install) => install.target))) {
    const options = { namespace: 'apps', pods: Math.ceil(machines * podsOfMachine) };
    for (const workload of standardWorkloads(chance, options)) {
      controllers.get(target)?.workloads.add(workload);
    }
  }
}

interface End {
  judge: Judge;
  users: Users;
}

/** When the faults are over and nothing stands in the way, the world reaches its spec and rests. */
async function end(world: World, { judge, users }: End): Promise<void> {
  const { simulation, weather, clusters, temporal } = world;
  weather.clear();
  for (const cluster of clusters) cluster.isUp = true;
  temporal.isUp = true;
  users.tidyUp();
  const [clearedAt, giveUpAt] = [simulation.now, simulation.now + longestEndMs];
  let unmet: string[] = [];
  let isResting = false;
  while (!isResting && simulation.now < giveUpAt) {
    await simulation.run(simulation.now + minuteMs);
    if (simulation.violations.length > 0) return;
    if (simulation.now - clearedAt >= searchAgainMs) users.tidyUpLate();
    unmet = judge.unmet();
    if (unmet.length > 0) continue;
    judge.unrest();
    await simulation.run(simulation.now + restMs);
    unmet = [...judge.unmet(), ...judge.unrest()];
    isResting = unmet.length === 0;
  }
  for (const text of unmet) simulation.violate('in the end all is as it was asked', text);
}
