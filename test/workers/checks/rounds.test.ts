import { customResource } from '../../../kube/client/paths.ts';
import {
  aMachine,
  aMachineSet,
  aNode,
  controlledBy,
  createdAt,
  namespace,
} from '../../support/builders.ts';
import { monotonicMs, sleep } from '../../../activities/system/system.ts';
import { Rounds } from '../../../workers/checks/rounds.ts';
import type { CheckOutcome } from '../../../workflows/contracts/safety-activities.ts';
import { SimulatedProcess } from '../../simulation/engine/process.ts';
import { Simulation } from '../../simulation/engine/simulation.ts';
import { aWorld } from '../../support/world.ts';
import type { Worker } from './install.ts';
import { hourMs, Install, minuteMs, valueOf } from './install.ts';

const allChecks = ['orphans', 'overshoot', 'lost-workflows', 'unmanaged-nodes', 'reachability'];
/** It leaves nothing open. */
const wellReport = { mode: 'delete', suspects: [], errors: [], kept: { total: 0 } };
const machinePath = customResource('machines', namespace, 'pool-0');
/** The Schedules' own runs are far away. */
const seldom = ['--safety-orphans=off'];

function install(...control: object[]) {
  const world = aWorld({ control });
  const its = new Install(world);
  its.reports['orphans'] = wellReport;
  return { its, world };
}

const set = { ...aMachineSet({ spec: { replicas: 1 } }), status: { observedGeneration: 1 } };
const machine = aMachine({
  metadata: {
    name: 'pool-0',
    labels: { pool: 'a' },
    ownerReferences: controlledBy(set),
    finalizers: [],
  },
});

async function madeOf(worker: Worker, check: string, outcome?: string) {
  const labels = { check, ...(outcome !== undefined && { outcome }) };
  return await valueOf(worker, 'millwright_safety_probes_total', labels);
}

function withMachines(count: number): object[] {
  const machines = Array.from({ length: count }, (_, index) => ({
    ...machine,
    metadata: { ...machine.metadata, name: `pool-${index}`, uid: `uid-of-pool-${index}` },
  }));
  return [set, ...machines];
}

describe('an install at rest', () => {
  test('has a round a minute, and no run but searches for orphans', async () => {
    const { its } = install();
    const worker = its.startWorker();
    await its.pass(hourMs);
    const rounds = its.runsOf('all').length;
    const before = Object.fromEntries(allChecks.map((check) => [check, its.runsOf(check).length]));
    await its.pass(24 * hourMs);
    for (const check of allChecks) {
      const runs = its.runsOf(check).length - (before[check] ?? 0);
      expect([check, runs]).toEqual([check, check === 'orphans' ? 24 : 0]);
    }
    expect(its.runsOf('all').length - rounds).toBe(24 * 60);
    expect(await madeOf(worker, 'overshoot')).toBeGreaterThan(25 * 60 * 0.9);
    expect(await madeOf(worker, 'lost-workflows', 'nothing')).toBeGreaterThan(25 * 12 * 0.9);
    expect(await madeOf(worker, 'unmanaged-nodes', 'nothing')).toBeGreaterThan(25 * 4 * 0.9);
    expect(await madeOf(worker, 'orphans', 'nothing')).toBeGreaterThan(25 * 3 * 0.9);
  });

  test('does not check what is switched off', async () => {
    const { its } = install();
    const worker = its.startWorker(...seldom);
    await its.pass(hourMs);
    expect(its.runsOf('orphans')).toEqual([]);
    expect(await madeOf(worker, 'orphans')).toBeUndefined();
    expect(await madeOf(worker, 'overshoot')).toBeGreaterThan(50);
  });
});

