/** A rollout as kstatus and Argo CD say it is: by their own code. */
import { failed, healthy, untilHealth } from '../support/gitops.ts';
import { secondClass, useRollouts } from '../support/rollout-under-test.ts';
import { untilComplete } from '../support/rollouts.ts';

describe('a rollout', () => {
  const rollouts = useRollouts('gitops-roll');
  const { cluster, cloud } = rollouts.scenario;

  test('is in progress, Failed past its deadline, Suspended while it is paused, and well at its end', async () => {
    const rollout = await rollouts.begin({ replicas: 2, progressDeadlineSeconds: 5 });
    const read = () => cluster.deployment(rollout.name);
    await cloud.addFault({ kind: 'neverJoin' });
    await rollout.changeClass(secondClass);
    const said = await untilHealth('the rollout', read, failed);
    expect(said).toMatch(/has timed out progressing\. .*rollbackTo/);
    await cloud.clearFaults();
    await rollout.patch({ rollbackTo: {} });
    await untilComplete(rollouts.scenario, rollout.name);
    await untilHealth('the rollout', read, healthy);
    await rollout.patch({ paused: true });
    await rollout.changeClass(secondClass);
    await untilHealth('the rollout', read, { kstatus: 'InProgress', argocd: 'Suspended' });
    await rollout.patch({ paused: false });
    await untilHealth('the rollout', read, healthy);
  });
});
