/**
 * Takes over from MCM v0.62.1 in each step of an update in place (3 replicas, surge 0, unavailable
 * 1): it goes on with the same machines, and ends as MCM itself ended it.
 */
import type { Machine } from '../../../workflows/api/machine.ts';
import { answerForAll, replicas } from '../support/in-place-story.ts';
import type { InPlaceMoment } from '../support/in-place-moments.ts';
import { useTakeover, writesOfTakeover } from '../support/mcm-takeover.ts';

const moments: InPlaceMoment[] = [
  '10-in-place-candidates',
  '11-in-place-drain-blocked',
  '12-in-place-drained',
  '13-in-place-ready',
  '14-in-place-updated',
  '15-in-place-moved',
  '16-in-place-failed',
  '17-in-place-timed-out',
];

const providerIDsOf = (machines: readonly Machine[]): Record<string, string | undefined> =>
  Object.fromEntries(machines.map(({ metadata, spec }) => [metadata.name, spec.providerID]));

describe.each(moments)('what MCM left at %s', (moment) => {
  const takeover = useTakeover(`adopt${moment.slice(0, 2)}`, moment);
  const { scenario } = takeover;

  test('is updated to its end, with the same machines and instances', async () => {
    const end = takeover.recordingOf('18-in-place-complete');
    await takeover.begin();
    await answerForAll(scenario, scenario.named('pool').name);
    await takeover.untilAsIn(end);
    await takeover.untilNodesAsIn(end);
    await takeover.expectMachinesAsIn(end);
    takeover.expectBounds({ maxTotal: replicas, minAvailable: replicas - 1 });
    expect(await takeover.sets()).toEqual(takeover.handedOverSets);
    expect(await takeover.machines()).toEqual(takeover.remaining());
    expect(takeover.everyMachine).toEqual(takeover.machineNames);
    expect(await takeover.instances()).toEqual({ created: takeover.machineNames, deleted: [] });
    expect(providerIDsOf(await scenario.cluster.machines())).toEqual(
      providerIDsOf(takeover.recording.machines),
    );
  });
});

describe('what MCM left at 18-in-place-complete', () => {
  const takeover = useTakeover('adopt18', '18-in-place-complete');

  test('stays as it is, and nothing is written', async () => {
    expect(await writesOfTakeover(takeover)).toEqual([]);
  });
});
