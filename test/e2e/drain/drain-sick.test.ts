/** Drains of Nodes that have been ill for long: nobody is there to let pods end. */
import { node as nodePath } from '../../../kube/client/paths.ts';
import { evictedPods, operatorRequests } from '../support/audit.ts';
import type { NodeObject } from '../support/cluster.ts';
import { untilEvent } from '../support/events.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, untilGone, untilPhase } from '../support/machines.ts';
import { setReady } from '../support/node-health.ts';
import { useScenario } from '../support/scenario.ts';
import { Volumes } from '../support/volumes.ts';
import { Workloads } from '../support/workloads.ts';

const tenMinutes = 600_000;
/** Only a deletion without a grace period takes such a pod away. */
const neverTerminates = { 'local.millwright.dev/never-terminates': 'true' };

interface Illness {
  words: string;
  type: string;
  status: string;
  reason: string;
}

describe('the drain of a machine whose Node', () => {
  const scenario = useScenario('sick-drain');
  const { cluster, cloud, namespace, workflows } = scenario;
  const workloads = new Workloads(scenario);
  const volumes = new Volumes(scenario);

  /** As a kubelet or an agent on the Node would have written it so long ago. */
  async function setCondition(
    name: string,
    { type, status, reason }: Illness,
    ago: number,
  ): Promise<void> {
    const lastTransitionTime = new Date(Date.now() - ago).toISOString().replace(/\.\d+Z$/, 'Z');
    const condition = { type, status, reason, message: 'by a test', lastTransitionTime };
    const patch = { status: { conditions: [condition] } };
    await cluster.kube.patch(`${nodePath(name)}/status`, 'strategic', patch);
    await eventually(`${type} is ${status} on ${name}`, async () => {
      const seen = await cluster.kube.get<NodeObject>(nodePath(name));
      const found = seen.status?.conditions?.find((one) => one.type === type);
      expect(found).toMatchObject({ status, lastTransitionTime });
    });
  }

  const deletionsOf = (resource: string, start: string) =>
    operatorRequests(namespace, { verb: 'delete', resource, start });

  test.each<Illness>([
    {
      words: 'is not Ready',
      type: 'Ready',
      status: 'False',
      reason: 'KubeletNotReady',
    },
    {
      words: 'cannot write',
      type: 'ReadonlyFilesystem',
      status: 'True',
      reason: 'FilesystemIsReadOnly',
    },
  ])(
    '$words: asks for 5 minutes, is forced then, and keeps volumes until the VM is gone',
    async (illness) => {
      const app = illness.type.toLowerCase();
      const name = await createMachine(scenario, app, { healthTimeout: '1h' });
      await untilPhase(scenario, name, 'Running');
      await volumes.attach(app, name);
      await workloads.start({
        app,
        nodeName: name,
        replicas: 3,
        claims: [app],
        annotations: neverTerminates,
      });
      await workloads.guard(app, { app, maxUnavailable: 0 });
      if (illness.type === 'Ready') await setReady(scenario, name, false);
      await setCondition(name, illness, 0);
      await untilPhase(scenario, name, 'Unknown');
      const triedBefore = await cloud.count('delete', 'Internal');
      await cloud.addFault({ operation: 'delete', kind: 'error', code: 'Internal', match: name });
      const path = cluster.pathOf('machines', name);
      await cluster.delete(path);
      await eventually('an ill Node is asked too', async () => {
        const drain = await workflows.handleOf('machine', name).query('drain');
        expect(drain).toMatchObject({ isBlocked: true });
      });
      expect(await workloads.podsOn(name, app)).toHaveLength(3);
      expect(await deletionsOf('pods', app)).toEqual([]);

      await setCondition(name, illness, tenMinutes);
      await eventually('the pods are gone at once, budget or not', async () => {
        expect(await workloads.podsOn(name, app)).toEqual([]);
      });
      await eventually('the deletion of the VM was tried', async () => {
        expect(await cloud.count('delete', 'Internal')).toBeGreaterThan(triedBefore);
      });
      expect((await cloud.instances()).map((one) => one.name)).toEqual([name]);
      expect(await volumes.isAttached(app)).toBe(true);

      await cloud.clearFaults();
      await untilGone(scenario, path);
      expect(await volumes.isAttached(app)).toBe(false);
      const [detached] = await deletionsOf('volumeattachments', volumes.volumeOf(app));
      const vm = (await cloud.deletions()).find((one) => one.name === name);
      expect(detached?.at).toBeGreaterThan(vm?.at ?? Number.POSITIVE_INFINITY);
      expect(await evictedPods(namespace, app)).toEqual([]);
      await untilEvent(scenario, { kind: 'Machine', name }, { reason: 'DrainBlocked' });
      await cluster.delete(workloads.budgets(app));
      await workloads.end(app);
      await volumes.remove(app);
    },
  );
});
