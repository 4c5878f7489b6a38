/** What happens while a watch is broken. */
import { customResource } from '../../../kube/client/paths.ts';
import type { Body } from '../../support/api-server/creation.ts';
import { overTheWire } from '../../support/api-server/json.ts';
import type { Chance } from '../engine/chance.ts';
import type { Install, World } from '../world/world.ts';
import { inSeconds, note } from './lasting.ts';

const kinds = ['machines', 'machinesets', 'machinesets', 'machineclasses'] as const;
type Kind = (typeof kinds)[number];

/** For longer than any Lease holds. Milliseconds. */
const longestMs = 180_000;

/**
 * No process watches for a while; in the meantime an object goes, mostly another of its name comes,
 * and perhaps the server forgets that.
 */
export function replaceUnseen(world: World, chance: Chance): void {
  const install = chance.pick(world.installs);
  const kind = chance.pick(kinds);
  const lastsMs = chance.between(5_000, chance.happens(0.7) ? longestMs : 90_000);
  const atMs = lastsMs * chance.between(0.1, 0.9);
  const forgets = chance.happens(0.5);
  note(world, `no process of ${install.name} watches for ${inSeconds(lastsMs)}`);
  const untilMs = world.simulation.now + lastsMs;
  for (const { name: process } of install.replicas) {
    world.weather.cut({ process, to: install.control.name, untilMs, isSilent: false });
  }
  world.simulation.after(atMs, () => {
    if (world.weather.isClear || !install.control.isUp) return;
    replaceOne(world, install, { kind, chance });
    const { store } = install.control.server;
    if (forgets) store.forget(store.version);
  });
}

interface Present extends Body {
  metadata: NonNullable<Body['metadata']> & { name: string };
  spec?: Record<string, unknown>;
}

/**
 * As a tool does that saves objects, removes them without their finalizers, and restores them. A
 * set comes again from its deployment as well.
 */
function replaceOne(
  world: World,
  { control: { server }, namespace }: Install,
  { kind, chance }: { kind: Kind; chance: Chance },
): void {
  const { items = [] }: { items?: Present[] } = server.get(customResource(kind, namespace));
  if (items.length === 0) return;
  const mayStayAway = chance.happens(0.6);
  const { metadata, status: _status, ...content } = chance.pick(items);
  const isBack = !mayStayAway || !comesAgain(kind, metadata);
  const { name, labels = {} } = metadata;
  const path = customResource(kind, namespace, name);
  note(world, `${kind}/${name} ${isBack ? 'is replaced' : 'goes'} unseen`);
  remove(server, path);
  if (!isBack) return;
  const copy = kind === 'machines' && chance.happens(0.5) ? withoutInstance(content) : content;
  server.create(customResource(kind, namespace), { ...copy, metadata: { name, labels } });
}

/** A set, from its deployment. */
function comesAgain(kind: Kind, { ownerReferences = [] }: Present['metadata']): boolean {
  return kind === 'machinesets' && ownerReferences.length > 0;
}

function remove(server: Install['control']['server'], path: string): void {
  server.patch(path, { type: 'merge', body: { metadata: { finalizers: null } } });
  if (server.has(path)) server.delete(path, { propagationPolicy: 'Orphan' });
  if (server.has(path)) {
    server.patch(path, { type: 'merge', body: { metadata: { finalizers: null } } });
  }
}

function withoutInstance(content: Omit<Present, 'metadata'>): Omit<Present, 'metadata'> {
  return overTheWire({ ...content, spec: { ...Object(content['spec']), providerID: undefined } });
}
