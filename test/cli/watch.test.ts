/** What `millwright watch` shows of a sequence of states: lines in a pipe, else a screen. */
import { withEnvironment } from '../support/environment.ts';
import type { Install } from '../../cli/install/install.ts';
import { lineOf } from '../../cli/watch/watch.ts';
import { screenOf, type ScreenView } from '../../cli/watch/watch.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { Machine, MachineStatus } from '../../workflows/api/machine.ts';
import type { MachinePhase } from '../../workflows/api/phases.ts';
import { anInstall, aMachine, metaOf, minutesAgo, now, running } from './diagnosis/objects.ts';
import { anInstallInTrouble } from './diagnosis/install-in-trouble.ts';

withEnvironment({ LC_ALL: 'C.UTF-8', NO_COLOR: '1', FORCE_COLOR: undefined });

function machineIn(phase: MachinePhase, description: string, changes: object = {}): Machine {
  const status: MachineStatus = { currentStatus: { phase }, lastOperation: { description } };
  return aMachine('a', { status, metadata: changes });
}

function aPool(available: number, reason: string): MachineDeployment {
  return {
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'MachineDeployment',
    metadata: metaOf('pool'),
    spec: { replicas: 2, template: { spec: {} } },
    status: {
      replicas: 2,
      availableReplicas: available,
      conditions: [{ type: 'Progressing', status: 'True', reason }],
    },
  };
}

describe('in a pipe', () => {
  type Kind = Parameters<typeof lineOf>[0]['kind'];

  /** A second after the other; the last state is the one in which the object goes. */
  function linesOf(kind: Kind, states: readonly (Machine | MachineDeployment)[]): string[] {
    return states.flatMap((object, index) => {
      const change = { kind, object, previous: states[index - 1], isGone: false };
      return lineOf(change, now + index * 1_000) ?? [];
    });
  }

  test('each change of a machine is a line, and what changes nothing for people is none', () => {
    const pending = machineIn('Pending', 'Creating machine on cloud provider');
    const joined = machineIn('Running', 'Machine a successfully\n joined the cluster');
    const labelled = { ...joined, metadata: { ...joined.metadata, labels: { a: 'b' } } };
    const going = machineIn('Terminating', 'Drain', { deletionTimestamp: minutesAgo(0) });
    expect(linesOf('machines', [aMachine('a'), pending, joined, labelled, going])).toEqual([
      '12:00:00 shoot machine/a is there: New',
      '12:00:01 shoot machine/a New -> Pending: Creating machine on cloud provider',
      '12:00:02 shoot machine/a Pending -> Running: Machine a successfully joined the cluster',
      '12:00:04 shoot machine/a Running -> Terminating: Drain',
    ]);
    const gone = { kind: 'machines', object: going, previous: going, isGone: true } as const;
    expect(lineOf(gone, now)).toBe('12:00:00 shoot machine/a is gone');
  });

  test('a pool is a line for each change of its numbers or of its rollout', () => {
    const states = [
      aPool(1, 'MachineSetUpdated'),
      aPool(1, 'MachineSetUpdated'),
      aPool(2, 'NewMachineSetAvailable'),
    ];
    expect(linesOf('machinedeployments', states)).toEqual([
      '12:00:00 shoot machinedeployment/pool is there: 1 of 2 available, 2 present (MachineSetUpdated)',
      '12:00:02 shoot machinedeployment/pool 1 of 2 available, 2 present (MachineSetUpdated) -> 2 of 2 available, 2 present (NewMachineSetAvailable)',
    ]);
  });
});

type Terminal = Omit<ScreenView, 'rows' | 'trouble'>;

function drawn(install: Install, rows: number | undefined, terminal: Terminal = {}): string[] {
  return screenOf(install, { rows, trouble: '', ...terminal }).split('\n');
}

describe('in a terminal', () => {
  test('each state is the screen of status, without what only status asks for', () => {
    const inTrouble = drawn(anInstallInTrouble(), 40);
    expect(inTrouble[0]).toBe('Namespace shoot: 5 machines, 3 ready, 2 failing');
    expect(inTrouble).toContainEqual(expect.stringMatching(/^drain-budget +machine\/pool-1-b/));
    expect(inTrouble).toContainEqual(expect.stringMatching(/^pool +3\/4 +2 /));
    const repaired = drawn(anInstall({ machines: [aMachine('a', { status: running })] }), 40);
    expect(repaired[0]).toBe('Namespace shoot: 1 machine, 1 ready');
    expect(repaired).toContain('Nothing is stuck.');
    expect(repaired.join('\n')).not.toContain('Temporal was not asked');
  });

  test('a low terminal shows the top, and how much is left out', () => {
    const all = drawn(anInstallInTrouble(), 40);
    const low = drawn(anInstallInTrouble(), 8);
    expect(low).toEqual([...all.slice(0, 6), `(${all.length - 6} more lines)`]);
    expect(drawn(anInstallInTrouble(), 1)).toHaveLength(6);
    expect(drawn(anInstallInTrouble(), undefined)).toEqual(all);
  });

  test('a narrow terminal shows the top as well: a long line takes several of its rows', () => {
    const all = drawn(anInstallInTrouble(), 40);
    const columns = 80;
    const rowsOf = (lines: readonly string[]): number =>
      lines.reduce((sum, line) => sum + Math.max(Math.ceil(line.length / columns), 1), 0);
    const narrow = drawn(anInstallInTrouble(), 12, { columns });
    expect(rowsOf(all)).toBeGreaterThan(12);
    expect(narrow.slice(0, 3)).toEqual(all.slice(0, 3));
    expect(narrow.at(-1)).toBe(`(${all.length - narrow.length + 1} more lines)`);
    // The library adds a row for the cursor, and cuts what is too high from the top.
    expect(rowsOf(narrow)).toBeLessThan(12);
    expect(drawn(anInstallInTrouble(), rowsOf(all) + 2, { columns })).toEqual(all);
  });

  test('while the API server is away it says so first, and of when the rest is', () => {
    const all = drawn(anInstallInTrouble(), 40);
    expect(drawn(anInstallInTrouble(), 40, { awaySince: now - 180_000 })).toEqual([
      'The API server has not answered for 3m: what follows is of then.',
      '',
      ...all,
    ]);
  });

  test('what failed stands below, until the next drawing', () => {
    const all = drawn(anInstallInTrouble(), 40);
    const trouble = 'the API server is away';
    const below = screenOf(anInstallInTrouble(), { rows: 40, trouble }).split('\n');
    expect(below).toEqual([...all, trouble]);
  });
});
