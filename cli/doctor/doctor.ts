/** Runs all checks of `millwright doctor`, and prints what they found. */
import type { Environment } from '../../workers/config/temporal.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { inTarget } from '../connection/target.ts';
import { classChecks } from './classes.ts';
import { clusterChecks } from './clusters.ts';
import type { ClusterOptions, OutputOptions, TemporalOptions } from '../command-line/options.ts';
import type { TargetOptions } from '../connection/target.ts';
import type { DoctorResult } from './check.ts';
import { runAll, skipped } from './check.ts';
import { formatResult } from '../command-line/check-result.ts';
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

interface DoctorReport {
  namespace: string;
  isHealthy: boolean;
  findings: { check: string; level: DoctorResult['state']; text: string; repair?: string }[];
}

export async function doctor(
  scope: ClusterScope,
  options: DoctorOptions,
  env: Environment = process.env,
): Promise<Answer<DoctorReport>> {
  const clusters = await runAll(clusterChecks(options));
  const results = [
    ...clusters,
    ...(await inTarget(scope, options, async (target) => {
      // Without a control cluster each check would wait for it.
      if (clusters.some(({ what, state }) => what === 'control cluster' && state !== 'ok')) {
        return [skipped('all else', 'the control cluster is not reached')];
      }
      const observed = await observe(scope, target, options);
      return await runIn(observed, options, env);
    })),
  ];
  return answerOf(scope.namespace, results);
}

async function runIn(
  observed: Observed,
  options: DoctorOptions,
  env: Environment,
): Promise<DoctorResult[]> {
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
export function answerOf(namespace: string, results: DoctorResult[]): Answer<DoctorReport> {
  const count = (wanted: DoctorResult['state']): number =>
    results.filter(({ state }) => state === wanted).length;
  const errors = count('error');
  const open = count('skipped');
  const isHealthy = errors === 0;
  const verdict = open === 0 ? 'Millwright can work' : 'Nothing keeps Millwright from work';
  const counts = `warnings: ${count('warning')}${open === 0 ? '' : `; not found out: ${open}`}`;
  const end = isHealthy
    ? `${verdict} in namespace ${namespace}; ${counts}.`
    : `Millwright cannot work in namespace ${namespace}; errors: ${errors}, ${counts}.`;
  const width = Math.max(...results.map(({ what }) => what.length)) + 2;
  const findings = results.map(({ what: check, state: level, ...rest }) => ({
    check,
    level,
    ...rest,
  }));
  return {
    text: [...results.map((result) => formatResult(result, width)), end].join('\n'),
    data: { namespace, isHealthy, findings },
    exitCode: isHealthy ? 0 : 1,
  };
}
