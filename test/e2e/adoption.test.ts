/**
 * Takes over from MCM v0.62.1 where nothing is under way but VMs that boot.
 * test/fixtures/mcm-0.62.1 says how each moment came to be.
 */
import { describe, expect, test } from 'vitest';
import { untilPhase } from './support/machines.ts';
import { join } from './support/mcm-handover.ts';
import { useTakeover } from './support/mcm-takeover.ts';

/**
 * Names, hashes and revisions of the sets are of MCM's making; 06 went from the second template
 * back to the first.
 */
describe.each([
  { moment: '02-running', short: 'adopt02' },
  { moment: '05-rollout-complete-revision-2', short: 'adopt05' },
  { moment: '06-rolled-back-complete', short: 'adopt06' },
] as const)('what MCM left at $moment', ({ moment, short }) => {
  const takeover = useTakeover(short, moment);

  test('stays as it is, and nothing is written', async () => {
    await takeover.begin();
    await takeover.untilQuiet();
    expect(await takeover.machines()).toEqual(takeover.remaining());
    expect(takeover.everyMachine).toEqual(takeover.machineNames);
    expect(await takeover.instances()).toEqual({ created: takeover.machineNames, deleted: [] });
    expect(await takeover.sets()).toEqual(takeover.handedOverSets);
    await takeover.untilAsIn(takeover.recording);
    await takeover.untilNodesAsIn(takeover.recording);
    expect(await takeover.changedNodes()).toEqual([]);
    for (const kind of ['machines', 'machinesets', 'machinedeployments'] as const) {
      expect(await takeover.writesOn(kind)).toEqual([]);
    }
  });
});

describe('what MCM left at 01-creating', () => {
  const takeover = useTakeover('adopt01', '01-creating');
  const { scenario } = takeover;

  test('waits for the VMs that boot, and goes on with them when they join', async () => {
    await takeover.begin();
    await takeover.untilQuiet();
    expect(new Set(Object.values(await scenario.cluster.phases()))).toEqual(new Set(['Pending']));
    expect(await takeover.writesOn('machines')).toEqual([]);
    for (const name of takeover.machineNames) await join(scenario, name);
    for (const name of takeover.machineNames) await untilPhase(scenario, name, 'Running');
    const running = takeover.recordingOf('02-running');
    await takeover.untilAsIn(running);
    await takeover.untilNodesAsIn(running);
    await takeover.expectMachinesAsIn(running);
    expect(await takeover.changedNodes()).toEqual(takeover.machineNames);
    expect(await takeover.machines()).toEqual(takeover.remaining());
    expect(takeover.everyMachine).toEqual(takeover.machineNames);
    expect(await takeover.instances()).toEqual({ created: takeover.machineNames, deleted: [] });
    expect(await takeover.sets()).toEqual(takeover.handedOverSets);
  });
});
