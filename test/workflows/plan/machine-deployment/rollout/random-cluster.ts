/** Random clusters, and what may befall them. */
import fc from 'fast-check';
import type {
  RolloutOptions,
  Strategy,
} from '../../../../../workflows/plan/machine-deployment/rollout/facts.ts';
import type { Happening } from '../../../../support/simulate.ts';
import { deleteMachines, deleteSet, turn } from '../../../../support/simulated-acts.ts';
import type { Cluster, SimulatedMachine } from '../../../../support/simulated-cluster.ts';
import {
  aCluster,
  aNewMachine,
  addSet,
  isGoing,
  millisecondsPerRound,
  newSetOf,
  now,
} from '../../../../support/simulated-cluster.ts';

const limit = fc.oneof(
  fc.integer({ min: 0, max: 8 }),
  fc.constantFrom('10%', '25%', '50%', '100%', '0%'),
);
const anyReplicas = fc.integer({ min: 0, max: 30 });
const anyMachine = fc.record({
  phase: fc.oneof(
    { weight: 6, arbitrary: fc.constant('Running') },
    {
      weight: 3,
      arbitrary: fc.constantFrom('', 'Pending', 'Failed', 'CrashLoopBackOff', 'Unknown'),
    },
    { weight: 1, arbitrary: fc.constant('Terminating') },
  ),
  priority: fc.oneof(
    { weight: 4, arbitrary: fc.constant(3) },
    { weight: 1, arbitrary: fc.constantFrom(1, 2, 5) },
  ),
});
const anySet = fc.record({
  machines: fc.array(anyMachine, { maxLength: 12 }),
  missing: fc.constantFrom(0, 0, 0, 1, 3),
  desired: fc.constantFrom<number | undefined>(undefined, undefined, 3, 12),
});

interface Given {
  replicas: number;
  maxSurge: number | string;
  maxUnavailable: number | string;
  old: SetGiven[];
  fresh: SetGiven | undefined;
  statusLag: number;
  actions: number;
  isDeaf: boolean;
  soak: number;
  going: number;
  boot: number;
  strategy: Strategy;
  historyLimit: number;
}
type SetGiven = typeof anySet extends fc.Arbitrary<infer T> ? T : never;

const anyGiven: fc.Arbitrary<Given> = fc.record({
  replicas: anyReplicas,
  maxSurge: limit,
  maxUnavailable: limit,
  old: fc.array(anySet, { maxLength: 3 }),
  fresh: fc.option(anySet, { nil: undefined }),
  statusLag: fc.constantFrom(0, 0, 1, 3),
  actions: fc.constantFrom(Infinity, 1, 2),
  isDeaf: fc.boolean(),
  soak: fc.constantFrom(0, 0, 2),
  going: fc.constantFrom(1, 1, 4),
  boot: fc.constantFrom(1, 1, 4),
  strategy: fc.constantFrom<Strategy>('RollingUpdate', 'RollingUpdate', 'Recreate', 'OnDelete'),
  historyLimit: fc.constantFrom(0, 1, 5),
});

function clusterOf({ old, fresh, historyLimit, ...given }: Given) {
  const { statusLag, actions, isDeaf, soak, going, boot, ...limits } = given;
  const cluster = aCluster({
    sets: [],
    deployment: { template: 'new', ...limits, historyLimit },
    pace: { statusLag, actions, isDeaf, soak, going, boot },
    hasNodes: true,
  });
  old.forEach((set, index) => addRandomSet(cluster, `old${index}`, set));
  if (fresh) addRandomSet(cluster, 'new', fresh);
  return cluster;
}

function addRandomSet(cluster: Cluster, name: string, given: SetGiven): void {
  const machines: SimulatedMachine[] = given.machines.map((machine) => ({
    ...aNewMachine(cluster, { name }),
    ...machine,
    isReplaced: machine.phase === 'Terminating',
    rounds: machine.phase === 'Running' ? 1_000 : 0,
  }));
  const present = machines.filter((machine) => !isGoing(machine)).length;
  const desired = given.desired ?? cluster.deployment.replicas;
  addSet(cluster, { name, machines, replicas: present + given.missing, desired });
}

/** Printed in full when a property fails. */
export const anyCluster: fc.Arbitrary<() => Cluster> = anyGiven.map((given) =>
  Object.assign(() => clusterOf(given), { toString: () => JSON.stringify(given) }),
);

export interface Event extends Happening {
  /** Rounds before it. */
  wait: number;
}

function event(text: string, happen: (cluster: Cluster) => void): Happening {
  return { text, happen };
}

/** `index` counts through the machines of all sets. */
function machineAt({ sets }: Cluster, index: number): SimulatedMachine | undefined {
  const machines = sets.flatMap((set) => set.machines.filter((machine) => !isGoing(machine)));
  return machines[index % Math.max(machines.length, 1)];
}

