/** Events are best effort: where none can be written, machines live and die as anywhere. */
import { namespaced } from '../../../kube/client/paths.ts';
import type { EventObject } from '../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { createDeployment, deleteDeployment, untilRunning } from '../support/machines.ts';
import { useScenario } from '../support/scenario.ts';
import { Workloads } from '../support/workloads.ts';

const admission = '/apis/admissionregistration.k8s.io/v1';

describe('a namespace that takes no Events', () => {
  const scenario = useScenario('no-events');
  const { cluster, namespace } = scenario;
  const events = namespaced('events', namespace);
  const policies = `${admission}/validatingadmissionpolicies`;
  const bindings = `${admission}/validatingadmissionpolicybindings`;

  /**
   * Not a quota: API servers count no Events of the core API (`ignoredResources` of Kubernetes'
   * quota).
   */
  beforeAll(async () => {
    const metadata = { name: namespace };
    const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['events'] };
    await cluster.kube.create(policies, {
      metadata,
      spec: {
        matchConstraints: { resourceRules: [{ ...rule, operations: ['CREATE', 'UPDATE'] }] },
        validations: [{ expression: 'false', message: 'no Events here' }],
      },
    });
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
    await cluster.kube.create(bindings, {
      metadata,
      spec: {
        policyName: namespace,
        validationActions: ['Deny'],
        matchResources: { namespaceSelector },
      },
    });
    const involvedObject = { kind: 'Pod', name: 'probe', namespace };
    const probe = { metadata: { generateName: 'probe-' }, involvedObject, type: 'Normal' };
    await eventually('no Event is taken', async () => {
      await expect(cluster.kube.create(events, probe)).rejects.toThrow('no Events here');
    });
  });
  afterAll(async () => {
    await cluster.delete(`${bindings}/${namespace}`);
    await cluster.delete(`${policies}/${namespace}`);
  });

  test('has its machines created, drained and deleted', async () => {
    const pool = await createDeployment(scenario, 'pool', { replicas: 2 });
    const machines = await untilRunning(scenario, pool, 2);
    const workloads = new Workloads(scenario);
    for (const { metadata } of machines)
      await workloads.startAlone({ app: 'web', nodeName: metadata.name });
    await cluster.scale(pool, 1);
    await untilRunning(scenario, pool, 1);
    await deleteDeployment(scenario, pool);
    expect(await cluster.list(namespaced('pods', namespace))).toEqual([]);
    const written = await cluster.list<EventObject>(events);
    expect(
      written.filter(({ involvedObject }) => involvedObject.kind.startsWith('Machine')),
    ).toEqual([]);
  });
});
