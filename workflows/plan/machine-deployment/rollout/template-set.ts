/** Which set is the one of the deployment's template. */
import type { MachineTemplateSpec } from '../../../api/machine-set.ts';
import { isSameTemplate } from '../template-equality.ts';

export interface Candidate {
  name: string;
  template: MachineTemplateSpec;
  revision: number;
  /** Annotation `millwright.dev/restart` of the set. */
  restart?: string;
}

/**
 * The set with the deployment's template and restart mark. If there are several, the one with the
 * highest revision, then the first: after a restart the earlier set has the same template. MCM
 * v0.62.1, which has no restart, takes the oldest.
 */
export function setOfTemplate(
  wanted: { template: MachineTemplateSpec; restart?: string },
  oldestFirst: readonly Candidate[],
): Candidate | undefined {
  const fitting = oldestFirst.filter(
    ({ template, restart }) =>
      (wanted.restart === undefined || restart === wanted.restart) &&
      isSameTemplate(wanted.template, template),
  );
  return fitting.toSorted((a, b) => b.revision - a.revision)[0];
}
