/** Our MachineDeployment, from theirs. */
import { annotations, apiVersion, labels, options } from '../../api/constants.ts';
import type { KubermaticMachineDeployment } from '../../api/kubermatic.ts';
import { front } from '../../api/kubermatic-names.ts';
import type { MachineDeployment, MachineDeploymentSpec } from '../../api/machine-deployment.ts';
import type { MachineSet, MachineTemplateSpec } from '../../api/machine-set.ts';
import { defined } from '../../values/defined.ts';
import { mergePatchOf } from '../../values/merge-patch.ts';
import { classNameOf, mirroredDeployment, type PoolFacts } from './facts.ts';
import { patchUnlessSame, type Write } from './writes.ts';

/**
 * Options of people. A rollback by the core writes our object, where the front would put back what
 * theirs says, for ever.
 */
const flowingDown: readonly string[] = [
  ...Object.values(options).filter(
    (name) =>
      name !== options.autoRollback &&
      name !== options.canarySince &&
      name !== options.rolledBackFrom,
  ),
  annotations.scaleFromZero,
];

/** Sentences about options that cannot be followed here. */
export function ignoredOptions({ metadata }: KubermaticMachineDeployment): string[] {
  if (metadata.annotations?.[options.autoRollback] === undefined) return [];
  return [
    `${options.autoRollback}: without effect here: set ${front.rollbackTo} to go back to a revision`,
  ];
}

/** Undefined where there is no template to make machines of, now or before. */
export function templateFor(facts: PoolFacts): MachineTemplateSpec | undefined {
  const set = facts.ours.sets.find((one) => classNameOf(one) === facts.current);
  if (set) return templateOfSet(set);
  return (
    facts.templates.get(facts.current)?.made?.template ?? mirroredDeployment(facts)?.spec.template
  );
}

/** Translated once: the set's goes before what this version would make of theirs. */
function templateOfSet({ spec }: MachineSet): MachineTemplateSpec {
  const { metadata, ...template } = spec.template ?? {};
  const { [labels.templateHash]: _hash, ...kept } = metadata?.labels ?? {};
  return { ...template, metadata: { ...metadata, labels: kept } };
}

export function deploymentWrites(facts: PoolFacts): Write[] {
  const { deployment } = facts.theirs;
  const { name, namespace, uid } = deployment.metadata;
  const template = templateFor(facts);
  if (!template) return [];
  const spec = specOf(deployment, template);
  const present = mirroredDeployment(facts);
  const notes = optionsOf(deployment);
  if (!present) {
    const metadata = defined({ name, namespace, annotations: { ...notes, [front.mirrorOf]: uid } });
    const body = { apiVersion, kind: 'MachineDeployment', metadata, spec };
    return [{ verb: 'create', kind: 'deployment', name, body }];
  }
  const noted = { ...withoutOptions(present), ...notes };
  return patchUnlessSame('deployment', present, {
    metadata: defined({ annotations: mergePatchOf(present.metadata.annotations, noted) }),
    spec: mergePatchOf(present.spec, spec),
  });
}

function optionsOf({ metadata }: KubermaticMachineDeployment): Record<string, string> {
  const notes = Object.entries(metadata.annotations ?? {});
  return Object.fromEntries(notes.filter(([key]) => flowingDown.includes(key)));
}

function withoutOptions({ metadata }: MachineDeployment): Record<string, string> {
  const notes = Object.entries(metadata.annotations ?? {});
  return Object.fromEntries(notes.filter(([key]) => !flowingDown.includes(key)));
}

/** With the defaults of machine-controller; absent and zero are the same to the core. */
function specOf(
  { spec }: KubermaticMachineDeployment,
  template: MachineTemplateSpec,
): MachineDeploymentSpec {
  const { maxSurge = 1, maxUnavailable = 0 } = spec.strategy?.rollingUpdate ?? {};
  return defined({
    replicas: spec.replicas ?? 1,
    selector: spec.selector,
    strategy: { type: 'RollingUpdate' as const, rollingUpdate: { maxSurge, maxUnavailable } },
    minReadySeconds: spec.minReadySeconds || undefined,
    revisionHistoryLimit: spec.revisionHistoryLimit ?? 1,
    paused: spec.paused || undefined,
    progressDeadlineSeconds: spec.progressDeadlineSeconds ?? 600,
    template,
  });
}
