/** What is read of an install, and what is missing where a person may not read it. */
import type { KubeList, Query } from '../../../kube/client/client.ts';
import { standstillFindings } from '../../../cli/diagnosis/install.ts';
import { readInstall, readSurroundings } from '../../../cli/install/read.ts';
import { InMemoryClient } from '../../support/api-server/in-memory-client.ts';
import { overTheWire } from '../../support/api-server/json.ts';

const namespace = 'pools';
const temporal = { temporalAddress: '', temporalNamespace: '', allNamespaces: false };

const aProcess = (component: string, ...args: string[]) => ({
  metadata: {
    namespace,
    name: component,
    labels: { 'app.kubernetes.io/component': component, 'helm.sh/chart': 'millwright-0.1.0' },
  },
  spec: { template: { spec: { containers: [{ name: component, args }] } } },
});

const leaseElsewhere = '--leader-elect-resource-namespace=control';

/** A watcher that leads from another namespace than that of its Machines. */
class LedFromElsewhere extends InMemoryClient {
  installed: readonly object[] = [aProcess('watcher', leaseElsewhere)];

  constructor() {
    super({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace: 'control', name: `millwright-${namespace}` },
      spec: {
        holderIdentity: 'watcher-1',
        leaseDurationSeconds: 15,
        renewTime: new Date().toISOString(),
      },
    });
  }

  /** The API server in memory has no Deployments. */
  override async list<T>(path: string, query: Query = {}): Promise<KubeList<T>> {
    if (!path.startsWith('/apis/apps/')) return await super.list<T>(path, query);
    const page = { metadata: { resourceVersion: '1' }, items: this.installed };
    return overTheWire(page);
  }
}

test('the Lease of a watcher that leads from another namespace is found there', async () => {
  const kube = new LedFromElsewhere();
  const { around } = await readSurroundings({ kube, namespace }, temporal);
  expect(around.leases).toMatchObject([{ namespace, holder: 'watcher-1' }]);
  expect(around.unread).toEqual([]);
});

test('a worker with the watcher in it is both', async () => {
  const kube = new LedFromElsewhere();
  const timeout = '--machine-creation-timeout=1h';
  kube.installed = [
    aProcess('aws', leaseElsewhere),
    aProcess('core', '--with-watcher', leaseElsewhere, timeout),
  ];
  const { around } = await readSurroundings({ kube, namespace }, temporal);
  expect(around.leases).toMatchObject([{ namespace, holder: 'watcher-1' }]);
  expect(around.timeouts.creation).toBe(3_600);
  const known = around.processes.map(({ component, isWatcher }) => [component, isWatcher]);
  expect(known).toEqual([
    ['aws', false],
    ['core', true],
  ]);
});

test('who leads is unknown, and said to be, where that Lease may not be read', async () => {
  const kube = new LedFromElsewhere();
  kube.fault = ({ path }) =>
    path.includes('/namespaces/control/') ? { code: 403, reason: 'Forbidden' } : undefined;
  const { around } = await readSurroundings({ kube, namespace }, temporal);
  expect(around.leases).toBeUndefined();
  expect(around.unread).toEqual(['Leases of namespace control']);
});

test('a namespace that is being deleted is seen where no watcher leads, and said to be the cause', async () => {
  const at = '2026-11-28T10:00:00Z';
  const kube = new InMemoryClient();
  kube.put({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace, deletionTimestamp: at, finalizers: ['example.org/kept'] },
  });
  const { install } = await readInstall({ kube, namespace }, temporal);
  expect(install.leases).toMatchObject([{ holder: undefined, goingSince: Date.parse(at) }]);
  const worker = { namespace, name: 'w', component: 'worker', isWatcher: true };
  const processes = [{ ...worker, wanted: 1, available: 1 }];
  expect(standstillFindings({ ...install, processes })).toMatchObject([
    { cause: expect.stringMatching(/^namespace pools is being deleted, and no watcher leads/) },
  ]);
});
