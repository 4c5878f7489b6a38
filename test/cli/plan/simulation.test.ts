/** A simulated rollout keeps the limits of the strategy, and comes to its end. */
import { annotations, options } from '../../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { durationsOf } from '../../../cli/plan/durations.ts';
import { patched } from '../../../cli/plan/patched.ts';
import { simulate } from '../../../cli/plan/simulation.ts';
import {
  aMachine,
  aMachineClass,
  aMachineDeployment,
  aMachineSet,
  controlledBy,
  createdAt,
} from '../../support/builders.ts';

const now = Date.parse(createdAt) + 3_600_000;
const pace = { creation: 60_000, deletion: 30_000, drain: 20_000, update: 90_000 };

/** Three machines of one set, which is that of the template. */
function settled(changes: Parameters<typeof aMachineDeployment>[0] = {}) {
  const deployment = aMachineDeployment({ status: { observedGeneration: 1 }, ...changes });
  const set = aMachineSet({
    metadata: {
      name: 'one',
      ownerReferences: controlledBy(deployment),
      annotations: {
        [annotations.revision]: '1',
        [annotations.desiredReplicas]: '3',
        [annotations.maxReplicas]: '4',
      },
    },
    status: { observedGeneration: 1, replicas: 3, availableReplicas: 3 },
  });
  const machines = ['a', 'b', 'c'].map((letter) => machineIn(set, letter));
  return { deployment, sets: [set], machines };
}

function machineIn(set: Parameters<typeof controlledBy>[0], letter: string): Machine {
  return aMachine({
    metadata: {
      name: `one-${letter}`,
      labels: { pool: 'a' },
      ownerReferences: controlledBy({ ...set, kind: 'MachineSet' }),
    },
    status: {
      currentStatus: { phase: 'Running' },
      lastOperation: {
        type: 'Create',
        state: 'Successful',
        lastUpdateTime: '2026-01-01T00:02:00Z',
      },
    },
  });
}

const toLarge = { spec: { template: { spec: { class: { name: 'large' } } } } };

const inPlace = {
  ...toLarge.spec,
  strategy: {
    type: 'InPlaceUpdate',
    rollingUpdate: null,
    inPlaceUpdate: { maxSurge: 0, maxUnavailable: 1, orchestrationType: 'Auto' },
  },
};

function changed(objects: ReturnType<typeof settled>, patch: object) {
  const deployment: MachineDeployment = patched(objects.deployment, patch);
  return { ...objects, deployment };
}

