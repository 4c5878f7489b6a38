/** What keeps a machine that is past its health timeout from being replaced now. */
import { annotations } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { CountedMachine } from '../../workflows/plan/replacement-limit.ts';
import { planReplacement } from '../../workflows/plan/replacement-limit.ts';
import type { KubeClient, KubeObject } from '../kube/client.ts';
import { orUndefined, unlessChanged } from '../kube/optional.ts';
import type { MachineKind } from '../kube/paths.ts';
import { customResource } from '../kube/paths.ts';
import { optionsOf } from '../machine-deployment/facts.ts';
import { controllerOf } from '../kube/owners.ts';
import type { World } from '../world.ts';
import type { Hold } from './meltdown.ts';
import { meltdownAmong } from './meltdown.ts';
import { phaseOf } from './object.ts';

/** So often another machine of the owner may be faster, before this one waits for its next turn. */
const attempts = 3;

/** Undefined: it may turn Failed, and its owner has a note of that. */
export async function findHold({ control }: World, machine: Machine): Promise<Hold | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    // Before the count: a grant that another machine gets after this makes the note below a conflict.
    const owner = await ownerOf(control, machine);
    const { items } = await control.list<Machine>(pathOf(machine));
    const meltdown = meltdownAmong(items);
    if (meltdown) return meltdown;
    if (!owner) return undefined;
    const answer = planReplacement({
      name: machine.metadata.name,
      machines: items.filter((item) => isOf(item, owner)).map(countedOf),
      missing: missingOf(owner, items),
      granted: grantedOf(owner.object),
      limit: owner.limit,
    });
    if (!answer.mayFail) return { reason: answer.reason, isMeltdown: false };
    if (await note(control, owner, answer.granted)) return undefined;
    if (attempt === attempts) {
      return { reason: 'other machines of its owner are being replaced', isMeltdown: false };
    }
  }
}

/** The MachineDeployment, or a MachineSet without one. */
interface Owner {
  kind: MachineKind;
  object: MachineDeployment | MachineSet;
  sets: MachineSet[];
  limit: number;
}

async function ownerOf(control: KubeClient, machine: Machine): Promise<Owner | undefined> {
  const setRef = controllerOf(machine);
  if (setRef?.kind !== 'MachineSet') return undefined;
  const { namespace = '' } = machine.metadata;
  const { items } = await control.list<MachineSet>(customResource('machinesets', namespace));
  const set = items.find(({ metadata }) => metadata.uid === setRef.uid);
  if (!set) return undefined;
  const ref = controllerOf(set);
  if (ref?.kind !== 'MachineDeployment') {
    return { kind: 'machinesets', object: set, sets: [set], limit: 1 };
  }
  const path = customResource('machinedeployments', namespace, ref.name);
  const object = await orUndefined(control.get<MachineDeployment>(path));
  if (object?.metadata.uid !== ref.uid) return undefined;
  const sets = items.filter((item) => controllerOf(item)?.uid === ref.uid);
  const limit = optionsOf(object).replacementBudget ?? 1;
  return { kind: 'machinedeployments', object, sets, limit };
}

function isOf(machine: Machine, { sets }: Owner): boolean {
  const uid = controllerOf(machine)?.uid;
  return sets.some(({ metadata }) => metadata.uid === uid);
}

function countedOf(machine: Machine): CountedMachine {
  const { name, deletionTimestamp } = machine.metadata;
  return {
    name,
    phase: phaseOf(machine),
    isDeleting: deletionTimestamp !== undefined,
    isPreserved: typeof machine.status?.currentStatus?.preserveExpiryTime === 'string',
  };
}

function missingOf({ sets }: Owner, machines: readonly Machine[]): number {
  return sets.reduce((sum, { metadata, spec }) => {
    const present = machines.filter((machine) => controllerOf(machine)?.uid === metadata.uid);
    return sum + Math.max((spec.replicas ?? 0) - present.length, 0);
  }, 0);
}

function grantedOf({ metadata }: KubeObject): string[] {
  return metadata.annotations?.[annotations.replacing]?.split(',') ?? [];
}

/** Compare and swap: false when the owner changed since it was read. */
async function note(
  control: KubeClient,
  { kind, object: { metadata } }: Owner,
  granted: readonly string[],
): Promise<boolean> {
  const { namespace = '', name, uid, resourceVersion } = metadata;
  const notes = { [annotations.replacing]: granted.join(',') };
  const path = customResource(kind, namespace, name);
  const patch = { metadata: { uid, resourceVersion, annotations: notes } };
  return (await unlessChanged(control.patch(path, 'merge', patch))) !== undefined;
}

function pathOf({ metadata }: Machine): string {
  return customResource('machines', metadata.namespace ?? '');
}
