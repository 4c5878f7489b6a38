import { workflowIdOf } from '../../workflows/contracts/workflow-ids.ts';
import type { Answer } from '../command-line/answer.ts';
import type { Place } from '../connection/cluster.ts';
import type { Fleet } from '../install/install.ts';
import { worstFirst } from '../diagnosis/finding.ts';
import { standstillFindings } from '../diagnosis/install.ts';
import { readFleet } from '../install/read.ts';
import { TolerantReads } from '../install/tolerant.ts';
import type { InstallFlags } from '../install/flags.ts';
import { clusterIdOf, isTemporalKnown, temporalOptionsOf } from '../connection/temporal-options.ts';
import { formatReference } from '../command-line/object-reference.ts';
import type { ExplainQuestion } from './command.ts';
import { explanationData } from './data.ts';
import { readEvents } from './events.ts';
import type { Explanation, SeenEvent } from './explanation.ts';
import type { WorkflowRead } from './from-temporal.ts';
import { explainMachine } from './machine.ts';
import { explainNode } from './node.ts';
import type { SeenNode } from './nodes.ts';
import { seenNode } from './nodes.ts';
import { explainDeployment, explainSet } from './pools.ts';
import type { Subject } from './subject.ts';
import { subjectOf, workflowKindOf } from './subject.ts';
import { formatExplanation } from './text.ts';

export async function explain(place: Place, asked: ExplainQuestion): Promise<Answer> {
  // The import of the client takes longer than most answers: it begins while they come.
  if (isTemporalKnown(asked, process.env)) void import('./from-temporal.ts');
  const { fleet, install } = await readFleet(place, asked);
  const subject = subjectOf(asked.object, { fleet, namespace: place.namespace });
  const [seen, events, workflow] = await Promise.all([
    seenNode(place, asked, subject),
    eventsOf(place, subject),
    workflowOf(subject, { place, asked, install }),
  ]);
  const explained = explanationOf(subject, { fleet, seen });
  const explanation: Explanation = {
    ...explained,
    findings: worstFirst([...standstillFindings(fleet), ...explained.findings]),
    events: events.events,
    workflow: workflow.facts,
    notes: [...explained.notes, ...seen.notes, ...workflow.notes, ...unreadOf(fleet, events)],
  };
  return {
    text: formatExplanation(explanation, fleet.now),
    data: explanationData(explanation),
    names: [formatReference(asked.object)],
  };
}

function explanationOf(
  subject: Subject,
  { fleet, seen }: { fleet: Fleet; seen: SeenNode },
): Explanation {
  switch (subject.kind) {
    case 'machine':
      return explainMachine(subject.machine, { fleet, node: seen.node });
    case 'machineset':
      return explainSet(subject.set, fleet);
    case 'machinedeployment':
      return explainDeployment(subject.pool, fleet);
    case 'node':
      return explainNode({ name: subject.object.name, seen, machine: subject.machine, fleet });
  }
}

interface EventsRead {
  events: readonly SeenEvent[];
  unread: readonly string[];
}

/** Of the machine, for a Node: the Node's own are in its own cluster. */
async function eventsOf({ kube }: Place, subject: Subject): Promise<EventsRead> {
  const reads = new TolerantReads();
  const object =
    subject.kind === 'node' && subject.machine
      ? { kind: 'machine', ...namesOf(subject.machine.metadata) }
      : subject.object;
  const events = await reads.read('Events', readEvents(kube, object));
  return { events: events ?? [], unread: reads.unread };
}

const namesOf = ({ namespace, name }: { namespace?: string; name: string }) => ({
  namespace,
  name,
});

function unreadOf({ unread }: Fleet, events: EventsRead): string[] {
  const all = [...new Set([...unread, ...events.unread])];
  return all.length === 0 ? [] : [`Not readable with your rights: ${all.join(', ')}.`];
}

interface Asked {
  place: Place;
  asked: ExplainQuestion;
  install: InstallFlags;
}

async function workflowOf(
  subject: Subject,
  { place, asked, install }: Asked,
): Promise<WorkflowRead> {
  const known = workflowKindOf(subject);
  const options = temporalOptionsOf(asked, install, process.env);
  if (!known) return { facts: undefined, notes: [] };
  if (!isTemporalKnown(options, process.env)) {
    return {
      facts: undefined,
      notes: ['Temporal was not asked: --temporal-address says where it is.'],
    };
  }
  const { readWorkflowFacts } = await import('./from-temporal.ts');
  const ref = { namespace: place.namespace, name: known.name };
  return await readWorkflowFacts(
    workflowIdOf(known.kind, ref, install.clusterName || undefined),
    options,
    await clusterIdOf(place.kube, install),
  );
}
