/** A person with all rights: reads and writes an API server at once, and says so in the timeline. */
import type { KubeObject } from '../../../activities/kube/client/client.ts';
import { customResource } from '../../../activities/kube/client/paths.ts';
import type { Body } from '../../support/api-server/creation.ts';
import { StatusError } from '../../support/api-server/status.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Cluster } from '../world/kube-client.ts';

export type Kind = Parameters<typeof customResource>[0];

export interface Found extends KubeObject {
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

export class Administrator {
  readonly #simulation: Simulation;
  readonly #cluster: Cluster;
  readonly namespace: string;

  constructor(simulation: Simulation, cluster: Cluster, namespace: string) {
    this.#simulation = simulation;
    this.#cluster = cluster;
    this.namespace = namespace;
  }

  list(kind: Kind): Found[] {
    const { items }: { items?: Found[] } = this.#cluster.server.get(
      customResource(kind, this.namespace),
    );
    return items ?? [];
  }

  create(kind: Kind, body: Body): void {
    this.#act(`creates ${kind} ${body.metadata?.name}`, () =>
      this.#cluster.server.create(customResource(kind, this.namespace), body),
    );
  }

  /** A merge patch, as `kubectl patch --type=merge` sends it. */
  patch(kind: Kind, name: string, body: object): void {
    this.#act(`patches ${kind} ${name}: ${JSON.stringify(body)}`, () =>
      this.#cluster.server.patch(customResource(kind, this.namespace, name), {
        type: 'merge',
        body,
      }),
    );
  }

  delete(kind: Kind, name: string, propagationPolicy = 'Background'): void {
    this.#act(`deletes ${kind} ${name} (${propagationPolicy})`, () =>
      this.#cluster.server.delete(customResource(kind, this.namespace, name), {
        propagationPolicy,
      }),
    );
  }

  put(path: string, body: Body): void {
    const name = body.metadata?.name ?? '';
    this.#act(`creates ${path}/${name}`, () => this.#cluster.server.create(path, body));
  }

  patchAt(path: string, body: object): void {
    this.#act(`patches ${path}: ${JSON.stringify(body)}`, () =>
      this.#cluster.server.patch(path, { type: 'merge', body }),
    );
  }

  deleteAt(path: string): void {
    this.#act(`deletes ${path}`, () => this.#cluster.server.delete(path));
  }

  has(path: string): boolean {
    return this.#cluster.server.has(path);
  }

  /** What the server refuses, a person sees and lets be. */
  #act(what: string, act: () => unknown): void {
    if (!this.#cluster.isUp) return;
    try {
      act();
      this.#simulation.note('user', what);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      this.#simulation.note('user', `${what}: ${error.status.message ?? error.message}`);
    }
  }
}
