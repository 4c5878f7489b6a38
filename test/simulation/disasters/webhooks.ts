/** Admission webhooks that are broken: an API server refuses all writes of a kind for a while. */
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
const longestMs = 600_000;

export function refuseWrites(world: World, chance: Chance): void {
  const install = chance.pick(world.installs);
  const { isOfTarget, ...what } = chance.pick(writesOf(install));
  const cluster = isOfTarget ? install.target.name : install.control.name;
  const lastsMs = chance.between(shortestMs, longestMs);
  const verdict = chance.pick(verdicts);
  const untilMs = world.simulation.now + lastsMs;
  const text = `${what.method} ${what.pathPrefix} with ${verdict.code} for ${inSeconds(lastsMs)}`;
  note(world, `${cluster} refuses ${text}`);
  world.weather.refuse({ ...what, cluster, untilMs, verdict });
}

interface Writes {
  method: 'POST' | 'PATCH' | 'DELETE';
  pathPrefix: string;
  isOfTarget?: boolean;
}

function writesOf({ namespace }: Install): Writes[] {
  const ours = `/apis/${group}/v1alpha1/namespaces/${namespace}`;
  return [
    { method: 'POST', pathPrefix: `${ours}/machines` },
    { method: 'PATCH', pathPrefix: `${ours}/machines/` },
    { method: 'DELETE', pathPrefix: `${ours}/machines/` },
    { method: 'POST', pathPrefix: `${ours}/machinesets` },
    { method: 'PATCH', pathPrefix: `${ours}/machinesets/` },
    { method: 'PATCH', pathPrefix: `${ours}/machinedeployments/` },
    { method: 'PATCH', pathPrefix: `${ours}/` },
    { method: 'PATCH', pathPrefix: `/apis/coordination.k8s.io/v1/namespaces/${namespace}/` },
    { method: 'POST', pathPrefix: `/api/v1/namespaces/${namespace}/events` },
    { method: 'PATCH', pathPrefix: '/api/v1/nodes/', isOfTarget: true },
    { method: 'DELETE', pathPrefix: '/api/v1/nodes/', isOfTarget: true },
    { method: 'POST', pathPrefix: '/api/v1/namespaces/default/pods/', isOfTarget: true },
  ];
}
