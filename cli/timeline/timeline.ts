import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { customResource } from '../../kube/client/paths.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { workflowIdOf } from '../../workflows/contracts/workflow-ids.ts';
import type { Answer } from '../command-line/answer.ts';
import type { Place } from '../connection/cluster.ts';
import { readEvents } from '../explain/events.ts';
import { readInstall } from '../install/read.ts';
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
import type { TimelineQuestion } from './command.ts';
import { lifeOfObjects } from './from-objects.ts';
import type { Lifecycle } from './step.ts';

export async function timeline(place: Place, asked: TimelineQuestion): Promise<Answer> {
  const { name } = asked.object;
  const { lifecycle, notes } = await lifecycleOf(place, asked);
  if (!lifecycle) {
    const words = `Nothing is known of machine/${name} in namespace ${place.namespace}.`;
    throw new Error([words, ...notes].join('\n'));
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

interface Found {
  lifecycle: Lifecycle | undefined;
  notes: string[];
}

async function lifecycleOf(place: Place, asked: TimelineQuestion): Promise<Found> {
  const install = await readInstall(place, asked);
  const options = temporalOptionsOf(asked, install, process.env);
  if (!isTemporalKnown(options, process.env)) {
    return await fromObjects(
      place,
      asked,
      'Temporal was not asked: --temporal-address says where it is.',
    );
  }
  const { lifeInTemporal } = await import('./from-temporal.ts');
  const clusterName = asked.clusterName ?? (install.clusterName || undefined);
  const ref = { namespace: place.namespace, name: asked.object.name };
  try {
    const workflowId = workflowIdOf('machine', ref, clusterName);
    const cluster = await clusterIdOf(place.kube, install);
    const lifecycle = await lifeInTemporal(workflowId, options, cluster);
    if (lifecycle) return { lifecycle, notes: [] };
    return await fromObjects(place, asked, 'Temporal knows no workflow of it, or no more.');
  } catch (error) {
    const why = error instanceof OtherClusterError ? error.message : undefined;
    return await fromObjects(place, asked, why ?? `Temporal does not answer: ${reasonOf(error)}`);
  }
}

async function fromObjects(place: Place, asked: TimelineQuestion, why: string): Promise<Found> {
  const { kube, namespace } = place;
  const { name } = asked.object;
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
