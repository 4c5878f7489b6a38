/** Commands where only Kubernetes may give them: RBAC holds, and each is done once. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import { annotations } from '../../../workflows/api/constants.ts';
import type { MachineKind } from '../../../kube/client/paths.ts';
import { eventually } from '../../support/eventually.ts';
import { untilEvent } from '../support/events.ts';
import {
  createDeployment,
  createMachine,
  deleteDeployment,
  deleteMachine,
  untilGone,
  untilPhase,
  untilRunning,
} from '../support/machines.ts';
import type { Scenario } from '../support/scenario.ts';
import { useScenario } from '../support/scenario.ts';

async function ask(
  { cluster }: Scenario,
  [kind, name]: readonly [MachineKind, string],
  command: string,
): Promise<void> {
  const notes = { [annotations.command]: command };
  await cluster.patch(kind, name, { metadata: { annotations: notes } });
}

async function untilTaken(
  { cluster }: Scenario,
  [kind, name]: readonly [MachineKind, string],
): Promise<void> {
  await eventually(`the command is off ${name}`, async () => {
    const path = cluster.pathOf(kind, name);
    const { metadata } = await cluster.kube.get<MachineDeployment>(path);
    expect(metadata.annotations ?? {}).not.toHaveProperty([annotations.command]);
  });
}

describe('with --commands-by=kubernetes', () => {
  const scenario = useScenario('commands', {
    workerFlags: ['--commands-by=kubernetes'],
    isDoubled: false,
  });
  const { cluster, namespace, workflows, operator } = scenario;

  async function replicasOf(name: string): Promise<number | undefined> {
    const path = cluster.pathOf('machinedeployments', name);
    return (await cluster.kube.get<MachineDeployment>(path)).spec.replicas;
  }

  test('a rollout takes commands from its annotation, and none from Temporal', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 1 });
    await untilRunning(scenario, pool, 1);
    const handle = workflows.handleOf('machineDeployment', pool);
    const args: [object] = [{ replicas: 0, by: 'mallory' }];
    await expect(handle.executeUpdate('setReplicas', { args })).rejects.toMatchObject({
      cause: {
        message: `commands through Temporal are refused (--commands-by=kubernetes): kubectl -n ${namespace} annotate machinedeployment ${pool} 'millwright.dev/command=setReplicas replicas=0'`,
      },
    });
    expect(await replicasOf(pool)).toBe(1);

    const place = ['machinedeployments', pool] as const;
    await ask(scenario, place, 'setReplicas replicas=2 by=ada');
    await untilTaken(scenario, place);
    await untilRunning(scenario, pool, 2);
    const subject = { kind: 'MachineDeployment', name: pool };
    await untilEvent(scenario, subject, {
      reason: 'ReplicasSet',
      message: expect.stringContaining('Replicas set to 2, asked for by annotation by "ada" (run '),
    });

    // A person changes it by other means; a watcher that starts again repeats nothing.
    await cluster.patch('machinedeployments', pool, { spec: { replicas: 1 } });
    await operator.kill9('watcher');
    await untilRunning(scenario, pool, 1);
    expect(await replicasOf(pool)).toBe(1);
    await deleteDeployment(scenario, pool);
  });

  test('one that makes no sense, or not now, is taken off and says so', async () => {
    const name = await createMachine(scenario, 'alone');
    await untilPhase(scenario, name, 'Running');
    const place = ['machines', name] as const;
    const subject = { kind: 'Machine', name };
    await ask(scenario, place, 'skipDrian');
    await untilTaken(scenario, place);
    await untilEvent(scenario, subject, {
      reason: 'CommandRefused',
      message: expect.stringContaining('"skipDrian": must be one of retryNow, skipDrain'),
    });
    await ask(scenario, place, 'skipDrain');
    await untilTaken(scenario, place);
    await untilEvent(scenario, subject, {
      reason: 'CommandRefused',
      message: '"skipDrain" was not done: the machine is not being drained: delete it first',
    });
    await deleteMachine(scenario, name);
  });

  test('the log says which VM came and went, and for which run, and an Event that it went', async () => {
    const name = await createMachine(scenario, 'audited');
    const { metadata, spec } = await untilPhase(scenario, name, 'Running');
    const { providerID = '' } = spec;
    const { runId } = await workflows.handleOf('machine', name).describe();
    await cluster.delete(cluster.pathOf('machines', name));
    await untilGone(scenario, cluster.pathOf('machines', name));
    await untilEvent(
      scenario,
      { kind: 'Machine', name },
      {
        reason: 'InstanceDeleted',
        message: `Instance ${providerID} was deleted (run ${runId})`,
      },
    );
    const lines = readFileSync(join(operator.logs, 'worker.log'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"audit"') && line.includes(metadata.uid))
      .map((line): unknown => JSON.parse(line));
    expect(lines).toMatchObject([
      { msg: `createInstance Machine ${namespace}/${name}`, providerID, runId },
      {
        msg: `deleteInstance Machine ${namespace}/${name}`,
        audit: {
          verb: 'deleteInstance',
          object: `Machine ${namespace}/${name}`,
          uid: metadata.uid,
          providerID,
          workflowId: `machine/${namespace}/${name}`,
          runId,
        },
      },
    ]);
  });
});

describe('with --commands-by=none', () => {
  const scenario = useScenario('no-commands', { workerFlags: ['--commands-by=none'] });

  test('neither way does anything, and both say so', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 0 });
    const subject = { kind: 'MachineDeployment', name: pool };
    const handle = scenario.workflows.handleOf('machineDeployment', pool);
    await eventually('the update is refused', async () => {
      await expect(handle.executeUpdate('pause')).rejects.toMatchObject({
        cause: { message: expect.stringContaining('commands are refused (--commands-by=none)') },
      });
    });
    await ask(scenario, ['machinedeployments', pool], 'pause');
    await untilTaken(scenario, ['machinedeployments', pool]);
    await untilEvent(scenario, subject, {
      reason: 'CommandRefused',
      message: expect.stringContaining('--commands-by=none'),
    });
    const { spec } = await scenario.cluster.kube.get<MachineDeployment>(
      scenario.cluster.pathOf('machinedeployments', pool),
    );
    expect(spec.paused ?? false).toBe(false);
    await deleteDeployment(scenario, pool);
  });
});
