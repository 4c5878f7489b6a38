/**
 * Takes over from MCM v0.62.1 before, in, and after a rollout (3 replicas, surge 1, unavailable 0).
 * What comes out is what MCM itself recorded at the end of the same act. Which machine of an old
 * set goes next is not determined: MCM's order ends with the age, and these are of one second.
 */
import type { KubeObject } from '../../../kube/client/client.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import { untilEvent } from '../support/events.ts';
import { untilPhase } from '../support/machines.ts';
import { join } from '../support/mcm-handover.ts';
import type { Recording } from '../support/mcm-recording.ts';
import { type Takeover, useTakeover } from '../support/mcm-takeover.ts';

const replicas = 3;
/** MCM's sets: of the first template and of the second. */
const first = 'pool-77cfc';
const second = 'pool-77888';

/**
 * Waits for the end of a rollout and looks at all that was made and deleted since the handover.
 * `set` has all machines then.
 */
async function expectEnd(takeover: Takeover, end: Recording, set: string): Promise<void> {
  await takeover.untilAsIn(end);
  await takeover.untilNodesAsIn(end);
  await takeover.expectMachinesAsIn(end);
  takeover.expectBounds({ maxTotal: replicas + 1, minAvailable: replicas });
  // MCM's sets, and no third one.
  expect(await takeover.sets()).toEqual(takeover.handedOverSets);
  const newSet = takeover.scenario.named(set).name;
  const machines = await takeover.machines();
  expect(machines).toMatchObject(takeover.remaining(newSet));
  expect(Object.keys(machines)).toHaveLength(replicas);
  // No machine was made that is not there now, and every VM was made once.
  const old = takeover.machineNames.filter((name) => !name.startsWith(newSet));
  expect(takeover.everyMachine).toEqual([...old, ...Object.keys(machines)].toSorted());
  expect(await takeover.instances()).toEqual({ created: takeover.everyMachine, deleted: old });
}

describe('the rollout that MCM left at 03-rollout-surge-pending', () => {
  const takeover = useTakeover('adopt03', '03-rollout-surge-pending');
  const { scenario } = takeover;

  test('waits for the surge machine, and goes on when it joins', async () => {
    const surge = `${scenario.named('pool').name}-77888-bwgfx`;
    await takeover.begin();
    // Surge is used up, and no machine may be unavailable: there is nothing to do, and no progress
    // to report.
    await takeover.untilQuiet();
    expect(await takeover.machines()).toEqual(takeover.remaining());
    expect(takeover.everyMachine).toEqual(takeover.machineNames);
    expect(await takeover.writesOn('machines')).toEqual([]);
    await takeover.untilAsIn(takeover.recording);
    await takeover.untilNodesAsIn(takeover.recording);
    await join(scenario, surge);
    await untilPhase(scenario, surge, 'Running');
    await expectEnd(takeover, takeover.recordingOf('05-rollout-complete-revision-2'), second);
  });
});

describe('the rollout that MCM left at 04-rollout-first-old-terminating', () => {
  const takeover = useTakeover('adopt04', '04-rollout-first-old-terminating');

  test('goes on with the machine that goes, and then with the others one by one', async () => {
    await takeover.begin();
    await expectEnd(takeover, takeover.recordingOf('05-rollout-complete-revision-2'), second);
    expect(Object.keys(await takeover.machines())).toHaveLength(replicas);
  });
});

describe('a deployment that MCM left at 05-rollout-complete-revision-2', () => {
  const takeover = useTakeover('adopt05back', '05-rollout-complete-revision-2');
  const { scenario } = takeover;

  test('is rolled back to the revision of MCM that is asked for, as MCM did it', async () => {
    await takeover.begin();
    const pool = scenario.named('pool').name;
    const spec = { rollbackTo: { revision: 1 } };
    await scenario.cluster.patch('machinedeployments', pool, { spec });
    await expectEnd(takeover, takeover.recordingOf('06-rolled-back-complete'), first);
    await untilEvent(
      scenario,
      { kind: 'MachineDeployment', name: pool },
      { reason: 'DeploymentRollback', message: `Rolled back deployment "${pool}" to revision 1` },
    );
    expect((await scenario.cluster.deployment(pool)).spec.rollbackTo).toBeUndefined();
  });
});

function annotate(objects: KubeObject[], name: string, changes: Record<string, string>): void {
  const found = objects.find(({ metadata }) => metadata.name === name);
  Object.assign(found?.metadata.annotations ?? {}, changes);
}

describe('a deployment that MCM left at 06-rolled-back-complete', () => {
  const takeover = useTakeover('adopt06next', '06-rolled-back-complete');
  const { scenario } = takeover;
  const pool = scenario.named('pool').name;

  /**
   * Not recorded: the end of the first rollout with the revisions that MCM's rules give, the
   * highest of the others plus one.
   */
  function expected(): Recording {
    const end = takeover.recordingOf('05-rollout-complete-revision-2');
    const history = 'deployment.kubernetes.io/revision-history';
    annotate(end.deployments, pool, { [annotations.revision]: '4' });
    annotate(end.sets, scenario.named(second).name, {
      [annotations.revision]: '4',
      [history]: '2',
    });
    annotate(end.sets, scenario.named(first).name, { [annotations.revision]: '3', [history]: '1' });
    return end;
  }

  test('is rolled to a template that MCM has a set for: the set is found and gets the next revision', async () => {
    await takeover.begin();
    await scenario.cluster.patch('machinedeployments', pool, {
      spec: { template: { spec: { class: { name: 'bench2' } } } },
    });
    await expectEnd(takeover, expected(), second);
    expect((await scenario.cluster.deployment(pool)).spec.template.spec?.class?.name).toBe(
      'bench2',
    );
  });
});

describe('another deployment that MCM left at 06-rolled-back-complete', () => {
  const takeover = useTakeover('adopt06scale', '06-rolled-back-complete');
  const { scenario } = takeover;
  const { cluster } = scenario;
  const pool = scenario.named('pool').name;

  test('is scaled down as MCM did it: the machine with priority 1 goes', async () => {
    const leaving = `${pool}-77cfc-9ndsq`;
    await takeover.begin();
    const priority = { [annotations.priority]: '1' };
    await cluster.patch('machines', leaving, { metadata: { annotations: priority } });
    await cluster.scale(pool, 2);
    const end = takeover.recordingOf('09-after-scale-down');
    await takeover.untilAsIn(end, pool);
    await takeover.untilNodesAsIn(end);
    const { [leaving]: _gone, ...others } = takeover.remaining();
    expect(await takeover.machines()).toEqual(others);
    expect(takeover.everyMachine).toEqual(takeover.machineNames);
    expect(await takeover.instances()).toEqual({
      created: takeover.machineNames,
      deleted: [leaving],
    });
  });
});