describe('what a round finds starts a run of its check:', () => {
  test('a set with too many machines', async () => {
    const { its } = install(...withMachines(4));
    its.startWorker();
    await its.pass(1.2 * minuteMs);
    expect(its.runsOf('overshoot')).toHaveLength(1);
  });

  test('none for a set with as many as are allowed', async () => {
    const { its } = install(...withMachines(3));
    its.startWorker();
    await its.pass(10 * minuteMs);
    expect(its.runsOf('overshoot')).toEqual([]);
  });

  test('a Machine without a workflow', async () => {
    const { its } = install(machine);
    its.startWorker();
    await its.pass(6 * minuteMs);
    expect(its.runsOf('lost-workflows')).toHaveLength(1);
  });

  test('none for Machines that the first watcher will signal when it leads', async () => {
    const { its, world } = install(machine);
    world.activeWatcher = { isActive: () => false };
    its.startWorker();
    await its.pass(hourMs);
    expect(its.runsOf('lost-workflows')).toEqual([]);
  });

  test('none that may only write while a watcher leads, where none does', async () => {
    const frozenSet = { ...set, metadata: { ...set.metadata, labels: { freeze: 'True' } } };
    const { its, world } = install(frozenSet);
    world.target.put(aNode({ metadata: { name: 'lost', creationTimestamp: createdAt } }));
    world.activeWatcher = { isActive: () => false };
    await its.pass(hourMs);
    const worker = its.startWorker();
    await its.pass(17 * minuteMs);
    expect([...its.runsOf('overshoot'), ...its.runsOf('unmanaged-nodes')]).toEqual([]);
    expect(await valueOf(worker, 'millwright_safety_unmanaged_nodes')).toBe(1);
  });

  test('a Node without a Machine', async () => {
    const { its, world } = install();
    world.target.put(aNode({ metadata: { name: 'lost', creationTimestamp: createdAt } }));
    // As old as Nodes have to be.
    await its.pass(hourMs);
    const worker = its.startWorker();
    await its.pass(17 * minuteMs);
    expect(its.runsOf('unmanaged-nodes')).toHaveLength(1);
    expect(await valueOf(worker, 'millwright_safety_unmanaged_nodes')).toBe(1);
  });

  test('an API server that does not answer', async () => {
    const { its, world } = install();
    const worker = its.startWorker();
    await its.pass(10 * minuteMs);
    expect(its.runsOf('reachability')).toEqual([]);
    expect(await valueOf(worker, 'millwright_frozen')).toBe(0);
    world.target.fault = () => ({ code: 0, reason: 'Unreachable' });
    await its.until(() => its.runsOf('reachability').length > 0);
    expect(await valueOf(worker, 'millwright_frozen')).toBe(0);
    // The next round comes after the timeout of 30 s.
    await its.pass(1.1 * minuteMs);
    expect(await valueOf(worker, 'millwright_frozen')).toBe(1);
    world.target.fault = () => undefined;
    await its.pass(1.2 * minuteMs);
    expect(await valueOf(worker, 'millwright_frozen')).toBe(0);
  });
});

test('an outage is as old as its run, also for a worker that sees it first', async () => {
  const { its, world } = install();
  its.lasting['reachability'] = 8 * minuteMs;
  const first = its.startWorker();
  world.target.fault = () => ({ code: 0, reason: 'Unreachable' });
  await its.until(() => its.runsOf('reachability').length > 0);
  first.process.end();
  const second = its.startWorker();
  await its.pass(1.1 * minuteMs);
  expect(await valueOf(second, 'millwright_frozen')).toBe(1);
});

describe('what is shown of a finding', () => {
  test('goes when a worker could not find out for two periods', async () => {
    const { its, world } = install();
    const worker = its.startWorker();
    await its.pass(hourMs);
    const shown = ['millwright_safety_entities_failed', 'millwright_safety_unmanaged_nodes'];
    for (const name of shown) expect([name, await valueOf(worker, name)]).toEqual([name, 0]);
    world.control.fault = () => ({ code: 500, reason: 'InternalError' });
    await its.pass(hourMs);
    for (const name of shown)
      expect([name, await valueOf(worker, name)]).toEqual([name, undefined]);
    // A server that refuses does answer.
    expect(await valueOf(worker, 'millwright_frozen')).toBe(0);
  });

  test('of the last search for orphans is the same on all workers', async () => {
    const { its } = install();
    const workers = [its.startWorker(), its.startWorker()];
    const kept = { total: 3 };
    its.reports['orphans'] = { ...wellReport, suspected: 2, kept, errors: [{}], stopped: 'many' };
    await its.pass(3 * hourMs);
    for (const worker of workers) {
      expect(await valueOf(worker, 'millwright_safety_orphans_suspected')).toBe(2);
      expect(await valueOf(worker, 'millwright_safety_orphans_kept')).toBe(3);
      expect(await valueOf(worker, 'millwright_safety_orphans_errors')).toBe(1);
      expect(await valueOf(worker, 'millwright_safety_orphans_stopped')).toBe(1);
      expect(await valueOf(worker, 'millwright_safety_instances_missing')).toBe(0);
    }
    its.reports['orphans'] = { ...wellReport, suspected: 0, missing: { total: 4 } };
    await its.pass(2 * hourMs);
    for (const worker of workers) {
      expect(await valueOf(worker, 'millwright_safety_orphans_suspected')).toBe(0);
      expect(await valueOf(worker, 'millwright_safety_instances_missing')).toBe(4);
    }
  });

  test('of the API servers is which of them answered', async () => {
    const { its, world } = install();
    const worker = its.startWorker();
    const reachable = (cluster: string) =>
      valueOf(worker, 'millwright_api_server_reachable', { cluster });
    await its.pass(10 * minuteMs);
    expect([await reachable('control'), await reachable('target')]).toEqual([1, 1]);
    world.target.fault = () => ({ code: 0, reason: 'Unreachable' });
    await its.pass(2 * minuteMs);
    expect([await reachable('control'), await reachable('target')]).toEqual([1, 0]);
    expect(await valueOf(worker, 'mcm_machine_controller_frozen')).toBe(1);
  });
});

