import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { customResource } from '../../kube/client/paths.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { workflowIdOf } from '../../workflows/contracts/workflow-ids.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { readEvents } from '../explain/events.ts';
import { readInstallFlags } from '../install/read.ts';
import { TolerantReads } from '../install/tolerant.ts';
import {
  clusterIdOf,
  isTemporalKnown,
  OtherClusterError,
  temporalOptionsOf,
} from '../connection/temporal-options.ts';
import { isUnicode, oneLine, screenWidth } from '../terminal/screen.ts';
import { ownPalette } from '../terminal/style.ts';
import { formatChart, titleOf } from './chart.ts';
import type { ObjectReference } from '../command-line/object-reference.ts';
import type { ClusterOptions, OutputOptions, TemporalOptions } from '../command-line/options.ts';
import { lifeOfObjects } from './from-objects.ts';
import type { Lifecycle } from './step.ts';

export interface TimelineOptions extends ClusterOptions, TemporalOptions, OutputOptions {
  object: ObjectReference;
  releaseNamespace?: string | undefined;
  /** Undefined: as the flags of the watcher say. */
  clusterName?: string | undefined;
}

export async function timeline(scope: ClusterScope, options: TimelineOptions): Promise<Answer> {
  const { name } = options.object;
  const { lifecycle, notes } = await lifecycleOf(scope, options);
  if (!lifecycle) {
    const message = `Nothing is known of machine/${name} in namespace ${scope.namespace}.`;
    throw new Error([message, ...notes].join('\n'));
  }
  return timelineAnswer(name, { ...lifecycle, notes: [...lifecycle.notes, ...notes] });
}

/** @param now Milliseconds. */
export function timelineAnswer(name: string, lifecycle: Lifecycle, now = Date.now()): Answer {
  const view = {
    now,
    width: screenWidth() ?? 120,
    palette: ownPalette(),
    hasBlocks: isUnicode(process.env),
  };
  const failures = lifecycle.steps.flatMap(({ name: step, failure }) =>
    failure === undefined ? [] : [`${step} failed last with: ${oneLine(failure)}`],
  );
  const sections = [
    titleOf(name, lifecycle, now),
    formatChart(lifecycle, view),
    failures.join('\n'),
    lifecycle.notes.map(oneLine).join('\n'),
  ];
  return {
    text: sections.filter((text) => text !== '').join('\n\n'),
    data: lifeData(name, lifecycle),
    names: [`machine/${name}`],
  };
}

function lifeData(name: string, { from, until, steps, ...lifecycle }: Lifecycle): object {
  return {
    machine: name,
    ...lifecycle,
    from: new Date(from).toISOString(),
    ...(until !== undefined && { until: new Date(until).toISOString() }),
    steps: steps.map(({ start, end, ...step }) => ({
      ...step,
      start: new Date(start).toISOString(),
      ...(end !== undefined && { end: new Date(end).toISOString(), milliseconds: end - start }),
    })),
  };
}

interface LifecycleRead {
  lifecycle: Lifecycle | undefined;
  notes: string[];
}

async function lifecycleOf(scope: ClusterScope, options: TimelineOptions): Promise<LifecycleRead> {
  const flags = await readInstallFlags(scope, options);
  const temporal = temporalOptionsOf(options, flags, process.env);
  if (!isTemporalKnown(temporal, process.env)) {
    return await fromObjects(
      scope,
      options,
      'Temporal was not asked: --temporal-address says where it is.',
    );
  }
  const { lifeInTemporal } = await import('./from-temporal.ts');
  const clusterName = options.clusterName ?? (flags.clusterName || undefined);
  const ref = { namespace: scope.namespace, name: options.object.name };
  try {
    const workflowId = workflowIdOf('machine', ref, clusterName);
    const cluster = await clusterIdOf(scope.kube, flags);
    const lifecycle = await lifeInTemporal(workflowId, temporal, cluster);
    if (lifecycle) return { lifecycle, notes: [] };
    return await fromObjects(scope, options, 'Temporal knows no workflow of it, or no more.');
  } catch (error) {
    const why = error instanceof OtherClusterError ? error.message : undefined;
    return await fromObjects(scope, options, why ?? `Temporal does not answer: ${reasonOf(error)}`);
  }
}

async function fromObjects(
  scope: ClusterScope,
  options: TimelineOptions,
  why: string,
): Promise<LifecycleRead> {
  const { kube, namespace } = scope;
  const { name } = options.object;
  const reads = new TolerantReads();
  const [machine, events] = await Promise.all([
    ignoreNotFound(kube.get<Machine>(customResource('machines', namespace, name))),
    reads.read('Events', readEvents(kube, { kind: 'machine', namespace, name })),
  ]);
  return {
    lifecycle: lifeOfObjects(machine, events ?? []),
    notes: [why, ...reads.unread.map((what) => `Not readable with your rights: ${what}.`)],
  };
}
