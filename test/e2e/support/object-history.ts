/**
 * Every version of a scenario's Machines, their owners, classes, Secrets and Nodes, as watches tell
 * them: any moment of it can be told again, also one that lasts for milliseconds.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { KubeObject } from '../../../kube/client/client.ts';
import { namespaced, node } from '../../../kube/client/paths.ts';
import type { MachineDeployment } from '../../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../../workflows/api/machine-set.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import type { NodeCondition } from '../../../workflows/api/meta.ts';
import { isRecord } from '../../../workflows/values/is-record.ts';
import { mergePatchOf } from '../../../workflows/values/merge-patch.ts';
import { merge } from '../../support/api-server/merge-patch.ts';
import type { Cluster, NodeObject } from './cluster.ts';
import { LiveList } from './live-list.ts';

export interface Version {
  /** Of the API server: larger is later, over all kinds. */
  revision: number;
  kind: string;
  name: string;
  /** Undefined: it is gone. */
  object: KubeObject | undefined;
}

/** `Machine pool-abcde-fghij` -> the object, as it was at one moment. */
export type Objects = ReadonlyMap<string, KubeObject>;

interface WithStatus extends KubeObject {
  status?: { conditions?: NodeCondition[] | null };
}

export class ObjectHistory {
  readonly #versions: Version[] = [];
  readonly #lists: LiveList<KubeObject, KubeObject>[];

  /** Begins at once; `started` says when all of it is in. */
  constructor(cluster: Cluster) {
    const { kube, namespace } = cluster;
    const paths: Record<string, string> = {
      Secret: namespaced('secrets', namespace),
      MachineClass: cluster.pathOf('machineclasses'),
      MachineDeployment: cluster.pathOf('machinedeployments'),
      MachineSet: cluster.pathOf('machinesets'),
      Machine: cluster.pathOf('machines'),
      Node: node(),
    };
    this.#lists = Object.entries(paths).map(([kind, path]) => {
      const note = (object: KubeObject, isGone: boolean): void => {
        const { name, resourceVersion } = object.metadata;
        // Nodes are everybody's.
        if (kind === 'Node' && !name.startsWith(namespace)) return;
        const kept = isGone ? undefined : withoutNoise({ ...object, kind });
        this.#versions.push({ revision: Number(resourceVersion), kind, name, object: kept });
      };
      const list: LiveList<KubeObject, KubeObject> = new LiveList<KubeObject, KubeObject>({
        kube,
        path,
        project: (object) => object,
        onChange: (type, object) => {
          if (object) note(object, type === 'gone');
          else for (const one of list.items.values()) note(one, false);
        },
      });
      return list;
    });
  }

  async started(): Promise<void> {
    await Promise.all(this.#lists.map(({ synced }) => synced));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#lists.map((list) => list.stop()));
  }

  /** So far, in order. */
  get versions(): Version[] {
    return this.#versions.toSorted((a, b) => a.revision - b.revision);
  }
}

/** Of a Node only what it says of itself: heartbeats and sizes are its kubelet's. */
function withoutNoise(object: WithStatus): KubeObject {
  const { managedFields: _managed, ...metadata } = { managedFields: [], ...object.metadata };
  const { status } = object;
  if (object.kind !== 'Node') return { ...object, metadata };
  const conditions = status?.conditions?.map(
    ({ lastHeartbeatTime: _heartbeat, ...condition }) => condition,
  );
  const trimmed: WithStatus = { ...object, metadata, status: { conditions: conditions ?? [] } };
  return trimmed;
}

const keyOf = ({ kind, name }: Version): string => `${kind} ${name}`;

/** All moments, the first first. */
export function* momentsOf(versions: readonly Version[]): Generator<Objects> {
  const objects = new Map<string, KubeObject>();
  for (const version of versions) {
    if (version.object) objects.set(keyOf(version), version.object);
    else objects.delete(keyOf(version));
    yield objects;
  }
}

interface Kinds {
  MachineDeployment: MachineDeployment;
  MachineSet: MachineSet;
  Machine: Machine;
  Node: NodeObject;
}

export function ofKind<K extends keyof Kinds>(objects: Objects, kind: K): Kinds[K][] {
  return [...objects.values()].filter((object): object is Kinds[K] => object.kind === kind);
}

export function named<K extends keyof Kinds>(
  objects: Objects,
  kind: K,
  name: string,
): Kinds[K] | undefined {
  return ofKind(objects, kind).find(({ metadata }) => metadata.name === name);
}

/** A line for each version: what differs from the one before, as a merge patch; then retold. */
export function writeHistory(
  path: string,
  versions: readonly Version[],
  retold: (text: string) => string,
): void {
  const before = new Map<string, object>();
  const lines = versions.flatMap((version) => {
    const { revision, kind, name, object } = version;
    const stored = object && withoutVersion(object);
    const patch = mergePatchOf(before.get(keyOf(version)), stored);
    before.set(keyOf(version), stored ?? {});
    return patch === undefined ? [] : [JSON.stringify({ revision, kind, name, patch })];
  });
  writeFileSync(path, retold(`${lines.join('\n')}\n`));
}

function withoutVersion({ metadata, ...rest }: KubeObject): object {
  const { resourceVersion: _version, ...kept } = metadata;
  return { ...rest, metadata: kept };
}

export function readHistory(path: string): Version[] {
  const present = new Map<string, Record<string, unknown>>();
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const { patch, ...version }: Version & { patch: unknown } = JSON.parse(line);
    if (!isRecord(patch)) {
      present.delete(keyOf(version));
      return version;
    }
    const merged = merge(present.get(keyOf(version)) ?? {}, patch, 'merge');
    present.set(keyOf(version), merged);
    const object: KubeObject = JSON.parse(JSON.stringify(merged));
    return { ...version, object };
  });
}
