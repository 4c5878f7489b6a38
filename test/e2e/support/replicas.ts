/**
 * Our Deployment, in whose place the worker of a scenario runs that has the watcher in it: while it
 * wants replicas, and anew when it is restarted.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { deployments, wantedOf, type Deployment } from '../../../cli/install/deployments.ts';
import { namespaced } from '../../../kube/client/paths.ts';
import type { Scenario } from './scenario.ts';

const name = 'millwright-worker';
const checkEveryMs = 100;

export interface ReplicasOptions {
  /**
   * Of the Node on which its pods are Ready, in a control plane that has controllers. Default:
   * it has none.
   */
  nodeName?: string;
  /** A Secret, and the folder to which it is written before each start. */
  mount?: { secret: string; folder: string };
}

export class Replicas {
  readonly #scenario: Scenario;
  readonly #options: ReplicasOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  /** What the process was started for; undefined: it does not run. */
  #state: string | undefined;

  constructor(scenario: Scenario, options: ReplicasOptions = {}) {
    this.#scenario = scenario;
    this.#options = options;
  }

  /** While the operator runs. */
  async start(): Promise<void> {
    const { cluster, namespace } = this.#scenario;
    const { nodeName } = this.#options;
    await cluster.kube.create(deployments(namespace), {
      metadata: { name, labels: { ...labels, ...ofChart } },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            containers: [
              {
                name: 'worker',
                image: 'millwright',
                args: [`--namespace=${namespace}`, '--with-watcher'],
              },
            ],
            ...(nodeName !== undefined && {
              nodeSelector: { 'kubernetes.io/hostname': nodeName },
              tolerations: [{ operator: 'Exists' }],
            }),
          },
        },
      },
    });
    if (nodeName === undefined) await cluster.kube.create(namespaced('pods', namespace), pod);
    this.#state = '';
    this.#running = this.#follow();
  }

  /** The Deployment stays. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #follow(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const { cluster, namespace } = this.#scenario;
      try {
        const all = await cluster.list<Restartable>(deployments(namespace));
        const one = all.find(({ metadata }) => metadata.name === name);
        await this.#be(one && stateOf(one));
      } catch {
        // The API server is restored; the next round asks again.
      }
      await delay(checkEveryMs);
    }
  }

  /** Undefined: it is not to run. */
  async #be(wanted: string | undefined): Promise<void> {
    const present = this.#state;
    if (wanted === present) return;
    const { operator } = this.#scenario;
    if (present !== undefined) await operator.retire('worker');
    this.#state = undefined;
    if (wanted === undefined) {
      await this.#removePod();
      return;
    }
    await this.#mount();
    operator.startAgain('worker');
    this.#state = wanted;
  }

  async #removePod(): Promise<void> {
    const { cluster, namespace } = this.#scenario;
    if (this.#options.nodeName !== undefined) return;
    await cluster.delete(namespaced('pods', namespace, name));
  }

  /** As the kubelet does. */
  async #mount(): Promise<void> {
    const { mount } = this.#options;
    if (!mount) return;
    const { cluster, namespace } = this.#scenario;
    const path = namespaced('secrets', namespace, mount.secret);
    const { data = {} } = await cluster.kube.get<{ data?: Record<string, string> }>(path);
    mkdirSync(mount.folder, { recursive: true });
    for (const [file, value] of Object.entries(data)) {
      writeFileSync(join(mount.folder, file), Buffer.from(value, 'base64'));
    }
  }
}

const labels: Readonly<Record<string, string>> = {
  'app.kubernetes.io/name': 'millwright',
  'app.kubernetes.io/component': 'worker',
};

interface Restartable extends Deployment {
  spec?: NonNullable<Deployment['spec']> & {
    template?: { metadata?: { annotations?: Record<string, string> } };
  };
}

/** By which commands know that it is ours. */
const ofChart = { 'helm.sh/chart': 'millwright-0.0.0' };

/** Undefined while it wants no replicas; another text after `kubectl rollout restart`. */
function stateOf(deployment: Restartable): string | undefined {
  if (wantedOf(deployment) === 0) return undefined;
  const { annotations } = deployment.spec?.template?.metadata ?? {};
  return annotations?.['kubectl.kubernetes.io/restartedAt'] ?? '';
}

const pod = {
  metadata: { name, labels },
  spec: { containers: [{ name: 'worker', image: 'millwright' }] },
};
