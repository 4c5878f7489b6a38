/** Whether those that wait for a class hear that it is put right (docs/compatibility.md). */
import { credentialsRefused } from '../../../cloud/refusals.ts';
import type { Install } from '../../../world/world.ts';
import type { Evidence } from '../../evidence.ts';
import type { JudgedObject } from '../../objects.ts';
import type { Life } from '../../past/lives.ts';
import { openWorkflows } from '../workflows.ts';
import { canAskCloud, isTornDown, isUsable } from './deletion.ts';
import { silentMachines } from './machines.ts';
import type { Overdue, Passing } from './passing.ts';
import { minuteMs } from './passing.ts';

export const mendedStates: readonly Passing[] = [
  {
    rule: 'a mended class is heard of at once',
    patienceMs: 1.5 * minuteMs,
    find: notTriedAgain,
  },
];

/** Deletions that failed while the class could not be used, and have not been tried since. */
function notTriedAgain(evidence: Evidence, install: Install): Overdue[] {
  const { classes } = evidence.controlOf(install);
  const workflows = openWorkflows(evidence.world.temporal.engine);
  return silentMachines(evidence, install, (machine) => {
    const { metadata, spec } = machine;
    const { namespace } = install;
    const used = classes.named(namespace, spec?.class?.name ?? '');
    const workflow = workflows.get(`machine/${namespace}/${metadata.name}`);
    if (!used || !isTornDown(evidence, machine) || workflow?.hasActivity !== false)
      return undefined;
    if (!canAskCloud(evidence, install, machine) || !hasFailedBefore(machine, used, install))
      return undefined;
    return `although MachineClass ${used.last.metadata.name} was put right`;
  });
}

/** A process whose clock is behind writes an earlier time. */
const clocksDifferMs = 30_000;

/**
 * Its last failure is of the time in which the class could not be used. What the cloud says of the
 * credentials may have been said before that time and after it: the same words are written once.
 */
function hasFailedBefore({ status }: JudgedObject, { states }: Life, install: Install): boolean {
  const { state, description = '', lastUpdateTime = '' } = status?.lastOperation ?? {};
  const isOfCloud = credentialsRefused.some(({ message }) => description.includes(message));
  if (state !== 'Failed' || isOfCloud) return false;
  const failedAt = Date.parse(lastUpdateTime);
  const isWrong = (one: JudgedObject | undefined): boolean =>
    one !== undefined && !isUsable(one, install);
  const possible = [failedAt, failedAt + clocksDifferMs];
  return possible.every((moment) => isWrong(states.at(moment))) && !isWrong(states.now);
}
