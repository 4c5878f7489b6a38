/** One run of the live suite: plan, checks, sweep. */
import { randomBytes } from 'node:crypto';
import type { Verdict } from '../../cli/driver/conformance/report.ts';
import { lineOf } from '../../cli/driver/conformance/report.ts';
import type { Driver, ListRequest } from '../../activities/drivers/driver.ts';
import { namespace } from '../support/builders.ts';
import { findingsOf } from '../support/in-process-kit.ts';
import type { LiveLimits, LiveOptions } from './arguments.ts';
import { limitedDriver } from './limited-driver.ts';
import type { Manifests } from './manifests.ts';
import { faultsOfPlan, planInWords } from './plan.ts';
import { leftBy, sweep } from './sweep.ts';

export interface LiveRun extends Manifests {
  driver: Driver;
  options: Pick<LiveOptions, 'provider' | 'mode' | 'owner'> & { limits: LiveLimits };
  /** Aborted: by Ctrl-C. What was made is deleted all the same. */
  signal: AbortSignal;
  print(line: string): void;
  sleep(seconds: number): Promise<void>;
}

/** Whether all is well, and nothing is left. */
export async function runLive(live: LiveRun): Promise<boolean> {
  const { driver, options, providerSpec, print } = live;
  const faults = [...driver.validate(providerSpec), ...faultsOfPlan(options.limits)];
  for (const fault of faults) print(fault);
  if (faults.length > 0) return false;
  await driver.prepare?.();
  if (options.mode === 'sweep') return await sweepOf(live);
  for (const line of planInWords(options)) print(line);
  const earlier = await leftBy({ ...live, request: listRequestOf(live) });
  if (earlier.length > 0) print(`Earlier runs have left: ${earlier.join(', ')}; use --sweep`);
  return options.mode === 'plan' ? true : await checked(live);
}

/** Never that of a control cluster: no worker takes these instances for its own. */
function listRequestOf({ options, providerSpec, secret }: LiveRun): ListRequest {
  const { signal } = new AbortController();
  const cluster = `millwright-live-${options.owner}`;
  return { cluster, namespace, providerSpec, secret, signal };
}

async function checked(live: LiveRun): Promise<boolean> {
  const run = `live-${randomBytes(3).toString('hex')}`;
  live.print(`Machines of this run are called ${run}-...`);
  try {
    const findings = await findingsIn(live, run);
    const failed = findings.filter(({ result }) => result === 'failed').length;
    live.print(`${findings.length} checks, ${failed} failed`);
    return (await sweepOf(live, `${run}-`)) && failed === 0 && !live.signal.aborted;
  } catch (error) {
    live.print(error instanceof Error ? error.message : String(error));
    await sweepOf(live, `${run}-`);
    return false;
  }
}

async function findingsIn(live: LiveRun, run: string): Promise<Verdict[]> {
  const { options, providerSpec, secret, print, sleep } = live;
  const { maxInstances, maxMinutes } = options.limits;
  const signal = AbortSignal.any([live.signal, AbortSignal.timeout(maxMinutes * 60_000)]);
  const limits = { maxInstances, signal, sleep, longestWaitSeconds: 900 };
  const driver = limitedDriver(live.driver, limits);
  const subject = { driver, provider: options.provider, providerSpec, secret };
  const { cluster } = listRequestOf(live);
  const onFinding = (finding: Verdict): void => print(lineOf(finding));
  return await findingsOf(subject, { run, cluster, signal, onFinding });
}

async function sweepOf(live: LiveRun, prefix = ''): Promise<boolean> {
  const { driver, print, sleep } = live;
  const left = await sweep({ driver, print, sleep, prefix, request: listRequestOf(live) });
  print(
    left.length === 0 ? 'Nothing is left.' : `Left: ${left.join(', ')}; run with --sweep again`,
  );
  return left.length === 0;
}
