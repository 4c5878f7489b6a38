/** A cluster with machine-controller, in memory, and what `millwright migrate` makes of it. */
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { MigrateOptions } from '../../../../cli/migrate/options.ts';
import type { KubeObject, PatchType } from '../../../../kube/client/client.ts';
import { KubeError } from '../../../../kube/client/errors.ts';
import type { KubermaticMachine } from '../../../../workflows/api/kubermatic.ts';
import { isRecord } from '../../../../workflows/values/is-record.ts';
import { ReviewingClient } from '../../../support/api-server/reviewing-client.ts';
import type { Json } from '../../../support/api-server/json.ts';
import { merge } from '../../../support/api-server/merge-patch.ts';

const file = new URL('../../../fixtures/machine-controller-f1068332/pool.yaml', import.meta.url);

export const namespace = 'kube-system';
const making = 'web-7f4c8b956d-zz5t9';
const theirs = `/apis/cluster.k8s.io/v1alpha1/namespaces/${namespace}`;
const admission = '/apis/admissionregistration.k8s.io/v1';

/** Names of the Machines that have a Node, the older first. */
export const joined = ['web-659dc857fb-8x4hd', 'web-7f4c8b956d-q7w2k'] as const;

export const inKubeSystem: MigrateOptions = {
  from: 'kubermatic',
  machineController: { namespace, name: 'machine-controller' },
  instancesTagged: false,
  mcmDeployments: [],
  externalProviders: [],
  timeoutSeconds: 600,
};

