/** A cluster with its controllers and nothing else, for tests. */
import type { KubeObject, ObjectMeta } from '../../../kube/client/client.ts';
import { namespaced, node as nodePath } from '../../../kube/client/paths.ts';
import { ApiServer } from '../../support/api-server/api-server.ts';
import type { Body } from '../../support/api-server/creation.ts';
import { overTheWire } from '../../support/api-server/json.ts';
import { Simulation } from '../engine/simulation.ts';
import type { Cluster } from '../world/kube-client.ts';
import { calm, Weather } from '../world/weather.ts';
import type { PodObject, Taint } from './objects.ts';
import { startControllers } from './start-controllers.ts';
import type { Controllers } from './start-controllers.ts';
import type { ControllerTrouble } from './trouble.ts';

const secondMs = 1_000;
export const namespace = 'default';
export const pods = namespaced('pods', namespace);
export const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
export const configMaps = namespaced('configmaps', namespace);

export class ControllersUnderTest {
  readonly simulation: Simulation;
  readonly weather: Weather;
  readonly server: ApiServer;
  readonly cluster: Cluster;
  readonly controllers: Controllers;
  /** Of Nodes whose kubelet does nothing. */
  readonly dead = new Set<string>();

  constructor({ seed = 1, trouble }: { seed?: number; trouble?: ControllerTrouble } = {}) {
    this.simulation = new Simulation(seed);
    this.weather = new Weather(this.simulation, calm);
    this.server = new ApiServer({
      now: () => Math.floor(this.simulation.now),
      gracefulPods: true,
    });
    this.cluster = { name: 'test', server: this.server, isUp: true };
    this.controllers = startControllers(this.simulation, this.weather, {
      cluster: this.cluster,
      isAlive: (name) => !this.dead.has(name),
      ...(trouble && { trouble }),
    });
  }

  async run(seconds: number): Promise<void> {
    await this.simulation.run(this.simulation.now + seconds * secondMs);
  }

  create(collection: string, name: string, body: Partial<Body> = {}): ObjectMeta {
    const metadata = { ...body.metadata, name };
    const created: Partial<KubeObject> = this.server.create(collection, { ...body, metadata });
    if (!created.metadata) throw new Error(`${collection} made no ${name}`);
    return created.metadata;
  }

  merge(path: string, body: object): void {
    this.server.patch(path, { type: 'merge', body });
  }

  /** Undefined where there is none. */
  read(path: string): ReturnType<typeof JSON.parse> {
    return this.server.has(path) ? overTheWire(this.server.get(path)) : undefined;
  }

  listOfPods(): PodObject[] {
    const { items = [] }: { items?: PodObject[] } = this.server.get(pods);
    return items;
  }

  listOfConfigMaps(): KubeObject[] {
    const { items = [] }: { items?: KubeObject[] } = this.server.get(configMaps);
    return items;
  }

  /** Its kubelet lives and says so, as it does when it begins. */
  addNode(name: string, spec: object = {}): ObjectMeta {
    const taints = [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }];
    const metadata = { labels: { 'kubernetes.io/hostname': name } };
    const created = this.create(nodePath(), name, { metadata, spec: { taints, ...spec } });
    this.setReady(name, 'True');
    return created;
  }

  setReady(name: string, status: 'True' | 'False' | 'Unknown'): void {
    this.merge(`${nodePath(name)}/status`, { status: { conditions: [{ type: 'Ready', status }] } });
  }

  taintsOf(name: string): string[] {
    const { spec = {} }: { spec?: { taints?: Taint[] } } = this.read(nodePath(name));
    return (spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`).toSorted();
  }
}
