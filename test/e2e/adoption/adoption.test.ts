/**
 * Takes over from MCM v0.62.1 where nothing is under way but VMs that boot.
 * test/fixtures/mcm-0.62.1 says how each moment came to be.
 */
import { untilPhase } from '../support/machines.ts';
import { join } from '../support/mcm-handover.ts';
import { writesOfTakeover, useTakeover } from '../support/mcm-takeover.ts';

describe('what MCM left at 06-rolled-back-complete', () => {
  const takeover = useTakeover('adopt06', '06-rolled-back-complete');

  // From the second template back to the first.
  test('stays as it is, and nothing is written', async () => {
    expect(await writesOfTakeover(takeover)).toEqual([]);
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
