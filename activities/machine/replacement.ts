/** Holds that keep a machine that is past its health timeout from being replaced now. */
import { annotations, options } from '../../workflows/api/constants.ts';
import type { MachineDeployment } from '../../workflows/api/machine-deployment.ts';
import type { MachineSet } from '../../workflows/api/machine-set.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import type { CountedMachine } from '../../workflows/plan/machine/replacement-limit.ts';
import { defined } from '../../workflows/values/defined.ts';
import { planReplacement } from '../../workflows/plan/machine/replacement-limit.ts';
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import { ignoreNotFound, ignoreConflict } from '../../kube/client/ignore.ts';
import type { MachineKind } from '../../kube/client/paths.ts';
import { customResource } from '../../kube/client/paths.ts';
import { SharedLists } from '../../kube/cache/shared-lists.ts';
import { optionsOf } from '../../workflows/plan/machine-deployment/rollout/options.ts';
import { controllerOf } from '../../kube/objects/owners.ts';
import type { MachineAnswer } from '../disruption/grants.ts';
import { takeForMachine } from '../disruption/grants.ts';
import type { ActivityDependencies } from '../runtime/dependencies.ts';
import type { ActivityMemory, ReplacementHold, ReplacementCount } from '../runtime/memory.ts';
import { listMachines, meltdownAmong, recentMs } from './meltdown.ts';
import { phaseOf } from './prepared.ts';
import { monotonicMs, nowMs } from '../system/system.ts';

/** So often another machine of the owner may be faster, before this one waits for its next turn. */
const attempts = 3;

/**
 * Undefined: it may turn Failed, and its owner has a note of that. Only fresh counts and the note
 * allow that; what was counted some seconds ago for a machine of the same set may only hold this
 * one back.
 */
export async function findHold(
  dependencies: ActivityDependencies,
  machine: Machine,
): Promise<ReplacementHold | undefined> {
  const { control, memory, disrupted } = dependencies;
  const { name, namespace = '' } = machine.metadata;
  const known = recentCount(memory, machine);
  const earlier = known && answerFor(known, name);
  if (earlier?.hold) return earlier.hold;
  for (let attempt = 1; ; attempt += 1) {
    // Before the count: a grant that another machine gets after this makes the note below a
    // conflict.
    const owner = await ownerOf(control, machine);
    const wish = wishOf(owner, machine);
    if (wish) return wish;
    const count = countOf(owner, await listMachines({ control, namespace }));
    const answer = answerFor(count, name);
    if (answer.hold) {
      remember(memory, machine, count);
      return answer.hold;
    }
    if (!owner) return undefined;
    // Before the note, by which other machines of the owner wait for this one.
    const { refusal, isBound } = await takeFromPolicies(dependencies, owner, machine);
    if (refusal !== undefined) return { reason: refusal, isMeltdown: false };
    if (await note(control, owner, answer.granted)) {
      if (isBound) disrupted('Replace', 1);
      return undefined;
    }
    if (attempt === attempts) {
      return { reason: 'other machines of its owner are being replaced', isMeltdown: false };
    }
  }
}

/** A deployment may want to keep machines whose update in place failed. */
function wishOf(owner: CountedOwner | undefined, machine: Machine): ReplacementHold | undefined {
  if (phaseOf(machine) !== 'InPlaceUpdateFailed' || !owner?.keepsFailedUpdates) return undefined;
  const reason = `its update in place failed, and it stays as it is: annotation ${options.inPlaceFailure} of its MachineDeployment is not "replace"`;
  return { reason, isMeltdown: false, isWanted: true };
}

/** Policies select MachineDeployments: a set without one is bound by none. */
async function takeFromPolicies(
  dependencies: ActivityDependencies,
  { deployment }: CountedOwner,
  machine: Machine,
): Promise<MachineAnswer> {
  const set = controllerOf(machine)?.name ?? '';
  if (!deployment) return {};
  const request = { deployment, reason: 'Replace', set, machine: machine.metadata.name } as const;
  const answer = await takeForMachine(dependencies, request);
  if (answer.refusal === undefined) return answer;
  return { refusal: `past its health timeout, but ${answer.refusal}` };
}

