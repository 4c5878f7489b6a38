/** Leases that a leader loses. */
import { lease } from '../../../kube/client/paths.ts';
import { ownLease } from '../../../kube/leases/lease-set.ts';
import { StatusError } from '../../support/api-server/status.ts';
import type { Chance } from '../engine/chance.ts';
import type { Cluster } from '../world/kube-client.ts';
import type { World } from '../world/world.ts';
import { inSeconds, note } from './lasting.ts';

/** Ours, and those by which MCM and we exclude each other. */
const leaseNames = [ownLease, ownLease, 'machine-controller-manager', 'machine-controller'];
const renewMs = 2_000;
const holder = 'intruder';

export function deleteLease(world: World, chance: Chance): void {
  const { control, namespace } = chance.pick(world.installs);
  const name = chance.pick(leaseNames);
  if (!control.isUp || !control.server.has(lease(namespace, name))) return;
  note(world, `deletes Lease ${name} of ${namespace}`);
  control.server.delete(lease(namespace, name));
}

/** Another program holds a Lease for a while, and then dies without giving it back. */
export function takeLease(world: World, chance: Chance): void {
  const { control, namespace } = chance.pick(world.installs);
  const name = chance.pick(leaseNames);
  const lastsMs = chance.between(1_000, 90_000);
  note(world, `${holder} takes Lease ${name} of ${namespace} for ${inSeconds(lastsMs)}`);
  const place = { control, namespace, name };
  const endsAt = world.simulation.now + lastsMs;
  const hold = (isFirst: boolean): void => {
    if (world.weather.isClear || world.simulation.now > endsAt) return;
    if (control.isUp) renew(world, place, isFirst);
    world.simulation.after(renewMs, () => hold(false));
  };
  hold(true);
}

interface Place {
  control: Cluster;
  namespace: string;
  name: string;
}

interface LeaseObject {
  spec?: { holderIdentity?: string; leaseTransitions?: number };
}

/** It does not fight: what a process of ours took back stays with it. */
function renew(world: World, { control: { server }, namespace, name }: Place, isFirst: boolean) {
  const path = lease(namespace, name);
  const { spec }: LeaseObject = server.has(path) ? { ...server.get(path) } : {};
  if (!isFirst && spec?.holderIdentity !== holder) return;
  const renewTime = new Date(world.simulation.now).toISOString().replace('Z', '000Z');
  const renewed = { holderIdentity: holder, leaseDurationSeconds: 15, renewTime };
  const next = isFirst ? { ...renewed, ...termAfter(spec), acquireTime: renewTime } : renewed;
  try {
    if (spec) server.patch(path, { type: 'merge', body: { spec: next } });
    else server.create(lease(namespace), { ...kind, metadata: { name }, spec: next });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
  }
}

const kind = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };

function termAfter({ leaseTransitions = 0 }: LeaseObject['spec'] = {}): object {
  return { leaseTransitions: leaseTransitions + 1 };
}