describe('what is over a moment later starts no run:', () => {
  test.each([
    { check: 'overshoot', others: ['--safety-entities-period=24h'], count: 4 },
    { check: 'lost-workflows', others: ['--machine-safety-overshooting-period=24h'], count: 1 },
  ])('$check', async ({ check, others, count }) => {
    const { its, world } = install(...withMachines(count).slice(check === 'overshoot' ? 0 : 1));
    const worker = its.startWorker('--machine-safety-orphan-vms-period=24h', ...others);
    const lists = () => world.control.calls.filter((call) => call.includes('machinedeployments'));
    await its.until(() => lists().length > 0);
    await world.control.delete(machinePath);
    await its.pass(hourMs);
    expect(its.runsOf(check)).toEqual([]);
    expect(await madeOf(worker, check, 'nothing')).toBeGreaterThan(10);
  });
});

describe('a finding that its run leaves as it was', () => {
  test('starts further runs ever more seldom', async () => {
    const { its } = install(...withMachines(4));
    its.startWorker();
    await its.pass(4 * hourMs);
    const gaps = its.runsOf('overshoot').map((at, index, all) => at - (all[index - 1] ?? at));
    // Periods of up to 66 s, and two counts that are 5 s apart.
    expect(gaps).toHaveLength(8);
    for (const [index, gap] of gaps.slice(1).entries()) {
      expect(gap).toBeGreaterThanOrEqual(2 ** index - 0.5);
      expect(gap).toBeLessThan(2 ** index + 1.5);
    }
  });

  test('and comes back after it was gone is a new one', async () => {
    const { its, world } = install(...withMachines(4));
    its.startWorker();
    await its.pass(20 * minuteMs);
    const before = its.runsOf('overshoot').length;
    await world.control.delete(machinePath);
    await its.pass(3 * minuteMs);
    expect(its.runsOf('overshoot')).toHaveLength(before);
    world.control.put(machine);
    await its.pass(1.5 * minuteMs);
    expect(its.runsOf('overshoot').length).toBeGreaterThan(before);
  });

  test('is one of an outage: its runs follow each other closely', async () => {
    const { its, world } = install();
    its.startWorker();
    world.target.fault = () => ({ code: 0, reason: 'Unreachable' });
    await its.pass(4 * hourMs);
    const runs = its.runsOf('reachability');
    const gaps = runs.map((at, index) => at - (runs[index - 1] ?? at));
    expect(Math.max(...gaps)).toBeLessThan(7);
  });
});

describe('a check that a person has paused', () => {
  test('is not started until it goes on', async () => {
    const { its } = install(...withMachines(4));
    const worker = its.startWorker();
    await its.pass(500);
    await its.setPaused('overshoot', true);
    await its.pass(hourMs);
    expect(its.runsOf('overshoot')).toEqual([]);
    expect(await madeOf(worker, 'overshoot', 'found')).toBeGreaterThan(45);
    await its.setPaused('overshoot', false);
    await its.pass(1.3 * minuteMs);
    expect(its.runsOf('overshoot')).toHaveLength(1);
  });
});

