/** A change of an object in a line; nothing for what says nothing to people. */
import type { KubeObject } from '../../kube/client/client.ts';
import type { MachineKind } from '../../kube/client/paths.ts';
import { oneLine } from '../terminal/screen.ts';
import type { ObjectChange } from './live-install.ts';

/** `10:02:11 shoot--dev machine/pool-1 Pending -> Running: joined`. UTC. */
export function lineOf(change: ObjectChange, now: number): string | undefined {
  const message = messageOf(change);
  if (message === undefined) return undefined;
  const { namespace = '', name } = change.object.metadata;
  const time = new Date(now).toISOString().slice(11, 19);
  return `${time} ${namespace} ${singular[change.kind]}/${name} ${message}`;
}

const singular: Readonly<Record<MachineKind, string>> = {
  machinedeployments: 'machinedeployment',
  machinesets: 'machineset',
  machines: 'machine',
  machineclasses: 'machineclass',
};

function messageOf({ kind, object, previous, isGone }: ObjectChange): string | undefined {
  if (isGone) return 'is gone';
  const state = stateOf(kind, object);
  if (!previous) return `is there: ${state}`;
  const before = stateOf(kind, previous);
  // The phase alone: what was said before it has been printed.
  const [phase = before] = before.split(': ', 1);
  return before === state ? undefined : `${phase} -> ${state}`;
}

interface AnyStatus {
  status?: {
    currentStatus?: { phase?: string };
    lastOperation?: { description?: string };
    availableReplicas?: number;
    replicas?: number;
    updatedReplicas?: number;
    conditions?: { type: string; reason?: string }[];
  };
  spec?: { replicas?: number };
}

function stateOf(kind: MachineKind, object: KubeObject & AnyStatus): string {
  if (kind === 'machines') return machineState(object);
  return kind === 'machineclasses' ? 'class' : poolState(object);
}

function machineState({ metadata, status = {} }: KubeObject & AnyStatus): string {
  const isGoing = metadata.deletionTimestamp !== undefined;
  const phase = isGoing ? 'Terminating' : status.currentStatus?.phase || 'New';
  const description = status.lastOperation?.description;
  return description === undefined ? phase : `${phase}: ${oneLine(description)}`;
}

function poolState({ status = {}, spec = {} }: AnyStatus): string {
  const { availableReplicas = 0, replicas = 0, conditions = [] } = status;
  const counts = `${availableReplicas} of ${spec.replicas ?? 0} available, ${replicas} present`;
  const progress = conditions.find(({ type }) => type === 'Progressing')?.reason;
  return progress === undefined ? counts : `${counts} (${progress})`;
}
