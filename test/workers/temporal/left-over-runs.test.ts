import type { Claimant } from '../../../workers/temporal/claims.ts';
import type { Run } from '../../../workers/temporal/left-over-runs.ts';
import { isLeftOver } from '../../../workers/temporal/left-over-runs.ts';

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
