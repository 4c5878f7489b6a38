/** The way from machine-controller to us, from the bottom up. */
import { annotations, apiVersion, finalizers, labels } from '../../api/constants.ts';
import type { KubermaticMachine, KubermaticMachineSet } from '../../api/kubermatic.ts';
import { front, kubermaticAnnotations } from '../../api/kubermatic-names.ts';
import type { Machine } from '../../api/machine.ts';
import type { MachineSet } from '../../api/machine-set.ts';
import {
  byName,
  controllerUidOf,
  finalizersToKeep,
  isDeleting,
  isMirror,
  type MadeTemplate,
  type PoolFacts,
  type PoolTemplate,
} from './facts.ts';
import { isSameTemplate } from './names.ts';
import { templateWrites } from './templates.ts';
import { patchOf, type Write } from './writes.ts';

export type TakeOver = { refusals: string[] } | { writes: Write[] };

/** No writes: everything is ours, and the deployment may be. */
export function planTakeOver(facts: PoolFacts): TakeOver {
  const sets = facts.theirs.sets.map((set) => ({
    set,
    template: templateOf(set, facts.templates),
  }));
  const own = byName(facts.ours.machines);
  const refusals = [
    ...sets.flatMap((one) => refusalsOfSet(one)),
    ...facts.theirs.machines.flatMap((machine) =>
      refusalsOfMachine(facts, machine, own.get(machine.metadata.name)),
    ),
  ];
  if (refusals.length > 0) return { refusals };
  const made = sets.flatMap(({ set, template }) =>
    template?.made ? [{ set, name: template.name, made: template.made }] : [],
  );
  return {
    writes: [
      ...templateWrites(
        facts,
        made.filter(({ set }) => !isMirror(set)).map(({ name }) => name),
      ),
      ...made.flatMap((one) => machineWrites(facts, one)),
      ...made.flatMap((one) => setWrites(facts, one)),
    ],
  };
}

export function templateOf(
  { spec: { template } }: KubermaticMachineSet,
  templates: PoolFacts['templates'],
): PoolTemplate | undefined {
  return template && [...templates.values()].find((one) => isSameTemplate(one.written, template));
}

interface TheirSet {
  set: KubermaticMachineSet;
  template: PoolTemplate | undefined;
}

function refusalsOfSet({ set, template }: TheirSet): string[] {
  const what = `MachineSet ${set.metadata.name}`;
  if (isMirror(set)) return [];
  if (isDeleting(set)) return [`${what} is being deleted: wait until it is gone`];
  if (!template) return [`${what} has no template: delete it`];
  return template.made ? [] : template.faults.map((fault) => `${what}: ${fault}`);
}

/** An instance may exist that no Machine names yet: machine-controller alone can find it. */
function refusalsOfMachine(
  { ours, providerIDs }: PoolFacts,
  machine: KubermaticMachine,
  own: Machine | undefined,
): string[] {
  const { name } = machine.metadata;
  if (isMirror(machine)) return [];
  const what = `Machine ${name}`;
  const owner = own && controllerUidOf(own);
  if (owner !== undefined && !ours.sets.some(({ metadata }) => metadata.uid === owner)) {
    return [`${what}: there is a Machine of ours of that name, which belongs to another set`];
  }
  const found = providerIDs.get(name);
  return found && 'fault' in found ? [`${what}: ${found.fault}`] : [];
}

interface TakenSet {
  set: KubermaticMachineSet;
  made: MadeTemplate;
}

function machineWrites(facts: PoolFacts, { set, made }: TakenSet): Write[] {
  const present = byName(facts.ours.machines);
  return facts.theirs.machines
    .filter((machine) => controllerUidOf(machine) === set.metadata.uid && !isMirror(machine))
    .flatMap((machine): Write[] => {
      const found = facts.providerIDs.get(machine.metadata.name);
      // Without an instance that is known, our core would make another one.
      if (!found || 'fault' in found) return [];
      const own = machineOf(machine, found.value, made);
      return [...(present.has(machine.metadata.name) ? [] : [own]), holdOf(machine)];
    });
}

/** Its set takes it by its labels, as it appears. */
function machineOf(
  { metadata, status }: KubermaticMachine,
  providerID: string,
  { template }: MadeTemplate,
): Write {
  const node = status?.nodeRef?.name;
  const spec: Machine['spec'] = { ...template.spec, providerID };
  return {
    verb: 'create',
    kind: 'machine',
    name: metadata.name,
    body: {
      apiVersion,
      kind: 'Machine',
      metadata: {
        name: metadata.name,
        namespace: metadata.namespace ?? '',
        labels: { ...metadata.labels, ...(node !== undefined && { [labels.node]: node }) },
        annotations: { [annotations.priority]: '3', ...template.metadata?.annotations },
        finalizers: [finalizers.machine],
      },
      spec,
    },
  };
}

/** One that is being deleted takes no finalizer, and keeps those that it has until ours is gone. */
function holdOf(machine: KubermaticMachine): Write {
  const kept = [...finalizersToKeep(machine), front.finalizer];
  const metadata = isDeleting(machine)
    ? { annotations: { [front.finalizer]: 'true' } }
    : { finalizers: kept };
  return patchOf('theirMachine', machine, { metadata });
}

function setWrites({ ours }: PoolFacts, { set, made: { template } }: TakenSet): Write[] {
  if (isMirror(set)) return [];
  const { metadata } = set;
  const held = { metadata: { finalizers: [...(metadata.finalizers ?? []), front.finalizer] } };
  const hold = patchOf('theirSet', set, held);
  if (byName(ours.sets).has(metadata.name)) return [hold];
  const revision = metadata.annotations?.[kubermaticAnnotations.revision];
  const labelled = { ...template.metadata, labels: set.spec.template?.metadata?.labels ?? {} };
  const spec: MachineSet['spec'] = {
    replicas: set.spec.replicas ?? 1,
    selector: set.spec.selector,
    template: { ...template, metadata: labelled },
  };
  const body = {
    apiVersion,
    kind: 'MachineSet',
    metadata: {
      name: metadata.name,
      namespace: metadata.namespace ?? '',
      labels: metadata.labels ?? {},
      annotations: revision === undefined ? {} : { [annotations.revision]: revision },
      finalizers: [finalizers.machine],
    },
    spec,
  };
  return [{ verb: 'create', kind: 'set', name: metadata.name, body }, hold];
}
