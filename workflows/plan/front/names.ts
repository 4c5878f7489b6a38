/** Names of what is made for a MachineDeployment of theirs. */
import type { KubermaticMachineTemplate } from '../../api/kubermatic.ts';
import { kubermaticLabels } from '../../api/kubermatic-names.ts';
import { longestLabelValue } from '../../api/validation.ts';
import { canonical, safeEncode, templateHash } from '../../values/names.ts';

const longestName = 253;

/** Value of the label `front.pool`: the name, or of a long one the beginning and a hash. */
export function poolLabel(deployment: string): string {
  if (deployment.length <= longestLabelValue) return deployment;
  const hash = safeEncode(templateHash(deployment));
  return `${beginningOf(deployment, longestLabelValue - hash.length - 1)}-${hash}`;
}

/** Name of class, Secret and ConfigMap of a template. */
export function templateName(deployment: string, hash: string): string {
  return `${beginningOf(deployment, longestName - hash.length - 1)}-${hash}`;
}

function beginningOf(text: string, length: number): string {
  return text.slice(0, length).replace(/[^a-z0-9]+$/, '');
}

export interface NamedTemplate {
  name: string;
  written: KubermaticMachineTemplate;
}

/** That of an equal template among `known`; else a new one that none of them has. */
export function nameOfTemplate(
  deployment: string,
  written: KubermaticMachineTemplate,
  known: readonly NamedTemplate[],
): string {
  const same = known.find((one) => isSameTemplate(one.written, written));
  if (same) return same.name;
  for (let collisions = 0; ; collisions += 1) {
    const hash = safeEncode(templateHash(withoutHash(written), collisions));
    const name = templateName(deployment, hash);
    if (!known.some((one) => one.name === name)) return name;
  }
}

export function isSameTemplate(a: KubermaticMachineTemplate, b: KubermaticMachineTemplate) {
  return canonical(withoutHash(a)) === canonical(withoutHash(b));
}

/** As in the MachineDeployment: the label is that of one set. */
export function withoutHash(template: KubermaticMachineTemplate): KubermaticMachineTemplate {
  const { [kubermaticLabels.templateHash]: _hash, ...labels } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
}