describe('a simulated rollout', () => {
  test('replaces all machines within surge and availability', () => {
    const outcome = simulate(changed(settled(), toLarge), pace, { now });
    expect(outcome).toMatchObject({
      created: 3,
      deleted: 3,
      mostMachines: 4,
      fewestAvailable: 3,
      // Each machine comes, and makes room for the next one: three times, one after another.
      tookMs: 3 * (pace.creation + pace.deletion),
      isCut: false,
      plan: { state: 'Complete' },
    });
    const first = outcome.happenings.find(({ kind }) => kind === 'createSet');
    expect(first).toMatchObject({ at: 0, count: 1 });
    const deleted = outcome.happenings.flatMap(({ kind, names }) =>
      kind === 'delete' ? names : [],
    );
    expect(deleted.toSorted()).toEqual(['one-a', 'one-b', 'one-c']);
  });

  test('reads each machine once for each state that it is in', () => {
    const { deployment, sets, machines } = changed(settled(), toLarge);
    const notes = {
      reads: 0,
      get [annotations.priority]() {
        this.reads += 1;
        return '3';
      },
    };
    for (const { metadata } of machines) Object.assign(metadata, { annotations: notes });
    simulate({ deployment, sets, machines }, pace, { now });
    // Running, and going away.
    expect(notes.reads).toBe(2 * machines.length);
  });

  test('goes on where machines come at once', () => {
    const outcome = simulate(changed(settled(), toLarge), { ...pace, creation: 0 }, { now });
    expect(outcome).toMatchObject({ created: 3, deleted: 3, plan: { state: 'Complete' } });
  });

  test('does nothing where nothing changed', () => {
    const outcome = simulate(settled(), pace, { now });
    expect(outcome).toMatchObject({ happenings: [], created: 0, deleted: 0, tookMs: 0 });
  });

  test('scales without another set', () => {
    const more = simulate(changed(settled(), { spec: { replicas: 5 } }), pace, { now });
    expect(more).toMatchObject({ created: 2, deleted: 0, tookMs: pace.creation });
    const fewer = simulate(changed(settled(), { spec: { replicas: 1 } }), pace, { now });
    expect(fewer).toMatchObject({ created: 0, deleted: 2, tookMs: pace.deletion });
  });

  test('waits for a person after the first machines, and goes on', () => {
    const canary = { ...toLarge, metadata: { annotations: { [options.canary]: '1' } } };
    const { happenings, plan, created } = simulate(changed(settled(), canary), pace, { now });
    expect(happenings.filter(({ kind }) => kind === 'hold')).toHaveLength(1);
    expect(created).toBe(3);
    expect(plan.state).toBe('Complete');
  });

  test('runs through waves with a time, and stops at what only a person ends', () => {
    const waves = { ...toLarge, metadata: { annotations: { [options.canary]: '1 for 10m, 2' } } };
    const { happenings, plan, tookMs } = simulate(changed(settled(), waves), pace, { now });
    const waits = happenings.filter(({ kind }) => kind === 'passWave' || kind === 'hold');
    expect(waits).toMatchObject([
      { kind: 'passWave', at: 600_000 + pace.creation },
      { kind: 'hold', subject: expect.stringContaining('(wave 2 of 2)') },
    ]);
    expect(tookMs).toBeGreaterThan(600_000);
    expect(plan.state).toBe('Complete');
  });

  test('replaces machines of the template before by those of another one after a rollback', () => {
    const given = { ...toLarge, metadata: { annotations: { [options.rolledBackFrom]: 'two' } } };
    const outcome = simulate(changed(settled(), given), pace, { now });
    expect(outcome).toMatchObject({ created: 3, deleted: 3, plan: { state: 'Complete' } });
  });

  test('updates machines where they are, one at a time', () => {
    const outcome = simulate(changed(settled(), { spec: inPlace }), pace, { now });
    expect(outcome).toMatchObject({
      created: 0,
      deleted: 0,
      updated: 3,
      mostMachines: 3,
      fewestAvailable: 2,
      tookMs: 3 * (pace.drain + pace.update),
      plan: { state: 'Complete' },
    });
    const selected = outcome.happenings.filter(({ kind }) => kind === 'select');
    expect(selected.map(({ names }) => names)).toEqual([['one-a'], ['one-b'], ['one-c']]);
    expect(outcome.objects.machines.map(({ metadata }) => metadata.labels)).toEqual(
      ['a', 'b', 'c'].map((letter) => ({
        pool: 'a',
        node: `one-${letter}`,
        'machine-template-hash': expect.any(String),
      })),
    );
  });

  test.each([
    ['SelectedForUpdate', 'Running', pace.drain + pace.update - 5_000],
    ['ReadyForUpdate', 'InPlaceUpdating', pace.update - 5_000],
  ] as const)('goes on with one that is %s', (reason, phase, left) => {
    const { machines, ...rest } = changed(settled(), { spec: inPlace });
    const lastTransitionTime = new Date(now - 5_000).toISOString();
    const condition = { type: 'InPlaceUpdate', status: 'True', reason, lastTransitionTime };
    const status = { currentStatus: { phase }, conditions: [condition] };
    const [first, ...others] = machines.map((machine, index) =>
      index === 0 ? patched(machine, { metadata: { labels: { node: 'n' } }, status }) : machine,
    );
    const found = first ? [first, ...others] : [];
    const { tookMs, updated } = simulate({ ...rest, machines: found }, pace, { now });
    expect([updated, tookMs]).toEqual([3, left + 2 * (pace.drain + pace.update)]);
  });

  test('goes on in parts as in one', () => {
    const objects = changed(settled(), toLarge);
    const whole = simulate(objects, pace, { now });
    const between = now + 75_000;
    const first = simulate(objects, pace, { now, until: between });
    const second = simulate(first.objects, pace, { now: between });
    expect(first.happenings).toEqual(whole.happenings.slice(0, first.happenings.length));
    expect(between - now + second.tookMs).toBe(whole.tookMs);
    expect(first.created + second.created).toBe(whole.created);
  });
});

describe('durations', () => {
  const template = { drainTimeout: '10m', inPlaceUpdateTimeout: '40m' };

  test('are those of machines of the class, else of its provider, else a default', () => {
    const { machines } = settled();
    const past = {
      machines,
      classes: [aMachineClass(), aMachineClass({ metadata: { name: 'large' } })],
      deletions: [{ machine: 'x', seconds: 40 }],
    };
    const ofClass = durationsOf(past, { className: 'small', template });
    expect(ofClass.creation).toMatchObject({ seconds: 120, source: '3 machines of class small' });
    expect(ofClass.deletion).toMatchObject({ seconds: 40, longestSeconds: 900 });
    expect(ofClass.drain.longestSeconds).toBe(600);
    expect(ofClass.update.longestSeconds).toBe(2_400);
    const ofProvider = durationsOf(past, { className: 'large', template });
    expect(ofProvider.creation.source).toBe('3 machines of provider virtual');
    const unknown = durationsOf({ ...past, deletions: [] }, { className: 'other', template });
    expect(unknown.creation.source).toContain('a default');
    expect(unknown.deletion.source).toContain('a default');
  });
});
