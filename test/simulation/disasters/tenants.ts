/** Tenants whose objects are as large as an API server takes them, and many. */
import { customResource, namespaced } from '../../../kube/client/paths.ts';
import type { KubeObject } from '../../../kube/client/client.ts';
import type { Chance } from '../engine/chance.ts';
import type { Cluster } from '../world/kube-client.ts';
import type { Install, World } from '../world/world.ts';
import { inSeconds, lasting, note } from './lasting.ts';

const key = 'example.com/notes';
/** An object has 256 KiB of annotations at most, and 1 MiB of a Secret. Characters. */
const [longestNotes, largestSecret] = [240 * 1024, 1024 * 1024];
const most = 20;
const secretsMost = 3;
const [shortestMs, longestMs] = [60_000, 900_000];

/** They are away again after a while. */
export function sendTheWorst(world: World, chance: Chance): void {
  const install = chance.pick(world.installs);
  const lastsMs = chance.between(shortestMs, longestMs);
  const undo = chance.happens(0.2) ? fillSecrets(world, install) : annotate(world, install, chance);
  note(world, `for ${inSeconds(lastsMs)}`);
  lasting(world, lastsMs, undo);
}

/** Secrets that no MachineClass names. */
function fillSecrets(world: World, { control: { server }, namespace }: Install): () => void {
  const names = Array.from({ length: secretsMost }, (_, index) => `huge-${index + 1}`);
  const data = { of: Buffer.alloc(largestSecret).toString('base64') };
  const isNew = (name: string): boolean => !server.has(namespaced('secrets', namespace, name));
  note(world, `${namespace} has ${names.length} Secrets of 1 MiB`);
  for (const name of names.filter(isNew)) {
    const kind = { apiVersion: 'v1', kind: 'Secret', metadata: { name } };
    server.create(namespaced('secrets', namespace), { ...kind, data });
  }
  return () => {
    for (const name of names.filter((one) => !isNew(one))) {
      server.delete(namespaced('secrets', namespace, name));
    }
  };
}

function annotate(world: World, install: Install, chance: Chance): () => void {
  const { cluster, path, list } = chance.pick(placesOf(install));
  const { items = [] }: { items?: KubeObject[] } = cluster.server.get(list);
  const names = chance.happens(0.5) ? items : items.slice(0, 1 + chance.below(3));
  const paths = names.slice(0, most).map(({ metadata }) => path(metadata));
  note(world, `${paths.length} of ${list} have annotations of 240 KiB`);
  for (const one of paths) write(cluster, one, 'x'.repeat(longestNotes));
  return () => {
    for (const one of paths) write(cluster, one, null);
  };
}

function write({ server }: Cluster, path: string, text: string | null): void {
  const body = { metadata: { annotations: { [key]: text } } };
  if (server.has(path)) server.patch(path, { type: 'merge', body });
}

interface Place {
  cluster: Cluster;
  /** Of all of them. */
  list: string;
  path(of: { namespace?: string; name: string }): string;
}

function placesOf({ control, target, namespace }: Install): Place[] {
  const kinds = ['machines', 'machinesets', 'machinedeployments', 'machineclasses'] as const;
  const ours = kinds.map((kind) => ({
    cluster: control,
    list: customResource(kind, namespace),
    path: ({ name }: { name: string }) => customResource(kind, namespace, name),
  }));
  const [nodes, pods] = ['/api/v1/nodes', '/api/v1/pods'];
  return [
    ...ours,
    { cluster: target, list: nodes, path: ({ name }) => `${nodes}/${name}` },
    { cluster: target, list: pods, path: (of) => namespaced('pods', of.namespace ?? '', of.name) },
  ];
}
