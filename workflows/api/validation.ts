/**
 * Faults that MCM v0.62.1 refuses in silence, in the words of `kubectl apply`.
 *
 * The rules in deploy/crds refuse the same with the same text. A cluster may still hold such
 * objects: they are older than the rules, or the cluster has MCM's own CRDs. Controllers then
 * report these faults as a condition, a fault a line, e.g. `spec.strategy: Required value: must
 * have a type: ...`.
 */
import { parseDuration } from './duration.ts';
import type { MachineClass } from './machine-class.ts';
import type {
  InPlaceUpdateMachineDeployment,
  MachineDeployment,
  MachineDeploymentSpec,
  MachineDeploymentStrategy,
  RollingUpdateMachineDeployment,
} from './machine-deployment.ts';
import type { MachineSet, MachineSetSpec, MachineTemplateSpec } from './machine-set.ts';
import type { ClassSpec, Machine, MachineSpec } from './machine.ts';

/** Texts that say what is allowed: the `message`s of the rules in deploy/crds. */
export const allowed = {
  machineName: 'must have at most 63 characters: it becomes a label of the Node',
  spec: 'must say what is wanted',
  class: 'must name a MachineClass',
  classKind: 'must be MachineClass',
  className: 'must be the name of a MachineClass in this namespace',
  duration: 'must be a duration of 0 or more, such as 90s, 20m or 1h30m',
  count: 'must be a whole number of 0 or more',
  deadline: 'must be 1 or more; without it there is no limit',
  /** The API server's own words: it checks the field behind the scale subresource itself. */
  replicas: 'should be a non-negative integer',
  selector: 'must select machines by labels that the template gives them',
  matchLabels: 'must all be labels in spec.template.metadata.labels, with the same values',
  template: 'must say what each machine is made from',
  strategy: 'must have a type: RollingUpdate, Recreate or InPlaceUpdate',
  strategyType: 'must be RollingUpdate, Recreate or InPlaceUpdate',
  rollingUpdate: 'must give maxSurge and maxUnavailable, because the type is RollingUpdate',
  inPlaceUpdate:
    'must give maxSurge, maxUnavailable and orchestrationType, because the type is InPlaceUpdate',
  amount: 'must be a number of 0 or more, or a percentage such as 25%',
  orchestrationType: 'must be Auto or Manual',
  capacity: 'must have the keys cpu, gpu and memory',
  text: 'must not be empty',
} as const;

/** The name of a Machine is one; names of hosts and of instances have the same limit. */
export const longestLabelValue = 63;

const required = (field: string, message: string): string => `${field}: Required value: ${message}`;

/** A fault has to fit into a condition and an Event. */
const longestQuote = 200;

/**
 * A value as a fault shows it: very long ones are cut, and what is in objects, however deep, is
 * left out.
 */
export function quoted(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > longestQuote ? `${text.slice(0, longestQuote)}...` : text;
}

const invalid = (field: string, value: unknown, message: string): string =>
  `${field}: Invalid value: ${quoted(value)}: ${message}`;

/** Faults of a Machine; empty when it is fit for use. */
export function machineFaults({ metadata, spec }: Loose<Machine>): string[] {
  const isTooLong = (metadata?.name.length ?? 0) > longestLabelValue;
  const name = isTooLong ? [`metadata.name: Invalid value: ${allowed.machineName}`] : [];
  return [...name, ...specFaults(spec, 'spec')];
}

/** Faults of a MachineSet; empty when it is fit for use. */
export function machineSetFaults({ spec }: Loose<MachineSet>): string[] {
  if (!spec) return [required('spec', allowed.spec)];
  return [
    ...sharedFaults(spec),
    ...(spec.template
      ? templateFaults(spec.template)
      : [required('spec.template', allowed.template)]),
  ];
}

/** Faults of a MachineDeployment; empty when it is fit for use. */
export function machineDeploymentFaults({ spec }: Loose<MachineDeployment>): string[] {
  if (!spec) return [required('spec', allowed.spec)];
  const { template }: Partial<MachineDeploymentSpec> = spec;
  const { revisionHistoryLimit, rollbackTo, progressDeadlineSeconds: deadline } = spec;
  return [
    ...sharedFaults(spec),
    ...countFaults({ revisionHistoryLimit, 'rollbackTo.revision': rollbackTo?.revision }, 'spec'),
    ...(deadline !== undefined && deadline < 1
      ? [invalid('spec.progressDeadlineSeconds', deadline, allowed.deadline)]
      : []),
    // MCM's own schema asks for the template, with these words.
    ...(template ? templateFaults(template) : ['spec.template: Required value']),
    ...strategyFaults(spec.strategy),
  ];
}

