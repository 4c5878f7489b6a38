/** Our MachineSets as theirs, and what of theirs counts for ours. */
import { annotations } from '../../api/constants.ts';
import type { KubermaticMachineDeployment, KubermaticMachineSet } from '../../api/kubermatic.ts';
import { front, kubermaticAnnotations, kubermaticApiVersion } from '../../api/kubermatic-names.ts';
import type { MachineSet } from '../../api/machine-set.ts';
import { defined } from '../../values/defined.ts';
import { mergePatchOf } from '../../values/merge-patch.ts';
import { controllerUidOf, isDeleting, isMirror } from './facts.ts';
import { missing, ownerOf } from './machines.ts';
import { isSameTemplate, type NamedTemplate } from './names.ts';
import { patchUnlessSame, type Write } from './writes.ts';

const revisionNames = {
  [annotations.revision]: kubermaticAnnotations.revision,
  [annotations.revisionHistory]: kubermaticAnnotations.revisionHistory,
  [annotations.desiredReplicas]: kubermaticAnnotations.desiredReplicas,
  [annotations.maxReplicas]: kubermaticAnnotations.maxReplicas,
} as const;

/** In their names. */
export function revisionNotes(notes: Readonly<Record<string, string>> = {}) {
  return Object.fromEntries(
    Object.entries(revisionNames).flatMap(([ours, theirs]) => {
      const value = notes[ours];
      return value === undefined ? [] : [[theirs, value] as const];
    }),
  );
}

export interface MirroredSet {
  ours: MachineSet;
  theirs: KubermaticMachineSet | undefined;
  deployment: KubermaticMachineDeployment;
  /** Undefined where it is not known any more: then theirs stays as it is. */
  template: NamedTemplate | undefined;
}

export function mirrorSet(mirrored: MirroredSet): Write[] {
  const { ours, theirs } = mirrored;
  if (!theirs) return creationOf(mirrored);
  const patch = { metadata: metadataPatch(mirrored, theirs), spec: specPatch(mirrored, theirs) };
  return [...patchUnlessSame('theirSet', theirs, patch), ...statusWrites(ours, theirs)];
}

function creationOf({ ours, deployment, template }: MirroredSet): Write[] {
  if (isDeleting(ours) || !template) return [];
  const { name, namespace, labels } = ours.metadata;
  const metadata = defined({
    name,
    namespace,
    labels,
    annotations: { ...revisionNotes(ours.metadata.annotations), ...mirrorNote(ours) },
    finalizers: [front.finalizer],
    ownerReferences: [ownerOf('MachineDeployment', deployment)],
  });
  const spec = { ...specOf(ours), template: templateOf(ours, template) };
  const body = { apiVersion: kubermaticApiVersion, kind: 'MachineSet', metadata, spec };
  return [{ verb: 'create', kind: 'theirSet', name, body }];
}

function metadataPatch({ ours, deployment }: MirroredSet, theirs: KubermaticMachineSet): object {
  const { finalizers = [], ownerReferences = [], labels, annotations: notes } = theirs.metadata;
  const isHeld = isDeleting(theirs) || isMirror(theirs);
  const isLeft = isDeleting(theirs) || isDeleting(deployment);
  const isOwned = isLeft || controllerUidOf(theirs) === deployment.metadata.uid;
  const owner = ownerOf('MachineDeployment', deployment);
  const wanted = {
    ...revisionNotes(ours.metadata.annotations),
    ...(!isDeleting(theirs) && mirrorNote(ours)),
  };
  return defined({
    labels: missing(labels, ours.metadata.labels ?? {}),
    annotations: missing(notes, wanted),
    finalizers: isHeld ? undefined : [...finalizers, front.finalizer],
    ownerReferences: isOwned ? undefined : [...ownerReferences, owner],
  });
}

function mirrorNote({ metadata }: MachineSet): Record<string, string> {
  return { [front.mirrorOf]: metadata.uid };
}

function specPatch({ ours, template }: MirroredSet, theirs: KubermaticMachineSet): object {
  const { deletePolicy: _flowsDown, template: present, ...spec } = theirs.spec;
  const patch = { ...Object(mergePatchOf(spec, specOf(ours))) };
  if (!template || (present && isSameTemplate(present, template.written))) return patch;
  return { ...patch, template: mergePatchOf(present, templateOf(ours, template)) };
}

function specOf({ spec }: MachineSet): object {
  const { replicas = 0, minReadySeconds, selector } = spec;
  return defined({ replicas, minReadySeconds, selector });
}

/** With the labels of our set's template, which has that of the hash. */
function templateOf({ spec }: MachineSet, { written }: NamedTemplate): object {
  const labels = { ...written.metadata?.labels, ...spec.template?.metadata?.labels };
  return { ...written, metadata: { ...written.metadata, labels } };
}

function statusWrites({ status = {} }: MachineSet, theirs: KubermaticMachineSet): Write[] {
  const { replicas = 0, fullyLabeledReplicas, readyReplicas, availableReplicas } = status;
  const wanted = defined({
    replicas,
    fullyLabeledReplicas,
    readyReplicas,
    availableReplicas,
    observedGeneration: theirs.metadata.generation,
  });
  const patch = mergePatchOf(theirs.status, { ...theirs.status, ...wanted });
  const writes = patchUnlessSame('theirSet', theirs, { status: patch });
  return writes.map((write): Write =>
    write.verb === 'patch' ? { ...write, status: true } : write,
  );
}

/** `Random` is our own order. */
export function deletePolicyWrites(ours: MachineSet, theirs: KubermaticMachineSet): Write[] {
  const { deletePolicy = '' } = theirs.spec;
  const wanted = ['Newest', 'Oldest'].includes(deletePolicy) ? deletePolicy : undefined;
  const present = ours.metadata.annotations?.[annotations.deletePolicy];
  if (present === wanted) return [];
  const notes = { [annotations.deletePolicy]: wanted ?? null };
  return patchUnlessSame('set', ours, { metadata: { annotations: notes } });
}
