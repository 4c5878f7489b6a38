/** When two machine templates make the same machines. */
import { labels } from '../../api/constants.ts';
import type { MachineTemplateSpec } from '../../api/machine-set.ts';
import type { MachineSpec } from '../../api/machine.ts';
import { canonical } from '../../values/names.ts';
import { compareText } from '../machine-set/scale-down.ts';

/**
 * As in MCM v0.62.1: all metadata and, of the spec, the class's name and apiGroup and the
 * providerID. Fields that are pushed down to living machines (nodeTemplate, timeouts, node
 * conditions) and the class's kind do not count, nor does the hash label; a label without a value
 * is as none.
 */
export function isSameTemplate(a: MachineTemplateSpec, b: MachineTemplateSpec): boolean {
  return canonical(identityOf(a)) === canonical(identityOf(b));
}

function identityOf({ metadata, spec }: MachineTemplateSpec): object {
  const { labels: templateLabels = {}, annotations = {}, ...rest } = metadata ?? {};
  const { [labels.templateHash]: _hash, ...kept } = templateLabels;
  // Pairs: an annotation without a value is there, and as a field it would count as absent.
  const notes = Object.entries(annotations).toSorted(([a], [b]) => compareText(a, b));
  return { metadata: { ...rest, labels: kept, annotations: notes }, spec: specIdentityOf(spec) };
}

function specIdentityOf(spec: MachineSpec | undefined): object {
  return {
    className: spec?.class?.name,
    classGroup: spec?.class?.apiGroup,
    providerID: spec?.providerID,
  };
}
