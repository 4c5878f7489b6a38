/** What a pass writes, in an order that can be cut anywhere, and what it says. */
import { front } from '../../api/kubermatic-names.ts';
import { deploymentWrites, ignoredOptions, templateFor } from './deployment.ts';
import {
  byName,
  classNameOf,
  controllerUidOf,
  finalizersOfOthers,
  isDeleting,
  isMirror,
  isLettingGo,
  mirroredDeployment,
  setPairs,
  type OwnObjects,
  type PoolFacts,
} from './facts.ts';
import { planHandBack } from './hand-back.ts';
import { markMachine, missing, mirrorMachine } from './machines.ts';
import { rollbackTo } from './rollback.ts';
import { deletePolicyWrites, mirrorSet, revisionNotes } from './sets.ts';
import { statusWrites, type Said } from './status.ts';
import { planTakeOver } from './take-over.ts';
import {
  templateWrites,
  templatesInUse,
  unusedTemplateDeletions,
  usedTemplates,
} from './templates.ts';
import { deletionOf, patchOf, patchUnlessSame, type Write } from './writes.ts';

/** As `SyncOutcome` of the contract has it. */
export type PoolState = 'current' | 'waits' | 'notServed' | 'gone';

export interface PoolPlan {
  /** One that is refused keeps the rest of its group from being done, and no other group. */
  groups: Write[][];
  /** What was written shows what is next: read once more, at once. */
  goesOn: boolean;
  state: PoolState;
  reason?: string;
}

export function planPool(facts: PoolFacts): PoolPlan {
  const { deployment } = facts.theirs;
  const { annotations = {} } = deployment.metadata;
  if (isDeleting(deployment)) return isMirror(deployment) ? planDeletion(facts) : leaveDeleting;
  if (annotations[front.handBack] === 'true' && isMirror(deployment)) return handBack(facts);
  const refusal = refusalOf(facts);
  if (refusal) return notServed(facts, refusal);
  if (annotations[front.takeOver] === 'true') return takeOver(facts);
  return serve(facts);
}

const leaveDeleting: PoolPlan = { groups: [], goesOn: false, state: 'notServed' };

interface Refusal {
  reason: string;
  message: string;
  waits?: true;
}

function refusalOf(facts: PoolFacts): Refusal | undefined {
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
    const foreign = theirs.sets.filter((set) => !isMirror(set) && !own.has(set.metadata.name));
    if (foreign.length > 0) {
      const names = foreign.map((set) => set.metadata.name).join(', ');
      const message = `machine-controller serves it: its MachineSets ${names} are not ours; to change that, run millwright migrate take-over --from kubermatic`;
      return { reason: 'ServedByMachineController', message };
    }
  }
  if (leaseHolder === undefined || isMirror(theirs.deployment)) return undefined;
  const message = `machine-controller runs: ${leaseHolder} holds its Lease; scale it to zero`;
  return { reason: 'MachineControllerRuns', message, waits: true };
}

function notServed(facts: PoolFacts, { reason, message, waits }: Refusal): PoolPlan {
  const said: Said[] = [{ type: 'Served', status: 'False', reason, message }];
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
    const message = plan.refusals.join('\n');
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

function handBack(facts: PoolFacts): PoolPlan {
  const plan = planHandBack(facts);
  if ('refusals' in plan) {
    return { ...serve(facts), state: 'waits', reason: plan.refusals.join('\n') };
  }
  if ('waitsFor' in plan) {
    const reason = `waits until the garbage collector has let the dependents of ${plan.waitsFor} go`;
    return { groups: [], goesOn: false, state: 'waits', reason };
  }
  const message = 'handed back: machine-controller may serve it';
  const said: Said[] = [{ type: 'Served', status: 'False', reason: 'HandedBack', message }];
  const status = plan.isDone ? statusWrites(facts, said, { isSettled: false }) : [];
  const state = plan.isDone ? 'notServed' : 'waits';
  return { groups: [[...status, ...plan.writes]], goesOn: !plan.isDone, state, reason: message };
}

function serve(facts: PoolFacts, after: readonly Write[] = []): PoolPlan {
  const rollback = rollbackTo(facts);
  if (rollback && 'writes' in rollback) {
    return { groups: [rollback.writes], goesOn: true, state: 'waits' };
  }
  const template = facts.templates.get(facts.current);
  const down = deploymentWrites(facts);
  const ours = mirroredDeployment(facts);
  const { observedGeneration = 0 } = ours?.status ?? {};
  const isSeen = observedGeneration >= (ours?.metadata.generation ?? 0);
  const isSettled =
    ours !== undefined && down.length === 0 && isSeen && template?.made !== undefined;
  const said = [servedOf(facts), translatedOf(facts), ...(rollback ? [rollback.said] : [])];
  const up = mirrored(facts);
  const used = usedTemplates(facts);
  return {
    ...up,
    // What a template names is not watched: one that is missing may come at any time.
    state: template?.hasReferences && !template.made ? 'waits' : 'current',
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
      isSeen ? unusedTemplateDeletions(facts, (name) => used.has(name)) : [],
    ],
  };
}

