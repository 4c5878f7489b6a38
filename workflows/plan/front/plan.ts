/** What a pass writes, in an order that can be cut anywhere, and what it says. */
import { front } from '../../api/kubermatic-names.ts';
import { planDeletion } from './deletion.ts';
import { deploymentWrites, ignoredOptions, templateFor } from './deployment.ts';
import { byName, isDeleting, isMirror, mirroredDeployment, type PoolFacts } from './facts.ts';
import { planHandBack } from './hand-back.ts';
import { missing } from './machines.ts';
import { deletionsDown, markWrites, mirrored } from './mirror.ts';
import { rollbackTo } from './rollback.ts';
import { revisionNotes } from './sets.ts';
import { someOf, statusWrites, type NewCondition } from './status.ts';
import { planTakeOver } from './take-over.ts';
import { templateWrites, unusedTemplateDeletions, usedTemplates } from './templates.ts';
import { patchOf, patchUnlessSame, type PoolPlan, type Write } from './writes.ts';

export function planPool(facts: PoolFacts): PoolPlan {
  const { deployment } = facts.theirs;
  const { annotations = {} } = deployment.metadata;
  if (isDeleting(deployment)) {
    if (!isMirror(deployment)) return leaveDeleting;
    return restOfTakeOver(facts) ?? planDeletion(facts);
  }
  if (annotations[front.handBack] === 'true' && isMirror(deployment)) return handBack(facts);
  const refusal = refusalOf(facts);
  if (refusal) return notServed(facts, refusal);
  if (annotations[front.takeOver] === 'true') return takeOver(facts);
  return serve(facts);
}

const leaveDeleting: PoolPlan = { groups: [], goesOn: false, state: 'notServed' };

interface NotServed {
  reason: string;
  message: string;
  waits?: true;
}

function refusalOf(facts: PoolFacts): NotServed | undefined {
  const { theirs, ours, leaseHolder } = facts;
  const { metadata } = theirs.deployment;
  if (ours.deployment && !mirroredDeployment(facts)) {
    const other = ours.deployment.metadata.annotations?.[front.mirrorOf];
    const whose =
      other === undefined ? 'is not a mirror' : `is the mirror of another one, of UID ${other}`;
    const message = `the MachineDeployment.machine.sapcloud.io ${metadata.name} ${whose}: delete or rename one of both, or set its annotation ${front.mirrorOf} to ${metadata.uid} to go on with it`;
    return { reason: 'NameTaken', message };
  }
  if (metadata.annotations?.[front.takeOver] !== 'true') {
    const own = byName(ours.sets);
    const others = theirs.sets.filter((set) => !isMirror(set) && !own.has(set.metadata.name));
    if (others.length > 0) {
      const names = others.map((set) => set.metadata.name).join(', ');
      const message = `machine-controller serves it: its MachineSets ${names} are not ours; to change that, run millwright migrate take-over --from kubermatic`;
      return { reason: 'ServedByMachineController', message };
    }
  }
  if (leaseHolder === undefined || isMirror(theirs.deployment)) return undefined;
  const message = `machine-controller runs: ${leaseHolder} holds its Lease; scale it to zero`;
  return { reason: 'MachineControllerRuns', message, waits: true };
}

function notServed(facts: PoolFacts, { reason, message, waits }: NotServed): PoolPlan {
  const said: NewCondition[] = [{ type: 'Served', status: 'False', reason, message }];
  return {
    groups: [statusWrites(facts, said, { isSettled: false })],
    goesOn: false,
    state: waits ? 'waits' : 'notServed',
    reason: message,
  };
}

/** With our finalizer on theirs, a deletion cannot be missed from here on. */
function claimWrites({ theirs: { deployment } }: PoolFacts): Write[] {
  if (isMirror(deployment)) return [];
  const finalizers = [...(deployment.metadata.finalizers ?? []), front.finalizer];
  return [patchOf('theirDeployment', deployment, { metadata: { finalizers } })];
}

function takeOver(facts: PoolFacts): PoolPlan {
  const plan = planTakeOver(facts);
  if ('refusals' in plan) {
    const message = someOf(plan.refusals);
    return notServed(facts, { reason: 'TakeOverRefused', message, waits: true });
  }
  if (plan.writes.length > 0) {
    return { groups: [[...claimWrites(facts), ...plan.writes]], goesOn: true, state: 'waits' };
  }
  const { deployment } = facts.theirs;
  const done = patchOf('theirDeployment', deployment, {
    metadata: { annotations: { [front.takeOver]: null } },
  });
  return serve(facts, mirroredDeployment(facts) ? [done] : []);
}

