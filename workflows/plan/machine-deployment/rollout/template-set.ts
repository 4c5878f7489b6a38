/** Which set is the one of the deployment's template. */
import { annotations, options } from '../../../api/constants.ts';
import type { MachineDeployment } from '../../../api/machine-deployment.ts';
import type { MachineSet, MachineTemplateSpec } from '../../../api/machine-set.ts';
import { defined } from '../../../values/defined.ts';
import { compareText } from '../../machine-set/scale-down.ts';
import { isSameTemplate } from '../template-equality.ts';
import { revisionOf } from './revisions.ts';

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

/** Of the sets of a deployment, oldest first. */
export function newSetAmong(
  { metadata, spec }: MachineDeployment,
  sets: readonly MachineSet[],
): MachineSet | undefined {
  const restart = metadata.annotations?.[options.restart];
  const wanted = defined({ template: spec.template, restart });
  // A set that is being deleted is the last choice: another may be made beside it.
  const staying = sets.filter((set) => set.metadata.deletionTimestamp === undefined);
  return setAmong(wanted, staying) ?? setAmong(wanted, sets);
}

function setAmong(
  wanted: { template: MachineTemplateSpec; restart?: string },
  sets: readonly MachineSet[],
): MachineSet | undefined {
  const chosen = setOfTemplate(
    wanted,
    sets.map(({ metadata, spec: { template = {} } }) =>
      defined({
        name: metadata.name,
        template,
        revision: revisionOf(metadata.annotations?.[annotations.revision]),
        restart: metadata.annotations?.[options.restart],
      }),
    ),
  );
  return sets.find(({ metadata }) => metadata.name === chosen?.name);
}

/** Sorts the oldest first; of one second there may be several. */
export function byAge({ metadata: a }: MachineSet, { metadata: b }: MachineSet): number {
  return compareText(a.creationTimestamp, b.creationTimestamp) || compareText(a.name, b.name);
}

/** It has some, or is to have some. */
export function hasMachines({ spec, status }: MachineSet): boolean {
  return (spec.replicas ?? 0) > 0 || (status?.replicas ?? 0) > 0;
}