describe('two workers', () => {
  test('start not many more runs than one, and none at the same time', async () => {
    const { its } = install(...withMachines(4));
    its.startWorker();
    its.startWorker();
    await its.pass(1.5 * minuteMs);
    expect(its.runsOf('overshoot').length).toBeLessThanOrEqual(2);
    await its.pass(4 * hourMs);
    expect(its.runsOf('overshoot').length).toBeLessThanOrEqual(2 * 8);
  });
});

describe('a check that fails', () => {
  test('is logged once until one succeeds, and starts nothing', async () => {
    const { its, world } = install(...withMachines(4));
    world.control.fault = () => ({ code: 500, reason: 'InternalError' });
    const worker = its.startWorker();
    const warnings = () =>
      worker.logged.filter(
        ({ msg, check }) => check === 'overshoot' && msg.includes('could not be made'),
      );
    await its.pass(hourMs);
    expect(warnings()).toHaveLength(1);
    expect(await madeOf(worker, 'overshoot', 'failed')).toBeGreaterThan(45);
    expect(its.runsOf('overshoot')).toEqual([]);
    world.control.fault = () => undefined;
    await its.pass(2 * minuteMs);
    expect(its.runsOf('overshoot').length).toBeGreaterThan(0);
    world.control.fault = () => ({ code: 500, reason: 'InternalError' });
    await its.pass(hourMs);
    expect(warnings()).toHaveLength(2);
  });

  test('because it does not end is given up', async () => {
    const { its, world } = install();
    world.control.list = () => new Promise(() => undefined);
    const worker = its.startWorker();
    await its.pass(hourMs);
    expect(await madeOf(worker, 'overshoot', 'failed')).toBeGreaterThan(15);
  });
});

/** When searches are that another reason has than the hour that passed. */
async function searchesAfter(change: (parts: ReturnType<typeof install>) => void) {
  const parts = install(machine);
  const { its } = parts;
  its.startWorker();
  await its.pass(3 * hourMs);
  const phase = (its.runsOf('orphans').at(-1) ?? 0) % 60;
  change(parts);
  const before = its.runsOf('orphans').length;
  await its.pass(2 * hourMs);
  const later = its.runsOf('orphans').slice(before);
  return later.filter((at) => Math.abs((at % 60) - phase) > 0.01);
}

const withInstance = { ...machine.spec, providerID: 'virtual:///1' };
const unknown = { status: { currentStatus: { phase: 'Unknown' } } };
const deleted = {
  ...machine,
  metadata: { ...machine.metadata, deletionTimestamp: '2026-01-01T03:00:00Z' },
};
const alsoRunning = { ...machine, status: { currentStatus: { phase: 'Running' } } };

describe('a search for orphans', () => {
  test('is not made without a reason', async () => {
    expect(await searchesAfter(({ world }) => world.control.put(alsoRunning))).toEqual([]);
  });

  test.each([
    { what: 'there is another one', changed: aMachine({ metadata: { name: 'another' } }) },
    { what: 'one has another instance', changed: { ...machine, spec: withInstance } },
    { what: 'one is not well', changed: { ...machine, ...unknown } },
    { what: 'one is being deleted', changed: deleted },
  ])('is made when $what, and once more after a period', async ({ changed }) => {
    const searches = await searchesAfter(({ world }) => world.control.put(changed));
    expect(searches.length).toBeGreaterThanOrEqual(1);
    expect(searches.length).toBeLessThanOrEqual(2);
    // The Schedule may have searched just before the first round.
    expect(searches[0]).toBeLessThan(3 * 60 + 2 * 17);
  });

  test.each([
    { left: 'suspects', report: { mode: 'delete', suspects: [{}] } },
    { left: 'errors', report: { mode: 'report', suspects: [], errors: [{}] } },
    { left: 'a young instance', report: { mode: 'report', kept: { total: 1, young: 1 } } },
  ])('is made every period while the last one left $left', async ({ report }) => {
    const searches = await searchesAfter(({ its }) => (its.reports['orphans'] = report));
    expect(searches.length).toBeGreaterThanOrEqual(4);
  });

  test('is made twice after the start of a worker, however many start', async () => {
    const { its } = install(machine);
    its.startWorker();
    its.startWorker();
    its.startWorker();
    await its.pass(3 * hourMs);
    // Three that an hour is the reason of.
    expect(its.runsOf('orphans').length).toBeGreaterThanOrEqual(2);
    expect(its.runsOf('orphans').length).toBeLessThanOrEqual(6);
  });
});

