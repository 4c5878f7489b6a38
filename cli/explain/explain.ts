import { workflowIdOf } from '../../workflows/contracts/workflow-ids.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import type { Install } from '../install/install.ts';
import { worstFirst } from '../diagnosis/finding.ts';
import { foundMachine } from '../diagnosis/machine-object.ts';
import { standstillFindings } from '../diagnosis/install.ts';
import { readInstall } from '../install/read.ts';
import { TolerantReads } from '../install/tolerant.ts';
import type { InstallFlags } from '../install/flags.ts';
import { clusterIdOf, isTemporalKnown, temporalOptionsOf } from '../connection/temporal-options.ts';
import { formatReference } from '../command-line/object-reference.ts';
import type { ObjectReference } from '../command-line/object-reference.ts';
import type { ClusterOptions, OutputOptions, TemporalOptions } from '../command-line/options.ts';
import type { TargetOptions } from '../connection/target.ts';
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

export interface ExplainOptions
  extends ClusterOptions, TargetOptions, TemporalOptions, OutputOptions {
  object: ObjectReference;
  releaseNamespace?: string | undefined;
}

export async function explain(scope: ClusterScope, options: ExplainOptions): Promise<Answer> {
  // The import of the client takes longer than most answers: it begins while they come.
  if (isTemporalKnown(options, process.env)) void import('./from-temporal.ts');
  const { install, flags } = await readInstall(scope, options);
  const subject = subjectOf(options.object, { install, namespace: scope.namespace });
  const [seen, events, workflow] = await Promise.all([
    seenNode(scope, options, subject),
    eventsOf(scope, subject),
    workflowOf(subject, { scope, options, flags }),
  ]);
  const explained = explanationOf(subject, { install, seen });
  const explanation: Explanation = {
    ...explained,
    findings: worstFirst([...standstillFindings(install), ...explained.findings]),
    events: events.events,
    workflow: workflow.facts,
    notes: [...explained.notes, ...seen.notes, ...workflow.notes, ...unreadOf(install, events)],
  };
  return {
    text: formatExplanation(explanation, install.now),
    data: explanationData(explanation),
    names: [formatReference(options.object)],
  };
}

function explanationOf(
  subject: Subject,
  { install, seen }: { install: Install; seen: SeenNode },
): Explanation {
  switch (subject.kind) {
    case 'machine':
      return explainMachine(subject.machine, { install, node: seen.node });
    case 'machineset':
      return explainSet(subject.set, install);
    case 'machinedeployment':
      return explainDeployment(subject.pool, install);
    case 'node':
      return explainNode({ name: subject.object.name, seen, machine: subject.machine, install });
  }
}

interface EventsRead {
  events: readonly SeenEvent[];
  unread: readonly string[];
}

/** Of the machine, for a Node: the Node's own are in its own cluster. */
async function eventsOf({ kube }: ClusterScope, subject: Subject): Promise<EventsRead> {
  const reads = new TolerantReads();
  const object =
    subject.kind === 'node' && subject.machine ? foundMachine(subject.machine) : subject.object;
  const events = await reads.read('Events', readEvents(kube, object));
  return { events: events ?? [], unread: reads.unread };
}

function unreadOf({ unread }: Install, events: EventsRead): string[] {
  const all = [...new Set([...unread, ...events.unread])];
  return all.length === 0 ? [] : [`Not readable with your rights: ${all.join(', ')}.`];
}

async function workflowOf(
  subject: Subject,
  { scope, options, flags }: { scope: ClusterScope; options: ExplainOptions; flags: InstallFlags },
): Promise<WorkflowRead> {
  const known = workflowKindOf(subject);
  const temporal = temporalOptionsOf(options, flags, process.env);
  if (!known) return { facts: undefined, notes: [] };
  if (!isTemporalKnown(temporal, process.env)) {
    return {
      facts: undefined,
      notes: ['Temporal was not asked: --temporal-address says where it is.'],
    };
  }
  const { readWorkflowFacts } = await import('./from-temporal.ts');
  const ref = { namespace: scope.namespace, name: known.name };
  return await readWorkflowFacts(
    workflowIdOf(known.kind, ref, flags.clusterName || undefined),
    temporal,
    await clusterIdOf(scope.kube, flags),
  );
}