function servedOf(facts: PoolFacts): Said {
  const { metadata } = facts.theirs.deployment;
  if (!templateFor(facts)) {
    const message = 'there is no template that machines can be made of: see Translated';
    return { type: 'Served', status: 'False', reason: 'NoTemplate', message };
  }
  const message = `mirrored by MachineDeployment.machine.sapcloud.io ${metadata.name}; change this one, not that`;
  return { type: 'Served', status: 'True', reason: 'Mirrored', message };
}

function translatedOf({ templates, current, theirs }: PoolFacts): Said {
  const { faults = [], ignored = [] } = templates.get(current) ?? {};
  const notes = [...ignored, ...ignoredOptions(theirs.deployment)];
  if (faults.length > 0) {
    const message = [...faults, ...notes].join('\n');
    return { type: 'Translated', status: 'False', reason: 'CannotBeSaid', message };
  }
  const reason = notes.length > 0 ? 'FieldsIgnored' : 'Translated';
  return { type: 'Translated', status: 'True', reason, message: notes.join('\n') };
}

function pairs(facts: PoolFacts) {
  const theirs = byName(facts.theirs.machines);
  return facts.ours.machines.map((ours) => ({
    ours,
    theirs: theirs.get(ours.metadata.name),
    node: facts.nodes.get(ours.status?.nodeRef?.name ?? ''),
  }));
}

function markWrites(facts: PoolFacts): Write[] {
  const ofMachines = pairs(facts).flatMap(({ ours, theirs, node }) =>
    theirs ? markMachine({ ours, theirs, node }, facts.now) : [],
  );
  const ofSets = setPairs(facts).flatMap(({ ours, theirs }) =>
    theirs ? deletePolicyWrites(ours, theirs) : [],
  );
  return [...ofMachines, ...ofSets];
}

/** A set or a Machine of theirs that a person deletes. */
function deletionsDown(facts: PoolFacts): Write[] {
  const machines = pairs(facts);
  return [
    ...setPairs(facts).flatMap(({ ours, theirs }) => {
      if (!theirs || !isAskedToGo(theirs) || isDeleting(ours)) return [];
      const ofSet = machines.filter((one) => controllerUidOf(one.ours) === ours.metadata.uid);
      const shown = ofSet.flatMap((one) => one.theirs ?? []);
      return [deletionOf('set', ours, { orphans: isLettingGo(theirs, shown) })];
    }),
    ...machines.flatMap(({ ours, theirs }) =>
      theirs && isAskedToGo(theirs) && !isDeleting(ours) ? [deletionOf('machine', ours)] : [],
    ),
  ];
}

function isAskedToGo(theirs: PoolFacts['theirs']['sets' | 'machines'][number]): boolean {
  return isDeleting(theirs) && isMirror(theirs);
}

/** Theirs as ours are: sets, Machines, and what is gone. Each object is a group. */
function mirrored(facts: PoolFacts): PoolPlan {
  const ofSets = setGroups(facts);
  const ofMachines = machineGroups(facts);
  return {
    groups: [...ofSets, ...ofMachines, ...goneGroups(facts)],
    goesOn: [...ofSets, ...ofMachines].flat().some(isNews),
    state: 'current',
  };
}

/** What is made for it needs its UID. */
function isNews(write: Write): boolean {
  if (write.verb !== 'create') return false;
  return write.kind === 'theirSet' || 'providerID' in Object(write.body['spec']);
}

function setGroups(facts: PoolFacts): Write[][] {
  const { deployment } = facts.theirs;
  return setPairs(facts).map(({ ours, theirs, isNameTaken }) => {
    if (isNameTaken) return [];
    const template = facts.templates.get(classNameOf(ours) ?? '');
    return [
      ...mirrorSet({ ours, theirs, deployment, template }),
      ...(theirs ? goingWith(ours, 'theirSet', theirs) : []),
    ];
  });
}

function machineGroups(facts: PoolFacts): Write[][] {
  const { templates, now } = facts;
  const sets = new Map(setPairs(facts).map((pair) => [pair.ours.metadata.uid, pair]));
  return pairs(facts).map((pair) => {
    const { theirs: set, isNameTaken } = sets.get(controllerUidOf(pair.ours) ?? '') ?? {};
    if (isNameTaken && pair.theirs) return releaseFromSet(pair.theirs);
    const template = templates.get(pair.ours.spec.class?.name ?? '');
    return [
      ...(set && template ? mirrorMachine({ ...pair, set, template }, now) : []),
      ...(pair.theirs ? goingWith(pair.ours, 'theirMachine', pair.theirs) : []),
    ];
  });
}

function goingWith(
  ours: OwnObjects['sets' | 'machines'][number],
  kind: 'theirSet' | 'theirMachine',
  theirs: PoolFacts['theirs']['sets' | 'machines'][number],
): Write[] {
  const isGoing = isDeleting(ours) && !isDeleting(theirs) && isMirror(theirs);
  return isGoing ? [deletionOf(kind, theirs)] : [];
}

