/** Machines that are as they may not stay. */
import type { Install } from '../../../world/world.ts';
import type { Evidence } from '../../evidence.ts';
import { phaseOf } from '../../objects.ts';
import type { JudgedObject } from '../../objects.ts';
import type { Overdue } from './passing.ts';
import { areNodesRefused, isMachineRefused, isRefused } from './refusals.ts';

/** What is wrong with it; undefined: nothing. */
export type Fault = (machine: JudgedObject) => string | undefined;

/** Those to which, and to whose Nodes, our processes may write at the moment. */
export function faultyMachines(evidence: Evidence, install: Install, faultOf: Fault): Overdue[] {
  return areNodesRefused(evidence, install) ? [] : silentMachines(evidence, install, faultOf);
}

/** Those to which our processes may write, also while no Node can be written. */
export function silentMachines(evidence: Evidence, install: Install, faultOf: Fault): Overdue[] {
  if (isRefused(evidence, install, ['PATCH', 'machines'])) return [];
  const isLocked = isMachineRefused(evidence, install, 'PATCH');
  return evidence
    .controlOf(install)
    .machines.present()
    .filter(({ last }) => last.metadata.namespace === install.namespace && !isLocked(last))
    .flatMap(({ uid, last }) => {
      const fault = faultOf(last);
      if (fault === undefined) return [];
      const text = `Machine ${last.metadata.name} is "${phaseOf(last)}", ${fault}`;
      return [{ subject: uid, text }];
    });
}

/** Of two that name an instance, neither may be right. */
export function isAlone(evidence: Evidence, install: Install, { spec }: JudgedObject): boolean {
  return Array.from(evidence.controlOf(install).naming(spec?.providerID ?? '')).length === 1;
}

/** The Node that it names, if that is the one of its instance. */
export function nodeOf(
  evidence: Evidence,
  install: Install,
  { metadata, spec }: JudgedObject,
): JudgedObject | undefined {
  const name = metadata.labels?.['node'];
  if (name === undefined || spec?.providerID === undefined) return undefined;
  const node = evidence.targetOf(install).nodes.named('', name)?.object;
  return node?.spec?.providerID === spec.providerID ? node : undefined;
}