/** Faults of a MachineClass; empty when it is fit for use. Fields for its driver are not read. */
export function machineClassFaults({ nodeTemplate }: Loose<MachineClass>): string[] {
  if (!nodeTemplate) return [];
  const faults = capacityFaults(nodeTemplate.capacity);
  for (const field of ['instanceType', 'region', 'zone'] as const) {
    const value: string | undefined = nodeTemplate[field];
    if (value === undefined) faults.push(`nodeTemplate.${field}: Required value`);
    if (value === '') faults.push(invalid(`nodeTemplate.${field}`, value, allowed.text));
  }
  return faults;
}

/** An object as a cluster without our rules may hold it. */
type Loose<T> = { [K in keyof T]?: T[K] | undefined };

function capacityFaults(capacity: Record<string, unknown> | undefined): string[] {
  if (!capacity) return ['nodeTemplate.capacity: Required value'];
  const isWhole = ['cpu', 'gpu', 'memory'].every((key) => capacity[key] !== undefined);
  return isWhole ? [] : [`nodeTemplate.capacity: Invalid value: ${allowed.capacity}`];
}

function countFaults(counts: Record<string, number | undefined>, field: string): string[] {
  return Object.entries(counts).flatMap(([name, count]) =>
    count === undefined || count >= 0 ? [] : [invalid(`${field}.${name}`, count, allowed.count)],
  );
}

function sharedFaults(spec: Loose<MachineSetSpec>): string[] {
  const { replicas, selector, template, minReadySeconds, autoPreserveFailedMachineMax } = spec;
  const faults = countFaults({ minReadySeconds, autoPreserveFailedMachineMax }, 'spec');
  if (replicas !== undefined && replicas < 0) {
    faults.push(invalid('spec.replicas', replicas, allowed.replicas));
  }
  if (!selector) return [...faults, required('spec.selector', allowed.selector)];
  const labels = template?.metadata?.labels ?? {};
  if (Object.entries(selector.matchLabels ?? {}).some(([key, value]) => labels[key] !== value)) {
    faults.push(`spec.selector.matchLabels: Invalid value: ${allowed.matchLabels}`);
  }
  return faults;
}

function templateFaults({ spec }: MachineTemplateSpec): string[] {
  return specFaults(spec, 'spec.template.spec');
}

function specFaults(spec: MachineSpec | undefined, field: string): string[] {
  if (!spec) return [required(field, allowed.spec)];
  return [
    ...classFaults(spec.class, `${field}.class`),
    ...durationFaults(spec, field),
    ...countFaults({ maxEvictRetries: spec.maxEvictRetries }, field),
    ...nodeTemplateFaults(spec, `${field}.nodeTemplate`),
    ...lengthFaults(spec, field),
  ];
}

/** Characters. No cloud has ids as long. */
export const longestProviderID = 1_000;
const longestTexts = { id: longestProviderID, nodeConditions: 10_000 };

/** Texts of a spec that stand in histories, which take 2 MB in all; too long ones are left out. */
export function shortTextsOf(spec: MachineSpec): {
  className: string;
  providerID: string | undefined;
  nodeConditions: string[] | undefined;
} {
  const { nodeConditions: types, providerID } = spec;
  const isTooLong = (types?.length ?? 0) > longestTexts.nodeConditions;
  return {
    className: (spec.class?.name ?? '').slice(0, longestTexts.id),
    providerID: providerID?.slice(0, longestTexts.id),
    nodeConditions: isTooLong ? undefined : types?.split(','),
  };
}

function lengthFaults(spec: MachineSpec, field: string): string[] {
  const { class: ref, providerID = '', nodeConditions = '' } = spec;
  const texts = { class: `${ref?.kind ?? ''}${ref?.name ?? ''}`, providerID, nodeConditions };
  return Object.entries(texts).flatMap(([name, { length }]) => {
    const most = name === 'nodeConditions' ? longestTexts.nodeConditions : longestTexts.id;
    const message = `must have at most ${most} characters`;
    return length > most
      ? [`${field}.${name}: Invalid value: ${length} characters: ${message}`]
      : [];
  });
}

