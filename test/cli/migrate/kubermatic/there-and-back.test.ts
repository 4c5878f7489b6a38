/** Take-over and hand-back, with a front and a machine-controller that answer at once. */
import { handBack } from '../../../../cli/migrate/kubermatic/hand-back.ts';
import { takeOver } from '../../../../cli/migrate/kubermatic/take-over.ts';
import { KubeError } from '../../../../kube/client/errors.ts';
import type { MigrateOptions } from '../../../../cli/migrate/options.ts';
import { front, kubermaticFinalizers } from '../../../../workflows/api/kubermatic-names.ts';
import { inKubeSystem, joined, namespace, paths, TheirCluster } from './their-cluster.ts';

const machineController = Object.values(kubermaticFinalizers);
const mirrors = /kube-system\/machine(s|sets|deployments)\/[^/]+$/;

/** Does what a patch asks for, before the next read. */
class ActingCluster extends TheirCluster {
  /** It throws instead of the write of this number. */
  failsAt = Infinity;
  /** It refuses the next write to their deployment, as where a webhook does not answer. */
  isBehind = false;
  #writes = 0;

  constructor() {
    super();
    this.settle();
    this.onPatch = (path) => {
      if (path === paths.controller) this.#control();
      if (path === paths.deployment) this.#mirror();
    };
  }

  override async patch<T>(...[path, type, body]: Parameters<TheirCluster['patch']>): Promise<T> {
    this.#writes += 1;
    if (this.#writes === this.failsAt) throw new Error('killed');
    if (this.isBehind && path === paths.deployment) {
      this.isBehind = false;
      const failure = { reason: 'InternalError', message: 'failed calling webhook' };
      throw new KubeError({ code: 500, ...failure, method: 'PATCH', path });
    }
    return await super.patch<T>(path, type, body);
  }

  #control(): void {
    const { spec }: { spec?: { replicas?: number } } = Object(this.objects.get(paths.controller));
    if (spec?.replicas === 0) this.objects.delete(paths.lease('machine-controller'));
    else this.hold('machine-controller');
  }

  #mirror(): void {
    const { annotations = {} } = this.objects.get(paths.deployment)?.metadata ?? {};
    if (annotations[front.takeOver] === 'true') this.#takeOver();
    if (annotations[front.handBack] === 'true') this.#handBack();
  }

  #takeOver(): void {
    for (const path of this.objects.keys()) {
      if (mirrors.test(path)) this.change(path, { metadata: { finalizers: [front.finalizer] } });
    }
    const conditions = ['Served', 'Translated'].map((type) => ({ type, status: 'True' }));
    this.change(paths.deployment, {
      status: { conditions },
      metadata: { annotations: { [front.takeOver]: null } },
    });
    for (const [index, name] of joined.entries()) {
      this.change(paths.machine(name), { spec: { providerID: `hcloud://${index}` } });
      this.put({
        apiVersion: 'machine.sapcloud.io/v1alpha1',
        kind: 'Machine',
        metadata: { name, namespace, creationTimestamp: '2026-11-01T00:00:00Z' },
        spec: {
          class: { kind: 'MachineClass', name: 'web' },
          providerID: `hcloud:///fsn1/${index}`,
        },
      });
    }
  }

  #handBack(): void {
    for (const path of this.objects.keys()) {
      if (!mirrors.test(path)) continue;
      const finalizers = path.includes('/machines/') ? machineController : [];
      this.change(path, { metadata: { finalizers } });
    }
    this.change(paths.deployment, { metadata: { annotations: { [front.handBack]: null } } });
  }

  get replicas(): unknown {
    return Object(this.objects.get(paths.controller)).spec.replicas;
  }

  get selectors(): unknown {
    const { webhooks }: { webhooks: { namespaceSelector?: object }[] } = Object(
      this.objects.get(paths.webhooks),
    );
    return webhooks.map(({ namespaceSelector }) => namespaceSelector);
  }
}

const steps = (kube: TheirCluster, changes: Partial<MigrateOptions> = {}) => ({
  scope: { kube, namespace },
  options: { ...inKubeSystem, timeoutSeconds: 5, ...changes },
  report: () => undefined,
});

const excepted = {
  matchExpressions: [
    { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: [namespace] },
  ],
};

async function takenOver(): Promise<ActingCluster> {
  const cluster = new ActingCluster();
  await takeOver(steps(cluster));
  return cluster;
}

