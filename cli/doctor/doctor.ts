/** Runs all checks of `millwright doctor`, and prints what they found. */
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { inTarget } from '../connection/target.ts';
import { classChecks } from './classes.ts';
import { clusterChecks } from './clusters.ts';
import type { ClusterOptions, OutputOptions, TemporalOptions } from '../command-line/options.ts';
import type { TargetOptions } from '../connection/target.ts';
import type { Finding } from './finding.ts';
import { formatFindings, runAll, skipped } from './finding.ts';
import { objectChecks } from './objects.ts';
import { rightChecks } from './rights.ts';
import { observe } from './observed.ts';
import type { Observed } from './observed.ts';

export interface DoctorOptions
  extends ClusterOptions, OutputOptions, TargetOptions, TemporalOptions {
  /** Of the Deployments. Undefined: that of the machines. */
  releaseNamespace?: string | undefined;
  /** `--install` of the watcher. Undefined: as its Deployment says, else the namespace. */
  install?: string | undefined;
}

export interface DoctorReport {
  namespace: string;
  isHealthy: boolean;
  findings: Finding[];
}

export async function doctor(
  scope: ClusterScope,
  options: DoctorOptions,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Answer<DoctorReport>> {
  const clusters = await runAll(clusterChecks(options));
  const findings = [
    ...clusters,
    ...(await inTarget(scope, options, async (target) => {
      // Without a control cluster each check would wait for it.
      if (clusters.some(isDown)) return [skipped('all else', 'the control cluster is not reached')];
      const observed = await observe(scope, target, options);
      return await runIn(observed, options, env);
    })),
  ];
  return answerOf(scope.namespace, findings);
}

function isDown({ check, level }: Finding): boolean {
  return check === 'control cluster' && level !== 'ok';
}

async function runIn(
  observed: Observed,
  options: DoctorOptions,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Finding[]> {
  const { temporalChecks } = await import('./temporal.ts');
  const temporal = await temporalChecks(observed, options, env);
  try {
    return await runAll([
      ...objectChecks(observed),
      ...classChecks(observed),
      ...rightChecks(observed),
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