/** A Node takes no more annotations than this, and Temporal no input of 2 MB. */
const longestNodeTemplate = 256 * 1024;

export const isNodeTemplateTooLong = ({ nodeTemplate }: MachineSpec): boolean =>
  JSON.stringify(nodeTemplate ?? {}).length > longestNodeTemplate;

function nodeTemplateFaults(spec: MachineSpec, field: string): string[] {
  if (!isNodeTemplateTooLong(spec)) return [];
  const { length } = JSON.stringify(spec.nodeTemplate);
  const message = `must have at most ${longestNodeTemplate} characters as JSON`;
  return [`${field}: Invalid value: ${length} characters: ${message}`];
}

function classFaults(ref: ClassSpec | undefined, field: string): string[] {
  if (!ref) return [required(field, allowed.class)];
  return [
    ...(ref.kind ? [] : [required(`${field}.kind`, allowed.classKind)]),
    ...(ref.name ? [] : [required(`${field}.name`, allowed.className)]),
  ];
}

const durations = [
  'drainTimeout',
  'healthTimeout',
  'creationTimeout',
  'inPlaceUpdateTimeout',
  'machinePreserveTimeout',
] as const;

function durationFaults(spec: MachineSpec, field: string): string[] {
  return durations.flatMap((name) => {
    const text = spec[name];
    if (text === undefined || parseDuration(text) !== undefined) return [];
    return [invalid(`${field}.${name}`, text, allowed.duration)];
  });
}

function strategyFaults(strategy: MachineDeploymentStrategy | undefined): string[] {
  if (!strategy) return [required('spec.strategy', allowed.strategy)];
  const { type, rollingUpdate, inPlaceUpdate } = strategy;
  return [
    ...typeFaults(type),
    ...blockFaults(rollingUpdate, { name: 'rollingUpdate', isNeeded: type === 'RollingUpdate' }),
    ...blockFaults(inPlaceUpdate, { name: 'inPlaceUpdate', isNeeded: type === 'InPlaceUpdate' }),
  ];
}

function typeFaults(type: string | undefined): string[] {
  if (type === undefined) return [required('spec.strategy.type', allowed.strategyType)];
  if (['RollingUpdate', 'Recreate', 'InPlaceUpdate'].includes(type)) return [];
  return [invalid('spec.strategy.type', type, allowed.strategyType)];
}

interface Block {
  name: 'rollingUpdate' | 'inPlaceUpdate';
  /** The type of the strategy asks for this block: nothing in it may be left out. */
  isNeeded: boolean;
}

function blockFaults(
  block: (RollingUpdateMachineDeployment & InPlaceUpdateMachineDeployment) | undefined,
  { name, isNeeded }: Block,
): string[] {
  const field = `spec.strategy.${name}`;
  if (!block) return isNeeded ? [required(field, allowed[name])] : [];
  const faults = [
    ...amountFaults(block.maxSurge, `${field}.maxSurge`, isNeeded),
    ...amountFaults(block.maxUnavailable, `${field}.maxUnavailable`, isNeeded),
  ];
  if (name === 'rollingUpdate') return faults;
  return [...faults, ...orchestrationFaults(block.orchestrationType, isNeeded)];
}

function amountFaults(
  amount: number | string | undefined,
  field: string,
  isNeeded: boolean,
): string[] {
  if (amount === undefined) return isNeeded ? [required(field, allowed.amount)] : [];
  const isFit = typeof amount === 'number' ? amount >= 0 : /^\+?[0-9]+%$/.test(amount);
  return isFit ? [] : [invalid(field, amount, allowed.amount)];
}

function orchestrationFaults(type: string | undefined, isNeeded: boolean): string[] {
  const field = 'spec.strategy.inPlaceUpdate.orchestrationType';
  if (type === undefined) return isNeeded ? [required(field, allowed.orchestrationType)] : [];
  return ['Auto', 'Manual'].includes(type) ? [] : [invalid(field, type, allowed.orchestrationType)];
}
