/** Pods on one Node, and what may keep them there. */
import type { KubeObject } from '../../../kube/client/client.ts';
import { namespaced } from '../../../kube/client/paths.ts';
import { eventually } from '../../support/eventually.ts';
import type { Scenario } from './scenario.ts';

export interface RunningPod extends KubeObject {
  spec?: { nodeName?: string };
  status?: { phase?: string };
}

export interface Workload {
  app: string;
  nodeName: string;
  replicas?: number;
  /** Of the pods. */
  annotations?: Record<string, string>;
  /** Names of PersistentVolumeClaims. */
  claims?: string[];
  /** Key of a taint. Default none. */
  tolerates?: string;
}

export interface AlonePod extends Pick<Workload, 'app' | 'nodeName' | 'annotations'> {
  finalizers?: string[];
}

export class Workloads {
  readonly #scenario: Scenario;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
  }

  budgets(name = ''): string {
    const { namespace } = this.#scenario;
    const path = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
    return name === '' ? path : `${path}/${name}`;
  }

  /** A Deployment whose pods run on this Node or nowhere. Resolves when they run. */
  async start({
    app,
    nodeName,
    replicas = 1,
    annotations,
    claims = [],
    tolerates,
  }: Workload): Promise<void> {
    const volumes = claims.map((claimName) => ({
      name: claimName,
      persistentVolumeClaim: { claimName },
    }));
    const spec = {
      nodeSelector: { 'kubernetes.io/hostname': nodeName },
      containers: [{ name: 'app', image: 'nothing' }],
      volumes,
      ...(tolerates !== undefined && { tolerations: [{ key: tolerates, operator: 'Exists' }] }),
    };
    await this.#scenario.cluster.kube.create(this.#deployments(), {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: app },
      spec: {
        replicas,
        selector: { matchLabels: { app } },
        template: { metadata: { labels: { app }, annotations }, spec },
      },
    });
    await eventually(`${replicas} pods of ${app} run on ${nodeName}`, async () => {
      const pods = await this.podsOn(nodeName, app);
      const phases = pods.map(({ status }) => status?.phase);
      expect(phases).toEqual(Array.from({ length: replicas }, () => 'Running'));
    });
  }

  /** One Pod that nobody replaces, on this Node. Returns its path. */
  async startAlone({ app, nodeName, annotations, finalizers }: AlonePod): Promise<string> {
    const { cluster, namespace } = this.#scenario;
    const name = `${app}-${nodeName}`;
    await cluster.kube.create(namespaced('pods', namespace), {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels: { app }, annotations, finalizers },
      spec: { nodeName, containers: [{ name: 'app', image: 'nothing' }] },
    });
    return namespaced('pods', namespace, name);
  }

  async end(app: string): Promise<void> {
    await this.#scenario.cluster.delete(this.#deployments(app));
  }

  /** Of one app, or all. */
  async podsOn(nodeName: string, app?: string): Promise<RunningPod[]> {
    const { cluster, namespace } = this.#scenario;
    const query = {
      fieldSelector: `spec.nodeName=${nodeName}`,
      ...(app !== undefined && { labelSelector: `app=${app}` }),
    };
    return await cluster.list<RunningPod>(namespaced('pods', namespace), query);
  }

  /** A PodDisruptionBudget that allows so many. Resolves when it counts the pods. */
  async guard(
    name: string,
    spec: { app: string; minAvailable?: number; maxUnavailable?: number },
  ): Promise<void> {
    const { app, ...limits } = spec;
    const { kube } = this.#scenario.cluster;
    await kube.create(this.budgets(), {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name },
      spec: { ...limits, selector: { matchLabels: { app } } },
    });
    await eventually(`the budget ${name} counts its pods`, async () => {
      const { status } = await kube.get<{ status?: { currentHealthy?: number } }>(
        this.budgets(name),
      );
      expect(status?.currentHealthy).toBeGreaterThan(0);
    });
  }

  #deployments(name = ''): string {
    const path = `/apis/apps/v1/namespaces/${this.#scenario.namespace}/deployments`;
    return name === '' ? path : `${path}/${name}`;
  }
}
