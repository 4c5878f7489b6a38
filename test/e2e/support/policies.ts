/** DisruptionPolicies of a scenario. */
import { disruptionPolicy } from '../../../kube/client/paths.ts';
import { ownGroup } from '../../../workflows/api/constants.ts';
import type {
  DisruptionExclusion,
  DisruptionPolicy,
  DisruptionPolicySpec,
} from '../../../workflows/api/disruption-policy.ts';
import { eventually } from '../../support/eventually.ts';
import type { Scenario } from './scenario.ts';

/** In whole seconds, so many from now on. */
export function timeIn(seconds: number): string {
  const time = new Date(Math.ceil(Date.now() / 1_000 + seconds) * 1_000);
  return time.toISOString().replace('.000', '');
}

const hour = 3_600;

/** It is closed from long ago until then. Default longer than any test. */
export function closedUntil(end = timeIn(hour)): DisruptionExclusion {
  return { start: timeIn(-hour), end, reason: 'a test' };
}

export class Policy {
  readonly name: string;
  readonly #scenario: Scenario;

  private constructor(scenario: Scenario, name: string) {
    this.#scenario = scenario;
    this.name = name;
  }

  /** Without a selector it holds for all deployments of the scenario. */
  static async create(
    scenario: Scenario,
    name: string,
    spec: DisruptionPolicySpec,
  ): Promise<Policy> {
    const { cluster, namespace } = scenario;
    await cluster.kube.create(disruptionPolicy(namespace), {
      apiVersion: `${ownGroup}/v1alpha1`,
      kind: 'DisruptionPolicy',
      metadata: { namespace, name },
      spec,
    });
    return new Policy(scenario, name);
  }

  /** Merges into the spec; null takes a field away. */
  async edit(spec: object): Promise<void> {
    await this.#scenario.cluster.kube.patch(this.#path, 'merge', { spec });
  }

  async delete(): Promise<void> {
    await this.#scenario.cluster.delete(this.#path);
  }

  /** Waits until its status has these fields. */
  async until(expected: object): Promise<void> {
    await eventually(`the status of ${this.name}`, async () => {
      const { metadata, status } = await this.#scenario.cluster.kube.get<DisruptionPolicy>(
        this.#path,
      );
      expect(status).toMatchObject({ observedGeneration: metadata.generation, ...expected });
    });
  }

  get #path(): string {
    return disruptionPolicy(this.#scenario.namespace, this.name);
  }
}
