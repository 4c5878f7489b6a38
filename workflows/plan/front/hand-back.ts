/** The way back to machine-controller, from the top down. No instance is touched. */
import {
  front,
  kubermaticFinalizers,
  kubermaticProviderFinalizers,
} from '../../api/kubermatic-names.ts';
import type { ObjectMeta } from '../../api/meta.ts';
import {
  finalizersToKeep,
  isDeleting,
  isMirror,
  mirroredDeployment,
  type PoolFacts,
} from './facts.ts';
import { patchOf, removalOf, type Write } from './writes.ts';

export type HandBack =
  | { refusals: string[] }
  /** The garbage collector lets the dependents of this one go. */
  | { waitsFor: string }
  | { writes: Write[]; isDone: boolean };

/** One level at a time: an owner that is left would make another of what is gone. */
export function planHandBack(facts: PoolFacts): HandBack {
  const { ours, theirs } = facts;
  const deployment = mirroredDeployment(facts);
  const refusals = deployment && !isDeleting(deployment) ? refusalsOf(facts) : [];
  if (refusals.length > 0) return { refusals };
  if (deployment) return strip('deployment', [deployment]);
  if (ours.sets.length > 0) return strip('set', ours.sets);
  if (ours.machines.length > 0) {
    const returned = theirs.machines.filter(isMirror).map(returnOf);
    return { writes: [...returned, ...removals('machine', ours.machines)], isDone: false };
  }
  return {
    writes: [
      ...removals('class', ours.classes),
      ...removals('secret', ours.secrets),
      ...removals('configMap', ours.configMaps),
      ...theirs.machines.filter(isMirror).map(returnOf),
      ...theirs.sets.filter(isMirror).map((set) => {
        const annotations = { [front.mirrorOf]: null };
        return patchOf('theirSet', set, { metadata: { ...withoutOurs(set), annotations } });
      }),
      patchOf('theirDeployment', theirs.deployment, {
        metadata: {
          ...withoutOurs(theirs.deployment),
          annotations: { [front.handBack]: null, [front.takeOver]: null },
        },
      }),
    ],
    isDone: true,
  };
}

function refusalsOf({ ours, theirs }: PoolFacts): string[] {
  const going = [...theirs.machines, ...ours.machines].filter(isDeleting);
  const nameless = ours.machines.filter(({ spec }) => !spec.providerID);
  return [
    ...namesOf(going).map((name) => `Machine ${name} is being deleted: wait until it is gone`),
    ...namesOf(nameless).map(
      (name) => `Machine ${name} has no instance yet: wait until it has one`,
    ),
  ];
}

function namesOf(objects: readonly { metadata: ObjectMeta }[]): string[] {
  return [...new Set(objects.map(({ metadata }) => metadata.name))];
}

function strip(kind: 'deployment' | 'set', objects: readonly { metadata: ObjectMeta }[]): HandBack {
  const left = objects.filter((object) => !isDeleting(object));
  if (left.length > 0) {
    return { writes: left.map((one) => removalOf(kind, one, { orphans: true })), isDone: false };
  }
  return { waitsFor: `${kind} ${namesOf(objects).join(', ')}` };
}

function removals(
  kind: 'machine' | 'class' | 'secret' | 'configMap',
  objects: readonly { metadata: ObjectMeta }[],
): Write[] {
  return objects.map((object) => removalOf(kind, object));
}

function returnOf(machine: PoolFacts['theirs']['machines'][number]): Write {
  const { cloudProvider = '' } = machine.spec.providerSpec.value ?? {};
  const finalizers = new Set([
    ...finalizersToKeep(machine),
    ...Object.values(kubermaticFinalizers),
    ...(kubermaticProviderFinalizers.ofInstance[cloudProvider] ?? []),
  ]);
  return patchOf('theirMachine', machine, { metadata: { finalizers: [...finalizers] } });
}

function withoutOurs({ metadata }: { metadata: ObjectMeta }): { finalizers: string[] } {
  return { finalizers: (metadata.finalizers ?? []).filter((one) => one !== front.finalizer) };
}