/** Its set goes, and with an owner that is gone it would go as well. */
function releaseFromSet(machine: PoolFacts['theirs']['machines'][number]): Write[] {
  const { ownerReferences = [] } = machine.metadata;
  const left = ownerReferences.filter(({ controller }) => controller !== true);
  if (left.length === ownerReferences.length) return [];
  return [patchOf('theirMachine', machine, { metadata: { ownerReferences: left } })];
}

/** A set of theirs goes after its Machines, so that none is left without what finds it. */
function goneGroups(facts: PoolFacts): Write[][] {
  const { theirs, ours } = facts;
  const machines = byName(ours.machines);
  const sets = byName(setPairs(facts).flatMap((pair) => pair.theirs ?? []));
  const owners = new Set(theirs.machines.map(controllerUidOf));
  return [
    ...theirs.machines
      .filter((one) => isMirror(one) && !machines.has(one.metadata.name))
      .map((machine) => leaving('theirMachine', machine)),
    ...theirs.sets
      .filter((one) => isMirror(one) && !sets.has(one.metadata.name))
      .filter(({ metadata }) => !owners.has(metadata.uid))
      .map((set) => leaving('theirSet', set)),
  ];
}

/** First the deletion, which our finalizer holds up: a kill between both leaves one of ours. */
function leaving(
  kind: 'theirMachine' | 'theirSet',
  object: PoolFacts['theirs']['machines' | 'sets'][number],
): Write[] {
  const metadata = { finalizers: finalizersOfOthers(object) };
  const release = patchOf(kind, object, { metadata });
  if (isDeleting(object)) return [release];
  return [{ ...deletionOf(kind, object), version: object.metadata.resourceVersion }, release];
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

/** Ours go first, and theirs are the last to go. */
function planDeletion(facts: PoolFacts): PoolPlan {
  const { ours, theirs } = facts;
  const own = mirroredDeployment(facts);
  if (isLettingGo(theirs.deployment, theirs.sets)) return planOrphaning(facts);
  const up = mirrored(facts);
  const down = own && !isDeleting(own) ? [deletionOf('deployment', own)] : [];
  // Without a deployment nothing deletes a set that was taken over, and has no owner yet.
  const left = own ? [] : [...ours.sets].filter((one) => !isDeleting(one));
  const free = pairs(facts).filter(isFree);
  const isOver =
    !own &&
    ours.sets.length + theirs.sets.length === 0 &&
    Math.max(ours.machines.length, theirs.machines.length) === free.length;
  const last: Write[] = isOver
    ? [
        ...free.flatMap((one) => (one.theirs ? [freedOf('theirMachine', one.theirs)] : [])),
        ...unusedTemplateDeletions(facts, () => false),
        releaseOf(facts),
      ]
    : [];
  return {
    ...up,
    groups: [
      [
        // With a credential that is good no more, no instance goes.
        ...templateWrites(facts, templatesInUse(facts)),
        ...markWrites(facts),
        ...down,
        ...left.map((set) => deletionOf('set', set)),
        ...deletionsDown(facts),
      ],
      ...up.groups,
      last,
    ],
    goesOn: up.goesOn || (!own && !isOver && up.groups.flat().length > 0),
  };
}

/** What is left of theirs is served no more; our sets and Machines stay as they are. */
function planOrphaning(facts: PoolFacts): PoolPlan {
  const own = mirroredDeployment(facts);
  if (own) {
    const deletion = isDeleting(own) ? [] : [deletionOf('deployment', own, { orphans: true })];
    return { ...mirrored(facts), groups: [deletion], goesOn: false };
  }
  const { machines, sets } = facts.theirs;
  const writes = [
    ...machines.filter(isMirror).map((one) => freedOf('theirMachine', one)),
    ...sets.filter(isMirror).map((one) => freedOf('theirSet', one)),
    releaseOf(facts),
  ];
  return { groups: [writes], goesOn: false, state: 'current' };
}

/** Its set let it go: it outlasts the deployment too. */
function isFree({ ours, theirs }: ReturnType<typeof pairs>[number]): boolean {
  const owners = [ours, theirs].map((one) => one && controllerUidOf(one));
  return theirs !== undefined && !isDeleting(theirs) && owners.every((one) => one === undefined);
}

/** Nobody holds it up any more. */
function freedOf(
  kind: 'theirSet' | 'theirMachine',
  object: PoolFacts['theirs']['sets' | 'machines'][number],
): Write {
  return patchOf(kind, object, { metadata: { finalizers: finalizersOfOthers(object) } });
}

function releaseOf({ theirs: { deployment } }: PoolFacts): Write {
  const finalizers = (deployment.metadata.finalizers ?? []).filter(
    (one) => one !== front.finalizer,
  );
  return patchOf('theirDeployment', deployment, { metadata: { finalizers } });
}
