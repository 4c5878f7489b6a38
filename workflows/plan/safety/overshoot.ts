/**
 * Sets that have far more machines than were asked for make no more until that is over. Our own
 * sets never get there: this guards against other writers, and against a mistake of ours.
 */

export interface OvershootRules {
  /** Machines above what may be wanted at which a set is frozen. */
  up: number;
  /** So many below that the freeze ends. */
  down: number;
}

export interface SetFacts {
  name: string;
  /** Name of the MachineDeployment that controls it. */
  deployment?: string;
  /** Machines that are not going away. */
  count: number;
  /** A set with so many machines is frozen. */
  limit: number;
  /** Its workflow has yet to see the present spec, such as a smaller `replicas`. Default false. */
  isBehind?: boolean;
  /** Label `freeze`. */
  isFrozen: boolean;
  /** Condition `Frozen`. */
  hasCondition: boolean;
  /** Annotation `unfreeze`. */
  wantsUnfreeze: boolean;
}

export type DeploymentFacts = Pick<
  SetFacts,
  'name' | 'isFrozen' | 'hasCondition' | 'wantsUnfreeze'
>;

export interface OvershootFinding {
  /** Sets that there are. */
  total: number;
  /** Those that something may have to be done about. */
  sets: SetFacts[];
  /** Those of these sets, and those that are marked. */
  deployments: DeploymentFacts[];
  /** Sets that cannot be checked, and why. */
  unchecked: { name: string; why: string }[];
}

export interface Freeze {
  kind: 'machineSet' | 'machineDeployment';
  name: string;
  action: 'freeze' | 'unfreeze';
  /** Reason of the condition. */
  reason: 'OverShootingReplicaCount' | 'MachineDeploymentStateSync';
  /** In words. */
  why: string;
}

export interface WantedMachines {
  /** Of the set. */
  replicas: number;
  /** Replicas and surge of its MachineDeployment, if it has one. */
  deployment?: { replicas: number; surge: number };
}

/**
 * As in MCM v0.62.1: 2 x replicas + up, or replicas + surge + up of the deployment. With 3
 * machines, surge 1 and up 2 a set is frozen that has 6. Never below what the set itself is asked
 * for and up: a deployment that was just scaled down has yet to scale its set.
 */
export function limitOf({ replicas, deployment }: WantedMachines, { up }: OvershootRules): number {
  if (!deployment) return 2 * replicas + up;
  return Math.max(deployment.replicas + deployment.surge, replicas) + up;
}

export interface TwoChecks {
  first: OvershootFinding;
  second: OvershootFinding;
}

/**
 * A freeze needs two checks, without fewer machines in the second, and with more if the set's
 * workflow has yet to see the present spec: a set that is scaled down is not frozen on its way,
 * however long reading its 5,000 machines takes.
 */
export function planFreezes({ first, second }: TwoChecks, rules: OvershootRules): Freeze[] {
  const deployments = new Map(second.deployments.map((facts) => [facts.name, facts]));
  const before = new Map(first.sets.map((facts) => [facts.name, facts]));
  const ofSets = second.sets.flatMap((set) => {
    const deployment = deployments.get(set.deployment ?? '');
    return planSet({ set, before: before.get(set.name), deployment }, rules) ?? [];
  });
  return [...ofSets, ...second.deployments.flatMap((d) => planDeployment(d, second, ofSets) ?? [])];
}

/** Reports whether a second check is needed. */
export function isOvershooting({ sets }: OvershootFinding): boolean {
  return sets.some(
    ({ isFrozen, hasCondition, count, limit }) => count >= limit && !(isFrozen && hasCondition),
  );
}

interface SetCase {
  set: SetFacts;
  before: SetFacts | undefined;
  deployment: DeploymentFacts | undefined;
}

function planSet(
  { set, before, deployment }: SetCase,
  { down }: OvershootRules,
): Freeze | undefined {
  const { name, count, limit } = set;
  const it = { kind: 'machineSet', name, reason: 'OverShootingReplicaCount' } as const;
  const isMarked = set.isFrozen || set.hasCondition;
  if (set.wantsUnfreeze || deployment?.wantsUnfreeze) {
    // The next run may freeze it again.
    if (!isMarked && !set.wantsUnfreeze) return undefined;
    return { ...it, action: 'unfreeze', why: 'asked for by annotation' };
  }
  if (mustFreeze(set, before)) {
    return { ...it, action: 'freeze', why: `${count} machines, allowed are fewer than ${limit}` };
  }
  if (!isMarked || count > limit - down) return undefined;
  return { ...it, action: 'unfreeze', why: `${count} machines, ${limit - down} or fewer are well` };
}

/** The API server took the label and then did not answer, or refused the condition. */
function isHalfFrozen({ isFrozen, hasCondition, count, limit }: SetFacts): boolean {
  return isFrozen && !hasCondition && count >= limit;
}

function mustFreeze(set: SetFacts, before: SetFacts | undefined): boolean {
  if (isHalfFrozen(set)) return true;
  const { isFrozen, isBehind = false, count, limit } = set;
  if (isFrozen || count < limit || before === undefined) return false;
  const isTooMany = isBehind ? count > before.count : count >= before.count;
  return before.count >= before.limit && isTooMany;
}

/** As frozen as its sets are. */
function planDeployment(
  deployment: DeploymentFacts,
  { sets }: OvershootFinding,
  ofSets: readonly Freeze[],
): Freeze | undefined {
  const { name, isFrozen, hasCondition, wantsUnfreeze } = deployment;
  const it = { kind: 'machineDeployment', name, reason: 'MachineDeploymentStateSync' } as const;
  const frozen = sets.filter((set) => set.deployment === name && isFrozenAfter(set, ofSets));
  const names = frozen.map((set) => set.name).join(', ');
  if (frozen.length > 0) {
    if (isFrozen && hasCondition) return undefined;
    const fresh = new Set(ofSets.filter(({ action }) => action === 'freeze').map(nameOf));
    const isNew = frozen.some((set) => fresh.has(set.name));
    const reason = isNew ? 'OverShootingReplicaCount' : it.reason;
    return { ...it, action: 'freeze', reason, why: `frozen: MachineSet ${names}` };
  }
  if (!isFrozen && !hasCondition && !wantsUnfreeze) return undefined;
  return { ...it, action: 'unfreeze', why: 'none of its MachineSets is frozen' };
}

function nameOf({ name }: { name: string }): string {
  return name;
}

function isFrozenAfter(set: SetFacts, ofSets: readonly Freeze[]): boolean {
  const change = ofSets.find(({ name }) => name === set.name);
  return change ? change.action === 'freeze' : set.isFrozen || set.hasCondition;
}