const longAgo = ['--safety-entities-period=24h', '--machine-safety-orphan-vms-period=24h'];

describe('a round', () => {
  test('that a person starts checks everything, due or not', async () => {
    const { its } = install(machine);
    its.isByHand = true;
    its.startWorker(...longAgo);
    await its.pass(1.2 * minuteMs);
    expect(its.rounds[0]).toMatchObject({ namespaces: 1, made: 5, postponed: 0 });
    expect(its.runsOf('lost-workflows')).toHaveLength(1);
  });

  test('reports what was checked, when, and what was found', async () => {
    const { its, world } = install(...withMachines(4));
    world.target.fault = () => ({ code: 500, reason: 'InternalError' });
    its.startWorker(...longAgo);
    await its.pass(1.2 * minuteMs);
    const at = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(its.rounds[0]).toEqual({
      namespaces: 1,
      made: 2,
      found: 1,
      postponed: 0,
      last: [
        {
          namespace,
          checks: [
            { check: 'overshoot', at, outcome: 'triggered', why: '1 to freeze or thaw' },
            { check: 'reachability', at, outcome: 'nothing' },
          ],
        },
      ],
    });
  });
});

/** Takes so long for each round, and has a finding where it is said. */
function namespaceThat(takesMs: number, outcome: CheckOutcome['outcome'] = 'nothing') {
  const made: number[] = [];
  const checks = {
    checkedAt: 0,
    outcomes: [{ check: 'overshoot', at: '2026-01-01T00:00:00Z', outcome }],
    async make() {
      this.checkedAt = monotonicMs();
      made.push(this.checkedAt);
      await sleep(takesMs);
      return 1;
    },
  };
  return { made, checks };
}

async function inTime<T>(action: () => Promise<T>): Promise<{ answer: T; seconds: number }> {
  const simulation = new Simulation(1);
  const process = new SimulatedProcess(simulation, { name: 'worker' });
  const began = simulation.now;
  const ended = process.run(async () => {
    const answer = await action();
    return { answer, seconds: (simulation.now - began) / 1_000 };
  });
  await simulation.run(began + hourMs);
  return await ended;
}

describe('a round of a fleet', () => {
  const { signal } = new AbortController();

  test('is not held up by a namespace whose API server hangs', async () => {
    const rounds = new Rounds();
    const hanging = namespaceThat(hourMs);
    const others = Array.from({ length: 200 }, () => namespaceThat(100));
    rounds.add('hanging', hanging.checks);
    for (const [index, { checks }] of others.entries()) rounds.add(`n-${index}`, checks);
    const { answer, seconds } = await inTime(() => rounds.check({ all: false }, signal));
    expect(answer).toMatchObject({ namespaces: 201, made: 200, postponed: 0 });
    expect(seconds).toBe(20);
    for (const { made } of others) expect(made).toHaveLength(1);
  });

  test('begins with those whose turn did not come in the last one', async () => {
    const rounds = new Rounds();
    const hanging = Array.from({ length: 200 }, () => namespaceThat(hourMs));
    for (const [index, { checks }] of hanging.entries()) rounds.add(`n-${index}`, checks);
    const { seconds } = await inTime(async () => {
      const { postponed } = await rounds.check({ all: false }, signal);
      expect(postponed).toBe(50);
      return await rounds.check({ all: false }, signal);
    });
    expect(seconds).toBe(120);
    for (const { made } of hanging) expect(made.length).toBeGreaterThanOrEqual(1);
  });

  test('names first the namespaces with a finding, and no more than 20', async () => {
    const rounds = new Rounds();
    for (let index = 0; index < 30; index += 1)
      rounds.add(`n-${index}`, namespaceThat(1, index === 29 ? 'failed' : 'nothing').checks);
    const { answer } = await inTime(() => rounds.check({ all: false }, signal));
    expect(answer).toMatchObject({ namespaces: 30, found: 1 });
    expect(answer.last).toHaveLength(20);
    expect(answer.last[0]?.namespace).toBe('n-29');
  });
});
