/** Runs all checks of `millwright doctor`, and prints what they found. */
import type { Answer } from '../command-line/answer.ts';
import type { Place } from '../connection/cluster.ts';
import { inTarget } from '../connection/target.ts';
import { classChecks } from './classes.ts';
import { clusterChecks } from './clusters.ts';
import type { DoctorQuestion } from './command.ts';
import type { Finding } from './finding.ts';
import { formatFindings, runAll, skipped } from './finding.ts';
import { objectChecks } from './objects.ts';
import { rightChecks } from './rights.ts';
import { readSight } from './sight.ts';
import type { Sight } from './sight.ts';

export interface DoctorReport {
  namespace: string;
  isHealthy: boolean;
  findings: Finding[];
}

export async function doctor(
  place: Place,
  asked: DoctorQuestion,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Answer<DoctorReport>> {
  const clusters = await runAll(clusterChecks(asked));
  const findings = [
    ...clusters,
    ...(await inTarget(place, asked, async (target) => {
      // Without a control cluster each check would wait for it.
      if (clusters.some(isDown)) return [skipped('all else', 'the control cluster is not reached')];
      const sight = await readSight(place, target, asked);
      return await runIn(sight, asked, env);
    })),
  ];
  return answerOf(place.namespace, findings);
}

function isDown({ check, level }: Finding): boolean {
  return check === 'control cluster' && level !== 'ok';
}

async function runIn(
  sight: Sight,
  asked: DoctorQuestion,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Finding[]> {
  const { temporalChecks } = await import('./temporal.ts');
  const temporal = await temporalChecks(sight, asked, env);
  try {
    return await runAll([
      ...objectChecks(sight),
      ...classChecks(sight),
      ...rightChecks(sight),
      ...temporal.checks,
    ]);
  } finally {
    await temporal.close();
  }
}

/** What could not be checked is no reason to say that all is well. */
export function answerOf(namespace: string, findings: Finding[]): Answer<DoctorReport> {
  const errors = findings.filter(({ level }) => level === 'error').length;
  const warnings = findings.filter(({ level }) => level === 'warning').length;
  const open = findings.filter(({ level }) => level === 'skipped').length;
  const isHealthy = errors === 0;
  const verdict = open === 0 ? 'Millwright can work' : 'Nothing keeps Millwright from work';
  const unknown = open === 0 ? '' : `; not found out: ${open}`;
  const end = isHealthy
    ? `${verdict} in namespace ${namespace}; warnings: ${warnings}${unknown}.`
    : `Millwright cannot work in namespace ${namespace}; errors: ${errors}, warnings: ${warnings}${unknown}.`;
  return {
    text: `${formatFindings(findings)}\n${end}`,
    data: { namespace, isHealthy, findings },
    exitCode: isHealthy ? 0 : 1,
  };
}