export const anyHappening: fc.Arbitrary<Happening> = fc.oneof(
  anyReplicas.map((replicas) =>
    event(`scale to ${replicas}`, ({ deployment }) => (deployment.replicas = replicas)),
  ),
  fc
    .constantFrom('new', 'newer', 'old0', 'old1')
    .map((name) => event(`template ${name}`, (cluster) => changeTemplate(cluster, name))),
  fc.constant(
    event('pause or resume', ({ deployment }) => {
      deployment.isPaused = !deployment.isPaused;
    }),
  ),
  fc.tuple(fc.nat(40), fc.constantFrom('Failed', 'Unknown')).map(([index, phase]) =>
    event(`machine ${index} is ${phase}`, (cluster) => {
      const machine = machineAt(cluster, index);
      if (machine) turn(machine, phase);
    }),
  ),
  fc.tuple(fc.nat(40), fc.constantFrom(1, 3, 5)).map(([index, priority]) =>
    event(`machine ${index} has priority ${priority}`, (cluster) => {
      const machine = machineAt(cluster, index);
      if (machine) machine.priority = priority;
    }),
  ),
  fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 3 })).map(([index, count]) =>
    event(`somebody deletes ${count} machines of set ${index}`, ({ sets }) => {
      const set = sets[index];
      if (set) deleteMachines(set, count);
    }),
  ),
  fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 5 })).map(([index, rounds]) =>
    event(`set ${index} sleeps for ${rounds}`, ({ sets }) => {
      const set = sets[index];
      if (set) set.sleeps = rounds;
    }),
  ),
  fc.tuple(limit, limit).map(([maxSurge, maxUnavailable]) =>
    event(`surge ${maxSurge}, unavailable ${maxUnavailable}`, ({ deployment }) => {
      Object.assign(deployment, { maxSurge, maxUnavailable });
    }),
  ),
  fc.nat(4).map((revision) =>
    event(`roll back to revision ${revision}`, ({ deployment }) => {
      deployment.rollbackTo = revision;
    }),
  ),
  fc.constant(
    event('annotate', ({ deployment }) => {
      deployment.notes += 1;
    }),
  ),
);

function withOption(
  text: string,
  change: (cluster: Cluster) => Partial<RolloutOptions>,
): Happening {
  return event(text, (cluster) => {
    const { deployment } = cluster;
    deployment.options = { ...deployment.options, ...change(cluster) };
  });
}

function withoutOption(key: 'canary' | 'rolloutAfter'): Happening {
  return event(`no ${key}`, ({ deployment }) => {
    const { [key]: _, ...options } = deployment.options;
    deployment.options = options;
  });
}

/** What options and strategies bring, and what a person does to whole sets. */
const anyOptionEvent: fc.Arbitrary<Happening> = fc.oneof(
  fc
    .integer({ min: 1, max: 6 })
    .map((canary) => withOption(`canary of ${canary}`, () => ({ canary }))),
  fc.constantFrom('canary' as const, 'rolloutAfter' as const).map(withoutOption),
  fc.constant(
    withOption('the canary is passed', (cluster) => ({
      canaryPassed: newSetOf(cluster)?.revision ?? 0,
    })),
  ),
  fc.constantFrom(2, 10, 1_000_000).map((rounds) =>
    withOption(`rollouts wait for ${rounds} rounds`, (cluster) => ({
      rolloutAfter: { at: now(cluster) + rounds * millisecondsPerRound, text: 'later' },
    })),
  ),
  fc
    .constantFrom<string[]>([], ['annotation x: Invalid value'])
    .map((faults) => withOption(`faults: ${faults.join()}`, () => ({ faults }))),
  fc.boolean().map((autoRollback) =>
    event(`auto-rollback ${autoRollback}`, ({ deployment }) => {
      deployment.options = { ...deployment.options, autoRollback };
      deployment.deadlineSeconds = 60;
    }),
  ),
  fc
    .constantFrom<Strategy>('RollingUpdate', 'RollingUpdate', 'Recreate', 'OnDelete')
    .map((strategy) =>
      event(`strategy ${strategy}`, ({ deployment }) => {
        deployment.strategy = strategy;
      }),
    ),
  fc.constantFrom('new', 'newer', 'old0').map((name) =>
    event(`machines of ${name} do not join, or do again`, ({ broken }) => {
      if (!broken.delete(name)) broken.add(name);
    }),
  ),
  fc.nat(4).map((index) =>
    event(`somebody deletes set ${index}`, ({ sets }) => {
      const set = sets[index];
      if (set) deleteSet(set);
    }),
  ),
);

export function changeTemplate({ deployment }: Cluster, name: string): void {
  deployment.template = name;
}

export const anyEvents: fc.Arbitrary<Event[]> = fc.array(
  fc.tuple(fc.oneof(anyHappening, anyOptionEvent), fc.nat(5)).map(([happening, wait]) => ({
    ...happening,
    wait,
    toString: () => `${wait} rounds, then ${happening.text}`,
  })),
  { maxLength: 12 },
);
