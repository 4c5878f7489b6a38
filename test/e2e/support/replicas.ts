/**
 * Our Deployments in a control plane that has no controllers: processes of the scenario's operator
 * run while they want replicas.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { deployments, wantedOf, type Deployment } from '../../../cli/migrate/deployments.ts';
import { namespaced } from '../../../activities/kube/client/paths.ts';
import type { Scenario } from './scenario.ts';

const components = ['watcher', 'worker'] as const;
const checkEveryMs = 100;

export class Replicas {
  readonly #scenario: Scenario;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #isUp = true;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
  }

  /** While the operator runs. */
  async start(): Promise<void> {
    const { cluster, namespace } = this.#scenario;
    for (const component of components) {
      const labels = { 'app.kubernetes.io/name': 'millwright' };
      const metadata = { name: `millwright-${component}`, labels };
      await cluster.kube.create(deployments(namespace), {
        metadata,
        spec: {
          replicas: 2,
          selector: { matchLabels: { component } },
          template: {
            metadata: { labels: { component, ...labels } },
            spec: { containers: [{ name: component, image: 'millwright' }] },
          },
        },
      });
      await cluster.kube.create(namespaced('pods', namespace), podOf(component));
    }
    this.#running = this.#follow();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #follow(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const { cluster, namespace } = this.#scenario;
      try {
        const all = await cluster.list<Deployment>(deployments(namespace));
        await this.#be(all.some((one) => wantedOf(one) > 0));
      } catch {
        // The API server is restored; the next round asks again.
      }
      await delay(checkEveryMs);
    }
  }

  async #be(isUp: boolean): Promise<void> {
    if (isUp === this.#isUp) return;
    const { operator, cluster, namespace } = this.#scenario;
    if (isUp) operator.start();
    else {
      await Promise.all([operator.retire('watcher'), operator.retire('worker')]);
      for (const component of components) {
        await cluster.delete(namespaced('pods', namespace, `millwright-${component}`));
      }
    }
    this.#isUp = isUp;
  }
}

const podOf = (component: string): object => ({
  metadata: { name: `millwright-${component}`, labels: { 'app.kubernetes.io/name': 'millwright' } },
  spec: { containers: [{ name: component, image: 'millwright' }] },
});
