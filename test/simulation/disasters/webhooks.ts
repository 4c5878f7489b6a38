/** Admission webhooks that are broken: an API server refuses all writes of a kind for a while. */
import type { KubeObject } from '../../../kube/client/client.ts';
import { customResource } from '../../../kube/client/paths.ts';
import { group } from '../../../workflows/api/constants.ts';
import type { Chance } from '../engine/chance.ts';
import type { Verdict } from '../world/weather.ts';
import type { Install, World } from '../world/world.ts';
import { inSeconds, note } from './lasting.ts';

const verdicts: readonly Verdict[] = [
  { code: 403, reason: 'Forbidden', message: 'admission webhook "policy.example" denied it' },
  { code: 422, reason: 'Invalid', message: 'admission webhook "policy.example" denied it' },
  { code: 500, reason: 'InternalError', message: 'failed calling webhook "policy.example"' },
];

const shortestMs = 5_000;
const usualMs = 600_000;
/** An operator takes long to notice, e.g. a quota that is used up. Milliseconds. */
const longestMs = 2_700_000;

export function refuseWrites(world: World, chance: Chance): void {
  const install = chance.pick(world.installs);
  const { isOfTarget, isLasting, ...what } = chance.pick(writesOf(install, chance));
  const cluster = isOfTarget ? install.target.name : install.control.name;
  const isLong = chance.happens(isLasting ? 0.8 : 0.3);
  const lastsMs = chance.between(shortestMs, isLong ? longestMs : usualMs);
  const verdict = chance.pick(verdicts);
  const untilMs = world.simulation.now + lastsMs;
  const text = `${what.method} ${what.pathPrefix} with ${verdict.code} for ${inSeconds(lastsMs)}`;
  note(world, `${cluster} refuses ${text}`);
  world.weather.refuse({ ...what, cluster, untilMs, verdict });
}

/** Without which an owner does not know an object again, or its instance is not kept. */
const marks = ['labels', 'labels', 'ownerReferences', 'finalizers'] as const;

/** A policy takes a part of the metadata off what is created. */
export function stripCreations(world: World, chance: Chance): void {
  const { control, namespace } = chance.pick(world.installs);
  const path = customResource(chance.pick(['machines', 'machines', 'machinesets']), namespace);
  const mark = chance.pick(marks);
  const lastsMs = chance.between(shortestMs, usualMs);
  note(world, `${control.name} strips ${mark} off ${path} for ${inSeconds(lastsMs)}`);
  world.weather.alter({
    cluster: control.name,
    path,
    untilMs: world.simulation.now + lastsMs,
    alter: ({ metadata, ...body }) => ({ ...body, metadata: without(metadata, mark) }),
  });
}

function without(metadata: object = {}, mark: string): object {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => key !== mark));
}

interface Writes {
  method: 'POST' | 'PATCH' | 'DELETE';
  pathPrefix: string;
  isOfTarget?: boolean;
  /** No work depends on it, so that operators notice it late. */
  isLasting?: boolean;
}

function writesOf(install: Install, chance: Chance): Writes[] {
  const { namespace } = install;
  const ours = `/apis/${group}/v1alpha1/namespaces/${namespace}`;
  const one = oneMachine(install, chance);
  const pathPrefix = `/api/v1/namespaces/${namespace}/events`;
  const events = { method: 'POST', pathPrefix, isLasting: true } as const;
  return [
    { method: 'POST', pathPrefix: `${ours}/machines` },
    { method: 'PATCH', pathPrefix: `${ours}/machines/` },
    { method: 'DELETE', pathPrefix: `${ours}/machines/` },
    // Kept for an inquiry.
    { method: 'DELETE', pathPrefix: one },
    { method: 'DELETE', pathPrefix: one },
    { method: 'PATCH', pathPrefix: one },
    { method: 'POST', pathPrefix: `${ours}/machinesets` },
    { method: 'PATCH', pathPrefix: `${ours}/machinesets/` },
    { method: 'PATCH', pathPrefix: `${ours}/machinedeployments/` },
    { method: 'PATCH', pathPrefix: `${ours}/` },
    { method: 'PATCH', pathPrefix: `/apis/coordination.k8s.io/v1/namespaces/${namespace}/` },
    // The quota of Events is used up, or their own etcd is full.
    events,
    events,
    events,
    events,
    { method: 'POST', pathPrefix: '/api/v1/namespaces/kube-system/secrets', isOfTarget: true },
    { method: 'PATCH', pathPrefix: '/api/v1/nodes/', isOfTarget: true },
    { method: 'DELETE', pathPrefix: '/api/v1/nodes/', isOfTarget: true },
    { method: 'POST', pathPrefix: '/api/v1/namespaces/default/pods/', isOfTarget: true },
  ];
}

function oneMachine({ control: { server }, namespace }: Install, chance: Chance): string {
  const path = customResource('machines', namespace);
  const { items = [] }: { items?: KubeObject[] } = server.get(path);
  return `${path}/${items.length === 0 ? '' : chance.pick(items).metadata.name}`;
}
