/** Temporal: whether it answers, whether workers poll, and whether their code goes on. */
import { lineFor } from '../../workers/temporal/current-version.ts';
import { isSameVersion, polls } from '../../workers/temporal/queue-status.ts';
import type { WorkerVersion } from '../../workers/temporal/worker-version.ts';
import type { Finding } from './finding.ts';
import type { Install, ReleaseFacts, TemporalFacts, TroubledRuns } from '../install/install.ts';
import { isUnreachableFromHere } from '../install/install.ts';

export function temporalFindings(install: Install): Finding[] {
  const { temporal } = install;
  if (!temporal) return [];
  const { address, failure, release } = temporal;
  if (failure !== undefined) {
    if (isUnreachableFromHere(install)) return [];
    const object = { kind: 'temporal', name: address };
    const cause = `Temporal at ${address} does not answer: ${failure}`;
    const command = `temporal operator cluster health --address ${address}`;
    return [{ trouble: 'temporal-down', object, cause, commands: [command] }];
  }
  return [
    ...queueFindings(temporal),
    ...(release ? releaseFindings({ release, temporal, install }) : []),
  ];
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

interface ObservedRelease {
  release: ReleaseFacts;
  temporal: TemporalFacts;
  install: Install;
}

function releaseFindings(observed: ObservedRelease): Finding[] {
  const { begunAnew, failing } = observed.release;
  return [
    ...versionFindings(observed),
    ...runsFindings(observed, failing, 'workflows that stand still because their tasks fail'),
    ...runsFindings(observed, begunAnew, 'runs that failed within the hour and began anew'),
  ];
}

/** That no worker polls at all is the finding of `queueFindings`. */
function versionFindings(observed: ObservedRelease): Finding[] {
  const { queue, current, polling } = observed.release;
  if (polling.length === 0 || polls(current, observed.release)) return [];
  const idle = [...new Set(polling.map(nameOf))].join(', ');
  return [
    {
      trouble: 'bad-release',
      object: { kind: 'queue', name: queue },
      cause: `all work goes to ${nameOf(current)}, but none of them polls; ${idle} get no work`,
      commands: wayBack(observed),
    },
  ];
}

function nameOf(version: WorkerVersion | undefined): string {
  if (!version) return 'workers without a version';
  return `workers of version ${version.buildId} of ${version.deploymentName}`;
}

function runsFindings(
  observed: ObservedRelease,
  runs: TroubledRuns | undefined,
  which: string,
): Finding[] {
  if (!runs) return [];
  const { count, since, workflowId, words } = runs;
  const show = `temporal workflow show ${placeFlags(observed.temporal)} --workflow-id ${workflowId}`;
  return [
    {
      trouble: 'bad-release',
      object: { kind: 'queue', name: observed.release.queue },
      cause: `${which}: ${count}, such as ${workflowId}: ${words.replaceAll(/\s+/g, ' ')}`,
      since,
      commands: [show, ...wayBack(observed)],
    },
  ];
}

function wayBack({ release, temporal, install }: ObservedRelease): string[] {
  const { current } = release;
  const describe = `temporal worker deployment describe ${placeFlags(temporal)} --name`;
  const others = othersOf(release).map((other) => lineFor(other, temporal.namespace));
  const helm = `--namespace ${install.processes[0]?.namespace ?? install.namespace ?? 'default'}`;
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
