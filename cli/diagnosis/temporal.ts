/** Temporal: whether it answers, whether workers poll, and whether their code goes on. */
import { lineFor } from '../../workers/temporal/current-version.ts';
import { isSameVersion, polls } from '../../workers/temporal/queue-versions.ts';
import type { WorkerVersion } from '../../workers/temporal/worker-version.ts';
import type { Finding } from './finding.ts';
import type {
  Fleet,
  LeaseFact,
  ReleaseFacts,
  TemporalFacts,
  TroubledRuns,
} from '../install/install.ts';

export function temporalFindings(fleet: Fleet): Finding[] {
  const { temporal } = fleet;
  if (!temporal) return [];
  const { address, failure, release } = temporal;
  if (failure !== undefined) {
    if (isOutOfSight(fleet)) return [];
    const object = { kind: 'temporal', name: address };
    const cause = `Temporal at ${address} does not answer: ${failure}`;
    const command = `temporal operator cluster health --address ${address}`;
    return [{ trouble: 'temporal-down', object, cause, commands: [command] }];
  }
  return [
    ...queueFindings(temporal),
    ...(release ? releaseFindings({ release, temporal, fleet }) : []),
  ];
}

/**
 * That this command gets no answer says nothing of the install: it is refused, or the watcher gets
 * one at the same address.
 */
export function isOutOfSight({ temporal, leases = [] }: Fleet): boolean {
  if (temporal?.failure === undefined) return false;
  if (temporal.isRefused === true) return true;
  return temporal.isOfWatcher === true && leases.some(seesTemporal);
}

export const seesTemporal = (lease: LeaseFact): boolean => sees(lease, 'temporal');
export const seesWorker = (lease: LeaseFact): boolean => sees(lease, 'worker');

/** A watcher that leads notes on its Lease what it has not seen for a while. */
function sees({ holder, pauses }: LeaseFact, what: 'temporal' | 'worker'): boolean {
  const isAway = pauses.some(({ reason, until }) => reason === what && until === undefined);
  return holder !== undefined && !isAway;
}

function placeFlags({ address, namespace }: TemporalFacts): string {
  return `--address ${address} --namespace ${namespace}`;
}

function queueFindings(temporal: TemporalFacts): Finding[] {
  const unserved = Object.entries(temporal.pollers ?? {}).filter(([, count]) => count === 0);
  return unserved.map(([queue]) => ({
    trouble: 'worker-down',
    object: { kind: 'queue', name: queue },
    cause: 'no worker polls this task queue',
    commands: [`temporal task-queue describe ${placeFlags(temporal)} --task-queue ${queue}`],
  }));
}

interface Sight {
  release: ReleaseFacts;
  temporal: TemporalFacts;
  fleet: Fleet;
}

function releaseFindings(sight: Sight): Finding[] {
  const { begunAnew, failing } = sight.release;
  return [
    ...versionFindings(sight),
    ...runsFindings(sight, failing, 'workflows that stand still because their tasks fail'),
    ...runsFindings(sight, begunAnew, 'runs that failed within the hour and began anew'),
  ];
}

/** That no worker polls at all is the finding of `queueFindings`. */
function versionFindings(sight: Sight): Finding[] {
  const { queue, current, polling } = sight.release;
  if (polling.length === 0 || polls(current, sight.release)) return [];
  const idle = [...new Set(polling.map(nameOf))].join(', ');
  return [
    {
      trouble: 'bad-release',
      object: { kind: 'queue', name: queue },
      cause: `all work goes to ${nameOf(current)}, but none of them polls; ${idle} get no work`,
      commands: wayBack(sight),
    },
  ];
}

function nameOf(version: WorkerVersion | undefined): string {
  if (!version) return 'workers without a version';
  return `workers of version ${version.buildId} of ${version.deploymentName}`;
}

function runsFindings(sight: Sight, runs: TroubledRuns | undefined, which: string): Finding[] {
  if (!runs) return [];
  const { count, since, workflowId, words } = runs;
  const show = `temporal workflow show ${placeFlags(sight.temporal)} --workflow-id ${workflowId}`;
  return [
    {
      trouble: 'bad-release',
      object: { kind: 'queue', name: sight.release.queue },
      cause: `${which}: ${count}, such as ${workflowId}: ${words.replaceAll(/\s+/g, ' ')}`,
      since,
      commands: [show, ...wayBack(sight)],
    },
  ];
}

function wayBack({ release, temporal, fleet }: Sight): string[] {
  const { current } = release;
  const describe = `temporal worker deployment describe ${placeFlags(temporal)} --name`;
  const others = othersOf(release).map((other) => lineFor(other, temporal.namespace));
  const helm = `--namespace ${fleet.processes[0]?.namespace ?? fleet.namespace ?? 'default'}`;
  return [
    ...(current ? [`${describe} ${current.deploymentName}`] : []),
    ...(others.length > 0
      ? ['# gives all work to other workers that poll: those of the release before', ...others]
      : ['# back to the release before', `helm rollback millwright ${helm}`]),
  ];
}

/** Other versions than the current one, whose workers are there, each once. */
function othersOf({ current, polling }: ReleaseFacts): WorkerVersion[] {
  const unversioned = current && { ...current, buildId: 'unversioned' };
  const others = polling.flatMap((one) =>
    isSameVersion(one, current) ? [] : (one ?? unversioned ?? []),
  );
  return others.filter(
    (one, index) => others.findIndex((known) => isSameVersion(known, one)) === index,
  );
}
