/** For tests of the judge: a small world without processes; a test does what they would do. */
import { customResource } from '../../../kube/client/paths.ts';
import { apiVersion } from '../../../workflows/api/constants.ts';
import { ApiServer } from '../../support/api-server/api-server.ts';
import type { Change } from '../../support/api-server/store.ts';
import { Simulation } from '../engine/simulation.ts';
import type { Execution } from '../temporal/execution.ts';
import { SimulatedTemporal } from '../temporal/server.ts';
import type { Cluster } from '../world/kube-client.ts';
import { calm, Weather } from '../world/weather.ts';
import type { Install, World } from '../world/world.ts';
import { createJudge } from './judge.ts';
import type { Judge } from './judge.ts';
import type { CloudHappening, JudgedCloud, JudgedInstance, Listing } from './judged-cloud.ts';
import { finalizer, uidTag } from './objects.ts';
import { passingRules } from './waits/overdue.ts';

export const namespace = 'garden-one';
export const worker = 'one-worker-1';
export const minuteMs = 60_000;

export interface Courtroom {
  world: World;
  judge: Judge;
  cloud: TestCloud;
  control: ApiServer;
  target: ApiServer;
  /** Carries out a write of a process of ours, default `one-worker-1`. */
  write(change: Deed, by?: string): void;
  /** Names of the rules that were broken; those of waits are apart: here nobody works. */
  broken(ofWaits?: boolean): string[];
  pass(milliseconds: number): Promise<void>;
}

export interface Deed {
  method: 'POST' | 'PATCH' | 'DELETE';
  path: string;
  body?: object;
  /** Default the control cluster. */
  in?: 'control' | 'target';
  /** The network brings this call the second time. */
  isAgain?: boolean;
}

/**
 * Two installs in one control cluster, each with a target of its own; `one` has a leader, and a
 * worker that asks for work.
 */
export function courtroom(ofTemporal: { historyWeight?: number } = {}): Courtroom {
  const simulation = new Simulation(1);
  const weather = new Weather(simulation, calm);
  const temporal = new SimulatedTemporal(simulation, {
    ...ofTemporal,
    namespace: 'default',
    fateOf: ({ process, method }) => weather.fateOf(process, method),
  });
  const [seed, shoot, other] = ['seed', 'shoot', 'shoot-two'].map((name) =>
    clusterOf(name, simulation),
  );
  if (!seed || !shoot || !other) throw new Error('a cluster is missing');
  const installs = [installOf('one', seed, shoot), installOf('two', seed, other)];
  const world = { simulation, weather, temporal, clusters: [seed, shoot, other], installs };
  const cloud = new TestCloud(simulation);
  const judge = createJudge(world, { cloud });
  lead(seed.server, namespace);
  void temporal.engine.workflowQueue('one').poll(worker);
  return {
    world,
    judge,
    cloud,
    control: seed.server,
    target: shoot.server,
    write(deed, by = worker) {
      const cluster = deed.in === 'target' ? shoot : seed;
      for (const { before, after } of carryOut(cluster.server, deed)) {
        const objects = { before: before?.object, after: after?.object };
        const { method, path, body, isAgain = false } = deed;
        judge.hear({ process: { name: by }, cluster, method, path, body, isAgain, ...objects });
      }
    },
    broken: (ofWaits = false) =>
      simulation.violations.map(({ rule }) => rule).filter((rule) => isOfWaits(rule) === ofWaits),
    pass: (milliseconds) => simulation.run(simulation.now + milliseconds),
  };
}

function isOfWaits(rule: string): boolean {
  return rule.startsWith('every wait') || passingRules.includes(rule);
}

function clusterOf(name: string, simulation: Simulation): Cluster {
  return { name, server: new ApiServer({ now: () => simulation.now }), isUp: true };
}

function installOf(name: string, control: Cluster, target: Cluster): Install {
  const replicas = (['watcher', 'worker'] as const).map((component) => ({
    component,
    name: `${name}-${component}-1`,
    process: undefined,
    start: () => undefined,
    kill: () => undefined,
    restart: () => undefined,
  }));
  const place = { control, target, namespace: `garden-${name}`, taskQueue: name };
  return { name, clusterUid: 'uid-of-seed', ...place, replicas };
}