export const paths = {
  /** That of the older template. */
  set: `${theirs}/machinesets/web-659dc857fb`,
  deployment: `${theirs}/machinedeployments/web`,
  controller: `/apis/apps/v1/namespaces/${namespace}/deployments/machine-controller`,
  webhooks: `${admission}/mutatingwebhookconfigurations/machine-controller`,
  lease: (name: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${name}`,
  machine: (name: string) => `${theirs}/machines/${name}`,
};

const plurals: Readonly<Record<string, string>> = {
  MachineDeployment: `${theirs}/machinedeployments`,
  MachineSet: `${theirs}/machinesets`,
  Machine: `${theirs}/machines`,
};

const renewTime = (): string => new Date().toISOString();

const meta = (name: string) => ({
  name,
  namespace,
  uid: name,
  resourceVersion: '1',
  creationTimestamp: '2026-09-01T08:00:00Z',
});

export const process = (
  name: string,
  args: readonly string[],
  labels: Record<string, string> = {},
) => ({
  metadata: { ...meta(name), labels },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { spec: { containers: [{ name, image: `example/${name}:v1`, args }] } },
  },
  status: { availableReplicas: 1 },
});

const ours = (component: string) => {
  const labels = {
    'app.kubernetes.io/name': 'millwright',
    'app.kubernetes.io/component': component,
  };
  const lease = '--machine-controller-lease=kube-system/machine-controller';
  const own = component === 'watcher' ? [lease] : [];
  return process(component, [`--namespace=${namespace}`, ...own], labels);
};

export const webhook = (name: string, namespaceSelector?: object) => ({
  name,
  failurePolicy: 'Fail',
  rules: [{ apiGroups: ['cluster.k8s.io'] }],
  ...(namespaceSelector && { namespaceSelector }),
});

const kept =
  /^\/apis\/(apps|cluster\.k8s\.io|admissionregistration|apiextensions|coordination|operat)/;
const lists = /\/(machine\w*s|deployments|\w+webhookconfigurations)$/;
const discovery: Readonly<Record<string, readonly string[]>> = {
  '/apis/cluster.k8s.io/v1alpha1': ['machines', 'machinesets', 'machinedeployments'],
  '/apis/operatingsystemmanager.k8c.io/v1alpha1': ['operatingsystemprofiles'],
};

/** A list of all namespaces has none in its path. */
function isIn(list: string, path: string): boolean {
  const folder = path.slice(0, path.lastIndexOf('/'));
  return folder === list || folder.replace(/\/namespaces\/[^/]+/, '') === list;
}

/** Objects by their path; other paths are those of `ReviewingClient`. */
export class TheirCluster extends ReviewingClient {
  readonly objects = new Map<string, KubeObject>();
  #making: KubeObject | undefined;
  /** After each patch. */
  onPatch: (path: string) => void = () => undefined;

  constructor() {
    super({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
      const object: KubeObject = document.toJS();
      const at = plurals[object.kind ?? ''];
      if (at === undefined) this.put(object);
      else this.objects.set(`${at}/${object.metadata.name}`, object);
    }
    this.store(paths.controller, process('machine-controller', ['-join-cluster-timeout=25m']));
    for (const component of ['watcher', 'worker', 'front']) {
      this.store(`/apis/apps/v1/namespaces/${namespace}/deployments/${component}`, ours(component));
    }
    this.store(paths.webhooks, {
      metadata: meta('machine-controller'),
      webhooks: [webhook('machinedeployments.machine-controller.kubermatic.io')],
    });
    for (const name of ['machine-controller', 'millwright-front', 'millwright']) this.hold(name);
  }

  store(path: string, object: KubeObject & Record<string, unknown>): void {
    this.objects.set(path, object);
  }

  override async get<T>(path: string): Promise<T>;
  override async get(path: string): Promise<unknown> {
    const found = this.#read(path);
    if (found) return structuredClone(found);
    if (!kept.test(path)) return await super.get(path);
    throw new KubeError({ code: 404, reason: 'NotFound', message: path, method: 'GET', path });
  }

  #read(path: string): unknown {
    const resources = discovery[path];
    if (resources) return { resources: resources.map((name) => ({ name })) };
    if (this.objects.has(path)) return this.objects.get(path);
    const items = [...this.objects].filter(([at]) => isIn(path, at)).map(([, object]) => object);
    return kept.test(path) && lists.test(path)
      ? { metadata: { resourceVersion: '1' }, items }
      : undefined;
  }

  override async patch<T>(path: string, type: PatchType, body: unknown): Promise<T>;
  override async patch(path: string, type: PatchType, body: unknown): Promise<unknown> {
    const present = this.objects.get(path);
    if (!present || !isRecord(body)) return await super.patch(path, type, body);
    this.calls.push(`PATCH ${path}`);
    const patched = merge({ ...present }, body, type);
    this.objects.set(path, { ...present, ...patched });
    this.onPatch(path);
    return patched;
  }

  hold(name: string, holderIdentity = `${name}-1`): void {
    this.store(paths.lease(name), {
      metadata: meta(name),
      spec: { holderIdentity, renewTime: renewTime(), leaseDurationSeconds: 15 },
    });
  }

  /** Without the Machine whose server is being made. */
  settle(): void {
    const path = paths.machine(making);
    this.#making = this.objects.get(path);
    this.objects.delete(path);
  }

  /** The Machine whose server is being made. */
  unsettle(): void {
    if (this.#making) this.objects.set(paths.machine(making), this.#making);
  }

  /** A merge patch, by nobody. */
  change(path: string, patch: Json): void {
    const present = this.objects.get(path);
    if (!present) throw new Error(`there is no ${path}`);
    this.objects.set(path, { ...present, ...merge({ ...present }, patch, 'merge') });
  }

  machine(name: string): KubermaticMachine {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return this.objects.get(paths.machine(name)) as KubermaticMachine;
  }

  addWebhook(name: string): void {
    const path = `${paths.webhooks}-other`;
    this.store(path, { metadata: meta('other'), webhooks: [webhook(name)] });
  }

  /** In the template of `path`; a field that is null is taken away. */
  template(path: string, value: Json): void {
    this.change(path, { spec: { template: { spec: { providerSpec: { value } } } } });
  }
}
