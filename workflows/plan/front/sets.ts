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

export function mirrorSet({ ours, theirs, deployment, template }: MirroredSet): Write[] {
  const { name, namespace, labels = {} } = ours.metadata;
  const notes = {
    ...revisionNotes(ours.metadata.annotations),
    ...(!(theirs && isDeleting(theirs)) && { [front.mirrorOf]: ours.metadata.uid }),
  };
  const owner = ownerOf('MachineDeployment', deployment);
  if (!theirs) {
    if (isDeleting(ours) || !template) return [];
    const metadata = defined({
      name,
      namespace,
      labels,
      annotations: notes,
      finalizers: [front.finalizer],
      ownerReferences: [owner],
    });
    const spec = { ...specOf(ours), template: templateOf(ours, template) };
    const body = { apiVersion: kubermaticApiVersion, kind: 'MachineSet', metadata, spec };
    return [{ verb: 'create', kind: 'theirSet', name, body }];
  }
  const { finalizers = [], ownerReferences = [], ...meta } = theirs.metadata;
  const isHeld = isDeleting(theirs) || isMirror(theirs);
  // What a deletion has let go stays so.
  const isLeft = isDeleting(theirs) || isDeleting(deployment);
  const isOwned = controllerUidOf(theirs) === deployment.metadata.uid || isLeft;
  const metadata = defined({
    labels: missing(meta.labels, labels),
    annotations: missing(meta.annotations, notes),
    finalizers: isHeld ? undefined : [...finalizers, front.finalizer],
    ownerReferences: isOwned ? undefined : [...ownerReferences, owner],
  });
  const isSame =
    !template || (theirs.spec.template && isSameTemplate(theirs.spec.template, template.written));
  const { deletePolicy: _theirs, template: present, ...spec } = theirs.spec;
  const specPatch = {
    ...Object(mergePatchOf(spec, specOf(ours))),
    ...(!isSame && { template: mergePatchOf(present, templateOf(ours, template)) }),
  };
  const patch = {
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(Object.keys(specPatch).length > 0 && { spec: specPatch }),
  };
  const writes = patchUnlessSame(
    'theirSet',
    theirs,
    Object.keys(patch).length > 0 ? patch : undefined,
  );
  return [...writes, ...statusWrites(ours, theirs)];
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
  const writes = patchUnlessSame('theirSet', theirs, patch && { status: patch });
  return writes.map((write): Write =>
    write.verb === 'patch' ? { ...write, status: true } : write,
  );
}

/** `Random` is our own order. */
export function deletePolicyWrites(ours: MachineSet, theirs: KubermaticMachineSet): Write[] {
  const { deletePolicy = '' } = theirs.spec;
  const wanted = ['Newest', 'Oldest'].includes(deletePolicy) ? deletePolicy : undefined;
  const present = ours.metadata.annotations?.[front.deletePolicy];
  if (present === wanted) return [];
  const notes = { [front.deletePolicy]: wanted ?? null };
  return patchUnlessSame('set', ours, { metadata: { annotations: notes } });
}
