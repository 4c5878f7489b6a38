/** A take-over of a pool as machine-controller leaves it in the middle of a rollout. */
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { createFrontActivities } from '../../../activities/front/index.ts';
import { pathOf } from '../../../activities/front/paths.ts';
import type { KubeObject } from '../../../kube/client/client.ts';
import { front, kubermaticFinalizers } from '../../../workflows/api/kubermatic-names.ts';
import type { KubermaticMachineDeployment } from '../../../workflows/api/kubermatic.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { aCluster } from './pool-world.ts';

const file = new URL('../../fixtures/machine-controller-f1068332/pool.yaml', import.meta.url);
const namespace = 'kube-system';
const making = 'web-7f4c8b956d-zz5t9';

async function asked(isSettled: boolean) {
  const api = new InMemoryClient();
  for (const kind of ['Machine', 'MachineSet', 'MachineDeployment']) api.serve(kind, true);
  for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
    const object: KubeObject = document.toJS();
    if (!isSettled || object.metadata.name !== making) api.put(object);
  }
  // Of operating-system-manager.
  api.put({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'web-kube-system-bootstrap-config', namespace: 'cloud-init-settings' },
  });
  await api.patch(pathOf('theirDeployment', namespace, 'web'), 'merge', {
    metadata: { annotations: { [front.takeOver]: 'true' } },
  });
  const { syncPool } = createFrontActivities({
    control: api,
    target: api,
    cluster: 'target',
    env: {},
    settings: aCluster,
  });
  const outcome = await syncPool({ ref: { namespace, name: 'web' } });
  return { api, outcome };
}

test('the instances are those of the Nodes, and the finalizers of others stay', async () => {
  const { api } = await asked(true);
  const { items } = await api.list<Machine>(pathOf('machine', namespace));
  expect(items.map(({ metadata, spec }) => [metadata.name, spec.providerID])).toEqual([
    ['web-659dc857fb-8x4hd', 'hcloud:///fsn1/50000041'],
    ['web-7f4c8b956d-q7w2k', 'hcloud:///fsn1/50000042'],
  ]);
  const kinds = ['theirMachine', 'theirSet', 'theirDeployment'] as const;
  const lists = await Promise.all(
    kinds.map(async (kind) => (await api.list<KubeObject>(pathOf(kind, namespace))).items),
  );
  const finalizers = lists.map((all) => all.map(({ metadata }) => metadata.finalizers));
  const held = ['foregroundDeletion', front.finalizer];
  expect(finalizers).toEqual([[[front.finalizer], [front.finalizer]], [held, held], [held]]);
});

test('nothing is touched while an instance is not known', async () => {
  const { api, outcome } = await asked(false);
  expect(outcome).toMatchObject({ state: 'waits' });
  expect((await api.list(pathOf('machine', namespace))).items).toEqual([]);
  const path = pathOf('theirDeployment', namespace, 'web');
  const { status } = await api.read<KubermaticMachineDeployment>(path);
  expect(status?.conditions).toContainEqual(
    expect.objectContaining({
      type: 'Served',
      status: 'False',
      message: expect.stringMatching(/^Machine web-7f4c8b956d-zz5t9: .* no Node has joined/),
    }),
  );
  const machine = await api.read<KubeObject>(pathOf('theirMachine', namespace, making));
  expect(machine.metadata.finalizers).toEqual(Object.values(kubermaticFinalizers));
});
