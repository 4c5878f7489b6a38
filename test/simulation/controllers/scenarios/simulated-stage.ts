/** Scenarios on our controllers. */
import type { KubeObject } from '../../../../kube/client/client.ts';
import type { Body } from '../../../support/api-server/creation.ts';
import type { DeleteOptions } from '../../../support/api-server/deletion.ts';
import { namespace } from '../controllers-under-test.ts';
import type { ControllersUnderTest } from '../controllers-under-test.ts';
import { readObject } from '../writes.ts';
import { Stage } from './stage.ts';
import type { Answer, Ref, WorkloadWanted } from './stage.ts';

/** Simulated. */
const longestSeconds = 180;

export class SimulatedStage extends Stage {
  readonly namespace = namespace;
  protected readonly prefix = '';
  readonly #world: ControllersUnderTest;

  constructor(world: ControllersUnderTest) {
    super();
    this.#world = world;
  }

  protected async createAt(path: string, body: Body): Promise<void> {
    this.#world.server.create(path, body);
  }

  protected async patchAt(path: string, body: object): Promise<void> {
    this.#world.merge(path, body);
  }

  protected async deleteAt(path: string, options: DeleteOptions): Promise<void> {
    this.#world.server.delete(path, options);
  }

  protected async evictAt(path: string, name: string): Promise<Answer> {
    const refusal = this.#world.cluster.refusalOfEviction?.(path);
    if (refusal) {
      const { code, message, details = {} } = refusal;
      const { causes = [] }: { causes?: Answer['causes'] } = details;
      return { code, message, causes };
    }
    this.#world.server.create(`${path}/eviction`, { metadata: { name } });
    return { code: 201, message: '', causes: [] };
  }

  protected async readAt(path: string): Promise<KubeObject | undefined> {
    return readObject(this.#world.server, path);
  }

  protected async listAt(path: string): Promise<KubeObject[]> {
    const { items = [] }: { items?: KubeObject[] } = this.#world.server.get(path);
    return items;
  }

  protected async until(_what: string, check: () => Promise<void>): Promise<void> {
    for (let seconds = 0; ; seconds += 1) {
      await this.#world.run(1);
      try {
        return await check();
      } catch (error) {
        if (seconds >= longestSeconds) throw error;
      }
    }
  }

  async startNode(name: string): Promise<void> {
    this.#world.addNode(name);
  }

  async setReady(name: string, isReady: boolean): Promise<void> {
    this.#world.setReady(name, isReady ? 'True' : 'False');
  }

  async silence(name: string): Promise<void> {
    this.#world.dead.add(name);
    this.#world.setReady(name, 'Unknown');
  }

  async startWorkload(wanted: WorkloadWanted): Promise<void> {
    this.#world.controllers.workloads.add({ namespace, ...wanted });
  }

  async spoil(pod: Ref): Promise<void> {
    this.#world.controllers.pause('kubelets');
    const status = { conditions: [{ type: 'Ready', status: 'False' }] };
    this.#world.merge(`${this.pathOf(pod)}/status`, { status });
  }
}