/** What is half ours goes as a whole: the core deletes what has an owner, and nothing else. */
function restOfTakeOver(facts: PoolFacts): PoolPlan | undefined {
  if (facts.theirs.deployment.metadata.annotations?.[front.takeOver] !== 'true') return undefined;
  const plan = planTakeOver(facts);
  if ('refusals' in plan) {
    return { groups: [], goesOn: false, state: 'waits', reason: someOf(plan.refusals) };
  }
  return plan.writes.length === 0
    ? undefined
    : { groups: [plan.writes], goesOn: true, state: 'waits' };
}

function handBack(facts: PoolFacts): PoolPlan {
  const plan = planHandBack(facts);
  if ('refusals' in plan) {
    return { ...serve(facts), state: 'waits', reason: someOf(plan.refusals) };
  }
  if ('waitsFor' in plan) {
    const reason = `waits until the garbage collector has let the dependents of ${plan.waitsFor} go`;
    return { groups: [], goesOn: false, state: 'waits', reason };
  }
  const message = 'handed back: machine-controller may serve it';
  const said: NewCondition[] = [{ type: 'Served', status: 'False', reason: 'HandedBack', message }];
  const status = plan.isDone ? statusWrites(facts, said, { isSettled: false }) : [];
  const state = plan.isDone ? 'notServed' : 'waits';
  return { groups: [[...status, ...plan.writes]], goesOn: !plan.isDone, state, reason: message };
}

function serve(facts: PoolFacts, after: readonly Write[] = []): PoolPlan {
  const rollback = rollbackTo(facts);
  if (rollback && 'writes' in rollback) {
    return { groups: [rollback.writes], goesOn: true, state: 'waits' };
  }
  const down = deploymentWrites(facts);
  const isSettled = down.length === 0 && isAnswered(facts);
  const said = [servedOf(facts), translatedOf(facts), ...(rollback ? [rollback.said] : [])];
  const up = mirrored(facts);
  const used = usedTemplates(facts);
  return {
    ...up,
    ...untranslated(facts),
    groups: [
      [
        ...claimWrites(facts),
        ...templateWrites(facts, used),
        ...markWrites(facts),
        ...down,
        ...deletionsDown(facts),
      ],
      ...up.groups,
      [
        ...revisionWrites(facts),
        ...statusWrites(facts, said, { isSettled }),
        ...(rollback ? [rollback.forget] : []),
        ...after,
      ],
      // Until then the core may make a set of the template before.
      isSeen(facts) ? unusedTemplateDeletions(facts, (name) => used.has(name)) : [],
    ],
  };
}

/** The core has seen ours as it is, and ours has the template of theirs. */
function isAnswered(facts: PoolFacts): boolean {
  const isMade = facts.templates.get(facts.current)?.made !== undefined;
  return isMade && mirroredDeployment(facts) !== undefined && isSeen(facts);
}

function isSeen(facts: PoolFacts): boolean {
  const { metadata, status } = mirroredDeployment(facts) ?? {};
  return (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0);
}

/** What a template names is not watched: one that is missing may come at any time. */
function untranslated({ templates, current }: PoolFacts): Pick<PoolPlan, 'state' | 'reason'> {
  const { made, faults = [] } = templates.get(current) ?? {};
  return made ? { state: 'current' } : { state: 'waits', reason: someOf(faults) };
}

function servedOf(facts: PoolFacts): NewCondition {
  const { metadata } = facts.theirs.deployment;
  if (!templateFor(facts)) {
    const message = 'there is no template that machines can be made of: see Translated';
    return { type: 'Served', status: 'False', reason: 'NoTemplate', message };
  }
  const message = `mirrored by MachineDeployment.machine.sapcloud.io ${metadata.name}; change this one, not that`;
  return { type: 'Served', status: 'True', reason: 'Mirrored', message };
}

function translatedOf({ templates, current, theirs }: PoolFacts): NewCondition {
  const { faults = [], ignored = [] } = templates.get(current) ?? {};
  const notes = [...ignored, ...ignoredOptions(theirs.deployment)];
  if (faults.length > 0) {
    const message = someOf([...faults, ...notes]);
    return { type: 'Translated', status: 'False', reason: 'CannotBeSaid', message };
  }
  const reason = notes.length > 0 ? 'FieldsIgnored' : 'Translated';
  return { type: 'Translated', status: 'True', reason, message: notes.join('\n') };
}

function revisionWrites(facts: PoolFacts): Write[] {
  const { deployment } = facts.theirs;
  const notes = revisionNotes(mirroredDeployment(facts)?.metadata.annotations);
  const annotations = missing(deployment.metadata.annotations, notes);
  return patchUnlessSame(
    'theirDeployment',
    deployment,
    annotations && { metadata: { annotations } },
  );
}