test('there and back, and both can be repeated', async () => {
  const cluster = new ActingCluster();
  const { data } = await takeOver(steps(cluster));
  expect(data).toMatchObject({
    isTakenOver: true,
    machines: joined.map((name, index) => ({ name, providerID: `hcloud://${index}` })),
  });
  expect([cluster.replicas, cluster.selectors]).toEqual([0, [excepted]]);
  cluster.calls.length = 0;
  await takeOver(steps(cluster));
  expect(cluster.writes().filter((call) => call.startsWith('PATCH'))).toEqual([]);
  await handBack(steps(cluster));
  expect([cluster.replicas, cluster.selectors]).toEqual([1, [{}]]);
  cluster.calls.length = 0;
  await handBack(steps(cluster));
  expect(cluster.writes().filter((call) => call.startsWith('PATCH'))).toEqual([]);
});

test.each([1, 2, 3])('a take-over that was killed at write %i goes on', async (write) => {
  const cluster = new ActingCluster();
  cluster.failsAt = write;
  await expect(takeOver(steps(cluster))).rejects.toThrow('killed');
  await takeOver(steps(cluster));
  expect([cluster.replicas, cluster.selectors]).toEqual([0, [excepted]]);
});

test.each([1, 2, 3])('a hand-back that was killed at write %i goes on', async (write) => {
  const cluster = new ActingCluster();
  await takeOver(steps(cluster));
  cluster.failsAt = write + 3;
  await expect(handBack(steps(cluster))).rejects.toThrow('killed');
  await handBack(steps(cluster));
  expect([cluster.replicas, cluster.selectors]).toEqual([1, [{}]]);
});

test('an API server that still asks a webhook is waited for', async () => {
  const cluster = new ActingCluster();
  cluster.isBehind = true;
  await takeOver(steps(cluster));
  expect(cluster.calls.filter((call) => call === `PATCH ${paths.deployment}`)).toHaveLength(1);
});

test('a server that was begun after the check is left to machine-controller', async () => {
  const cluster = new ActingCluster();
  const { onPatch } = cluster;
  cluster.onPatch = (path) => {
    if (path === paths.controller) cluster.unsettle();
    onPatch(path);
  };
  await expect(takeOver(steps(cluster))).rejects.toThrow(
    /Nothing was taken over.*\n.*no Node has joined/,
  );
  expect([cluster.replicas, cluster.selectors]).toEqual([1, [undefined]]);
});

test.each([
  ['no front leads', 'millwright-front', /no front of Millwright leads/],
  ['no watcher leads', 'millwright', /no watcher of Millwright leads/],
])('nothing is taken over where %s', async (_what, lease, says) => {
  const cluster = new ActingCluster();
  cluster.objects.delete(paths.lease(lease));
  await expect(takeOver(steps(cluster))).rejects.toThrow(says);
  expect(cluster.replicas).toBe(1);
});

/** Millwright made the second one. */
function made(cluster: TheirCluster, cloudProvider: string): void {
  cluster.change(paths.machine(joined[1]), {
    metadata: { creationTimestamp: '2026-11-02T00:00:00Z' },
    spec: { providerSpec: { value: { cloudProvider } } },
  });
}

describe('machine-controller would make an instance again', () => {
  test('where Millwright made it, and it has no tag', async () => {
    const cluster = await takenOver();
    made(cluster, 'hetzner');
    await expect(handBack(steps(cluster))).rejects.toThrow(
      /Nothing was done.*\nMachine web-7f4c8b956d-q7w2k: .*hcloud server add-label 1 machine-uid=0b3f3c6e-\S+12/,
    );
    expect(cluster.replicas).toBe(0);
    await handBack(steps(cluster, { instancesTagged: true }));
    expect(cluster.replicas).toBe(1);
  });

  test('not where its name is enough', async () => {
    const cluster = await takenOver();
    made(cluster, 'fake');
    await handBack(steps(cluster));
    expect(cluster.replicas).toBe(1);
  });

  test('in a namespace that the front still serves', async () => {
    const cluster = await takenOver();
    cluster.store(paths.deployment.replace(namespace, 'other'), {
      metadata: {
        ...cluster.machine(joined[0]).metadata,
        namespace: 'other',
        finalizers: [front.finalizer],
      },
    });
    const { text } = await handBack(steps(cluster));
    expect(text).toMatch(/it stays at 0 until other is handed back/);
    expect([cluster.replicas, cluster.selectors]).toEqual([0, [{}]]);
  });
});
