/**
 * The real cluster autoscaler of the Kubernetes project with machine-controller's API: it sees
 * objects of `cluster.k8s.io` alone, and has no right to any of ours.
 */
import { node as nodePath } from '../../../kube/client/paths.ts';
import type { KubeObject } from '../../../kube/client/client.ts';
import type { KubermaticMachine } from '../../../workflows/api/kubermatic.ts';
import { kubermaticAnnotations, kubermaticGroup } from '../../../workflows/api/kubermatic-names.ts';
import { ClusterAutoscaler } from '../support/cluster-autoscaler.ts';
import { eventually } from '../../support/eventually.ts';
import { createTheirPool, theirMachinesOf, useFrontScenario } from '../support/front.ts';
import { nodesFor, scaleWork, startWork, untilAtWork, untilPoolHas } from '../support/pools.ts';

const scenario = useFrontScenario('fca');
const { cluster, namespace } = scenario;
let autoscaler: ClusterAutoscaler;

beforeAll(async () => {
  autoscaler = await ClusterAutoscaler.start(scenario, kubermaticGroup);
});
afterAll(async () => {
  await autoscaler.end();
});

const nodesOf = (machines: readonly KubermaticMachine[]): string[] =>
  machines.map(({ status }) => status?.nodeRef?.name ?? '').toSorted();

const prefix = `${kubermaticGroup}/cluster-api-autoscaler-node-group-`;
const capacity = 'capacity.cluster-autoscaler.kubernetes.io/';

test('grows a pool from nothing, gives up the machine that it marked, and shrinks to nothing', async () => {
  const { labels, taints } = nodesFor(scenario.named('zero').name);
  const name = await createTheirPool(scenario, 'zero', {
    annotations: {
      [`${prefix}min-size`]: '0',
      [`${prefix}max-size`]: '5',
      [`${capacity}cpu`]: '2',
      [`${capacity}memory`]: '4Gi',
      [`${capacity}labels`]: Object.entries(labels)
        .map(([key, value]) => `${key}=${value}`)
        .join(','),
      [`${capacity}taints`]: taints
        .map(({ key, value, effect }) => `${key}=${value}:${effect}`)
        .join(','),
    },
    node: { metadata: { labels }, taints },
  });
  await startWork(scenario, { app: 'zero', on: name, pods: 3 });
  const nodes = await untilAtWork(scenario, 'zero', 3);
  await untilPoolHas(scenario, name, 3);
  await eventually('their Machines show what the autoscaler reads', async () => {
    const machines = await theirMachinesOf(scenario, name);
    expect(nodesOf(machines)).toEqual(nodes);
    for (const { metadata, spec, status } of machines) {
      const found = await cluster.kube.get<KubeObject & { spec: { providerID: string } }>(
        nodePath(status?.nodeRef?.name),
      );
      expect(spec.providerID).toBe(found.spec.providerID);
      expect(found.metadata.annotations).toMatchObject({
        [kubermaticAnnotations.nodeMachine]: `${namespace}/${metadata.name}`,
      });
    }
  });

  await scaleWork(scenario, 'zero', 2);
  const busy = await untilAtWork(scenario, 'zero', 2);
  await untilPoolHas(scenario, name, 2);
  await eventually('theirs are those that have work', async () => {
    expect(nodesOf(await theirMachinesOf(scenario, name))).toEqual(busy);
  });
  autoscaler.expectOnlyChosenDeleted();

  await scaleWork(scenario, 'zero', 0);
  await untilPoolHas(scenario, name, 0);
  await eventually('no Machine of theirs is left', async () => {
    expect(await theirMachinesOf(scenario, name)).toEqual([]);
  });
  autoscaler.expectOnlyChosenDeleted();
  await cluster.delete(`/apis/apps/v1/namespaces/${namespace}/deployments/zero`);
});
