/** What a person does with `kubectl`: at once, with all rights, and said in the timeline. */
import type { KubeObject, PatchType, Query } from '../../../kube/client/client.ts';
import type { Body } from '../../support/api-server/creation.ts';
import { overTheWire } from '../../support/api-server/json.ts';
import { StatusError } from '../../support/api-server/status.ts';
import type { Simulation } from '../engine/simulation.ts';
import type { Cluster } from '../world/kube-client.ts';
import type { Weather } from '../world/weather.ts';

export interface Found extends KubeObject {
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
  [field: string]: unknown;
}

export type Policy = 'Background' | 'Foreground' | 'Orphan';

export interface KubectlParts {
  simulation: Simulation;
  weather: Weather;
  cluster: Cluster;
  /** Name of the action, for the timeline. */
  action: string;
  /** Path of the object that a list of its collection holds alone. Default: all there are. */
  only?: string | undefined;
}

/** More of a body makes no timeline readable. Characters. */
const longestBody = 300;

export class Kubectl {
  readonly #parts: KubectlParts;

  constructor(parts: KubectlParts) {
    this.#parts = parts;
  }

  get isUp(): boolean {
    return this.#parts.cluster.isUp;
  }

  /** Undefined when there is none, or no answer. */
  get(path: string): Found | undefined {
    const { server, isUp } = this.#parts.cluster;
    return isUp && server.serves(path) && server.has(path)
      ? overTheWire(server.get(path))
      : undefined;
  }

  has(path: string): boolean {
    const { server, isUp } = this.#parts.cluster;
    return isUp && server.serves(path) && server.has(path);
  }

  /** Empty when there is no answer, or nothing is served there. */
  list(path: string, query: Query = {}): Found[] {
    const { server, isUp } = this.#parts.cluster;
    if (!isUp || !server.serves(path)) return [];
    const { items = [] }: { items?: Found[] } = overTheWire(server.get(path, query));
    const { only } = this.#parts;
    if (only?.slice(0, only.lastIndexOf('/')) !== path) return items;
    return items.filter(({ metadata }) => `${path}/${metadata.name}` === only);
  }

  /** As all writes here: undefined when it is refused, or comes to no answer. */
  create(path: string, body: Body): object | undefined {
    const call = { method: 'POST', path, body };
    return this.#write(call, () => this.#parts.cluster.server.create(path, overTheWire(body)));
  }

  patch(path: string, body: unknown, type: PatchType = 'merge'): object | undefined {
    const call = { method: 'PATCH', path, body };
    return this.#write(call, () =>
      this.#parts.cluster.server.patch(path, { type, body: overTheWire(body) }),
    );
  }

  delete(path: string, propagationPolicy: Policy = 'Background'): object | undefined {
    const body = { propagationPolicy };
    const call = { method: 'DELETE', path, body };
    return this.#write(call, () => this.#parts.cluster.server.delete(path, body));
  }

  #write(
    { method, path, body }: { method: string; path: string; body: unknown },
    carryOut: () => object,
  ): object | undefined {
    const { weather, cluster } = this.#parts;
    const what = `${method} ${shortOf(path)} ${textOf(path, body)}`;
    if (!cluster.isUp) return this.#refused(what, 'connection refused');
    const verdict = weather.refusalOf(`${method} ${path}`, cluster.name, body);
    if (verdict) return this.#refused(what, verdict.message);
    try {
      const answer = carryOut();
      this.#note(what);
      return answer;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return this.#refused(what, error.message);
    }
  }

  #refused(what: string, why: string): undefined {
    this.#note(`${what}: ${why}`);
  }

  #note(what: string): void {
    this.#parts.simulation.note('user', `${this.#parts.action}: ${what}`);
  }
}

/** `/apis/machine.sapcloud.io/v1alpha1/namespaces/a/machines/b` -> `a/machines/b` */
function shortOf(path: string): string {
  return path.replace(/^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/(?=[^/]+\/))?/, '');
}

function textOf(path: string, body: unknown): string {
  // Not even the user shows a Secret around.
  if (path.includes('/secrets')) return '...';
  const text = JSON.stringify(body);
  return text.length > longestBody ? `${text.slice(0, longestBody)}...` : text;
}