function carryOut(server: ApiServer, { method, path, body = {} }: Deed): Change[] {
  const changes: Change[] = [];
  const close = server.store.listen((change) => changes.push(change));
  if (method === 'POST') server.create(path, { ...body });
  else if (method === 'PATCH') server.patch(path, { type: 'merge', body });
  else server.delete(path, body);
  close();
  return changes;
}

/** A watcher of the install leads, for a day. */
export function lead(server: ApiServer, of: string): void {
  server.create(`/apis/coordination.k8s.io/v1/namespaces/${of}/leases`, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'millwright', namespace: of },
    spec: { holderIdentity: 'one-watcher-1', leaseDurationSeconds: 86_400 },
  });
}

export class TestCloud implements JudgedCloud {
  readonly records: (JudgedInstance & { deletedAt?: number })[] = [];
  refusesAll = false;
  readonly listings: Listing[] = [];
  readonly #simulation: Simulation;
  readonly #listeners: ((happening: CloudHappening) => void)[] = [];

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  get living(): JudgedInstance[] {
    return this.records.filter(({ deletedAt }) => deletedAt === undefined);
  }

  listen(listener: (happening: CloudHappening) => void): void {
    this.#listeners.push(listener);
  }

  /** For a Machine of install `one`. */
  create(changes: Partial<JudgedInstance> & { uid?: string } = {}, by = worker): JudgedInstance {
    const { uid = 'uid-of-pool-a', ...rest } = changes;
    const id = `i-${this.records.length + 1}`;
    const tags = {
      'millwright.dev/cluster': 'uid-of-seed',
      'millwright.dev/namespace': namespace,
      [uidTag]: uid,
    };
    const record = {
      id,
      providerID: `local:///a/${id}`,
      name: 'pool-a',
      token: `${uid}-0`,
      tags,
      createdAt: this.#simulation.now,
      ...rest,
    };
    this.records.push(record);
    for (const listener of this.#listeners) listener({ kind: 'created', record, by });
    return record;
  }

  list(by = worker): void {
    this.listings.push({ by, at: this.#simulation.now });
  }

  delete(record: JudgedInstance, by = worker): void {
    Object.assign(record, { deletedAt: this.#simulation.now });
    for (const listener of this.#listeners) listener({ kind: 'deleted', record, by });
  }
}

type Kind = Parameters<typeof customResource>[0];

export function pathTo(kind: Kind, name?: string): string {
  return customResource(kind, namespace, name);
}

interface Changes {
  metadata?: object;
  spec?: object;
  status?: object;
}

/** UID `uid-of-NAME`, with our finalizer. */
export function anObject(kind: string, name: string, { metadata, ...changes }: Changes = {}) {
  const meta = { name, namespace, uid: `uid-of-${name}`, finalizers: [finalizer], ...metadata };
  const stored = { resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
  return { apiVersion, kind, ...changes, metadata: { ...stored, ...meta } };
}

export function ownerReference(kind: string, name: string) {
  const reference = { apiVersion, kind, name, uid: `uid-of-${name}`, controller: true };
  return [{ ...reference, blockOwnerDeletion: true }];
}

/** UID `uid-of-node-NAME`. */
export function aNode(name: string, providerID: string) {
  const { namespace: _none, ...metadata } = anObject('Node', name).metadata;
  const node = { ...metadata, uid: `uid-of-node-${name}`, finalizers: [] };
  const ready = { type: 'Ready', status: 'True' };
  const status = { conditions: [ready] };
  return { apiVersion: 'v1', kind: 'Node', metadata: node, spec: { providerID }, status };
}

/** As a watcher starts it; no worker has its first task. */
export function startRun({ temporal }: World, workflowId: string, workflowType = 'any'): Execution {
  return temporal.engine.start({
    requestId: '',
    namespace: 'default',
    workflowId,
    workflowType,
    taskQueue: 'one',
    input: [],
    headers: {},
    taskTimeoutMs: 10_000,
    executionTimeoutMs: 0,
    retryPolicy: undefined,
    searchAttributes: {},
    memo: {},
  });
}

const stops = `/api/v1/namespaces/${namespace}/configmaps`;
const stopName = 'millwright-stop';

/** A user stops all work of the install `one`. */
export function beginStop({ control }: Courtroom): void {
  const metadata = { name: stopName, namespace };
  control.create(stops, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
}

export function endStop({ control }: Courtroom): void {
  control.delete(`${stops}/${stopName}`);
}