function countOf(owner: CountedOwner | undefined, machines: readonly Machine[]): ReplacementCount {
  const meltdown = meltdownAmong(machines);
  const facts = owner && {
    machines: machines.filter((item) => isOf(item, owner)).map(countedOf),
    missing: missingOf(owner, machines),
    granted: grantedOf(owner.object),
    limit: owner.limit,
  };
  return defined({ meltdown, facts });
}

type ReplacementAnswer = { hold: ReplacementHold } | { hold?: undefined; granted: string[] };

function answerFor({ meltdown, facts }: ReplacementCount, name: string): ReplacementAnswer {
  if (meltdown) return { hold: meltdown };
  if (!facts) return { granted: [] };
  const answer = planReplacement({ ...facts, name });
  return answer.mayFail
    ? { granted: answer.granted }
    : { hold: { reason: answer.reason, isMeltdown: false } };
}

function recentCount(
  { replacements }: ActivityMemory,
  machine: Machine,
): ReplacementCount | undefined {
  const kept = replacements.get(controllerOf(machine)?.uid ?? '');
  return kept && monotonicMs() - kept.at < recentMs ? kept.count : undefined;
}

function remember(
  { replacements: counts }: ActivityMemory,
  machine: Machine,
  count: ReplacementCount,
): void {
  const uid = controllerOf(machine)?.uid;
  if (uid === undefined) return;
  const at = monotonicMs();
  for (const [key, kept] of counts) {
    if (at - kept.at < recentMs) break;
    counts.delete(key);
  }
  counts.delete(uid);
  counts.set(uid, { at, count });
}

const machineSets = new SharedLists<MachineSet>();

/** The MachineDeployment, or a MachineSet without one. */
interface CountedOwner {
  kind: MachineKind;
  object: MachineDeployment | MachineSet;
  deployment?: MachineDeployment;
  sets: MachineSet[];
  limit: number;
  keepsFailedUpdates?: boolean;
}

async function ownerOf(control: KubeClient, machine: Machine): Promise<CountedOwner | undefined> {
  const setRef = controllerOf(machine);
  if (setRef?.kind !== 'MachineSet') return undefined;
  const { namespace = '' } = machine.metadata;
  const { items } = await machineSets.list(control, customResource('machinesets', namespace));
  const set = items.find(({ metadata }) => metadata.uid === setRef.uid);
  if (!set) return undefined;
  const ref = controllerOf(set);
  if (ref?.kind !== 'MachineDeployment') {
    return { kind: 'machinesets', object: set, sets: [set], limit: 1 };
  }
  const path = customResource('machinedeployments', namespace, ref.name);
  const object = await ignoreNotFound(control.get<MachineDeployment>(path));
  if (object?.metadata.uid !== ref.uid) return undefined;
  const sets = items.filter((item) => controllerOf(item)?.uid === ref.uid);
  const { replacementBudget: limit = 1, inPlaceFailure } = optionsOf(object, Date.parse, nowMs());
  const keepsFailedUpdates = inPlaceFailure !== 'replace';
  return {
    kind: 'machinedeployments',
    object,
    deployment: object,
    sets,
    limit,
    keepsFailedUpdates,
  };
}

function isOf(machine: Machine, { sets }: CountedOwner): boolean {
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

function missingOf({ sets }: CountedOwner, machines: readonly Machine[]): number {
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
  { kind, object: { metadata } }: CountedOwner,
  granted: readonly string[],
): Promise<boolean> {
  const { namespace = '', name, uid, resourceVersion } = metadata;
  const notes = { [annotations.replacing]: granted.join(',') };
  const path = customResource(kind, namespace, name);
  const patch = { metadata: { uid, resourceVersion, annotations: notes } };
  return (await ignoreConflict(control.patch(path, 'merge', patch))) !== undefined;
}
