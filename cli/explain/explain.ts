import { workflowIdOf } from '../../workflows/contracts/workflow-ids.ts';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import type { Install } from '../install/install.ts';
import { worstFirst, findingData } from '../diagnosis/finding.ts';
import { foundMachine } from '../diagnosis/machine-object.ts';
import { standstillFindings } from '../diagnosis/install.ts';
import { readInstall } from '../install/read.ts';
import { TolerantReads } from '../install/tolerant.ts';
import type { InstallFlags } from '../install/flags.ts';
import { clusterIdOf, isTemporalKnown, temporalOptionsOf } from '../connection/temporal-options.ts';
import type { ObjectReference } from '../command-line/object-reference.ts';
import { formatReference } from '../command-line/object-reference.ts';
import type { ClusterOptions, OutputOptions, TemporalOptions } from '../command-line/options.ts';
import type { TargetOptions } from '../connection/target.ts';
import { readEvents } from './events.ts';
import type {
  Explanation,
  SeenEvent,
  ActivityAttempt,
  Awaited,
  WorkflowFacts,
} from './explanation.ts';
import type { WorkflowRead } from './from-temporal.ts';
import { explainMachine, formatNode } from './machine.ts';
import type { SeenNode } from './nodes.ts';
import { seenNode } from './nodes.ts';
import { explainDeployment, explainSet } from './pools.ts';
import type { Subject } from './subject.ts';
import { subjectOf, workflowKindOf } from './subject.ts';
import { userDataFacts } from './user-data.ts';
import { isoOf } from '../install/times.ts';
import { annotations } from '../../workflows/api/constants.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { millwrightFor } from '../command-line/millwright-line.ts';
import { alikeOf, nameOf } from '../diagnosis/table.ts';
import { ageSince, formatAge } from '../terminal/age.ts';
import { oneLine, withoutControls } from '../terminal/screen.ts';
import { ownPalette } from '../terminal/style.ts';

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
  const machine = 'machine' in subject ? subject.machine : undefined;
  const [seen, events, workflow, ofUserData] = await Promise.all([
    seenNode(scope, options, subject),
    eventsOf(scope, subject),
    workflowOf(subject, { scope, options, flags }),
    userDataFacts(scope, machine, install),
  ]);
  const explained = explanationOf(subject, { install, seen });
  const explanation: Explanation = {
    ...explained,
    facts: [...explained.facts, ...ofUserData],
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

/** Events of the machine, for a Node: the Node's own are in its own cluster. */
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

/** An explanation for programs: times in ISO 8601. */
function explanationData(explanation: Explanation): object {
  const { object, state, since, decision, awaits, facts, findings, commands } = explanation;
  const { events, workflow, consoleOutput, notes } = explanation;
  return {
    object,
    state,
    ...timeIn('since', since),
    ...(decision && { decision: { text: decision.text, ...timeIn('at', decision.at) } }),
    ...(awaits && {
      awaits: {
        what: awaits.what,
        ...timeIn('since', awaits.since),
        ...timeIn('until', awaits.until),
        ...(awaits.sequel !== undefined && { sequel: awaits.sequel }),
      },
    }),
    facts: facts.map(({ name, value }) => ({ name, value })),
    findings: findings.map(findingData),
    commands,
    events: events.map(({ at, ...event }) => ({ at: isoOf(at), ...event })),
    ...(workflow && {
      workflow: {
        ...workflow,
        attempts: workflow.attempts.map(({ nextAt, ...attempt }) => ({
          ...attempt,
          ...timeIn('nextAt', nextAt),
        })),
      },
    }),
    ...(consoleOutput !== undefined && { consoleOutput }),
    notes,
  };
}

function timeIn(name: string, time: number | undefined): Record<string, string> {
  return time === undefined ? {} : { [name]: isoOf(time) };
}

interface NodeView {
  name: string;
  seen: Pick<SeenNode, 'node' | 'isUnread'>;
  machine: Machine | undefined;
  install: Install;
}

/** Why a Node is as it is: by its machine. */
function explainNode({ name, seen, machine, install }: NodeView): Explanation {
  const object = { kind: 'node', name };
  const { node } = seen;
  if (machine) {
    const ofMachine = explainMachine(machine, { install, node });
    const owner = `${machine.metadata.name}, which is ${ofMachine.state}`;
    return {
      ...ofMachine,
      object,
      state: stateOf(seen),
      since: undefined,
      facts: [{ name: 'Machine', value: owner }, ...ofMachine.facts],
    };
  }
  return {
    object,
    state: stateOf(seen),
    facts: node ? [{ name: 'Node', value: formatNode(node) }] : [],
    findings: [],
    commands: [`kubectl describe node ${name}`],
    events: [],
    notes: [
      `No Machine has this Node${node?.metadata.annotations?.[annotations.notManaged] === undefined ? '' : ', and it is marked as unmanaged'}.`,
    ],
  };
}

function stateOf({ node, isUnread = false }: NodeView['seen']): string {
  if (!node) return isUnread ? 'unknown' : 'not there';
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' ? 'Ready' : 'not Ready';
}

const eventsMax = 8;
const findingsMax = 5;

/** An explanation, as one would read it at night. */
export function formatExplanation(explanation: Explanation, now: number): string {
  const { facts, events, workflow, consoleOutput, notes } = explanation;
  const sections = [
    [titleOf(explanation, now), ...reasonsOf(explanation, now)],
    facts.map(({ name, value }) => line(name, value)),
    findingsOf(explanation),
    workflow ? workflowLines(workflow, now) : [],
    events.length > 0 ? ['Events:', ...events.slice(-eventsMax).map(eventLine(now))] : [],
    consoleOutput === undefined
      ? []
      : [
          'The instance has printed last:',
          ...indented(consoleOutput.trimEnd().split('\n').map(withoutControls)),
        ],
    commandLines(explanation),
    notes.map(oneLine),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function titleOf({ object: { kind, name }, state, since }: Explanation, now: number): string {
  const { strong } = ownPalette();
  const time = since === undefined ? '' : ` for ${formatAge(now - since)}, since ${isoOf(since)}`;
  return strong(`${kind}/${name} is ${state}${time}`);
}

function reasonsOf({ decision, awaits }: Explanation, now: number): string[] {
  const ago = decision?.at === undefined ? 'no time given' : `${formatAge(now - decision.at)} ago`;
  return [
    ...(decision ? [line('Last', `${oneLine(decision.text)} (${ago})`)] : []),
    ...(awaits ? awaitedLines(awaits, now) : [line('Waits for', 'nothing')]),
  ];
}

function awaitedLines({ what, since, until, sequel }: Awaited, now: number): string[] {
  const time = since === undefined ? '' : `, for ${formatAge(now - since)}`;
  return [
    line('Waits for', `${what}${time}`),
    ...(until === undefined ? [] : [line('Until', untilOf({ until, sequel, now }))]),
  ];
}

function untilOf(limit: { until: number; sequel: string | undefined; now: number }): string {
  const { until, sequel, now } = limit;
  const distance = until > now ? `in ${formatAge(until - now)}` : `${formatAge(now - until)} ago`;
  return `${isoOf(until)} (${distance})${sequel === undefined ? '' : `: ${sequel}`}`;
}

function findingsOf({ object: { namespace }, findings }: Explanation): string[] {
  const { bad } = ownPalette();
  const all = alikeOf(findings);
  const shown = all.slice(0, findingsMax);
  const lines = shown.flatMap((alike) => {
    const { trouble, cause } = alike.first;
    return [
      `${bad(trouble ?? 'Trouble')}: ${nameOf(alike)}: ${oneLine(cause)}`,
      ...(trouble === undefined ? [] : [`  Runbook: millwright runbook ${trouble}`]),
    ];
  });
  const more = all.length - shown.length;
  return more > 0 ? [...lines, `and ${more} more: ${millwrightFor('stuck', namespace)}`] : lines;
}

function workflowLines(
  { workflowId, status, page = [], attempts }: WorkflowFacts,
  now: number,
): string[] {
  return [
    `Workflow ${workflowId} (${status.toLowerCase()}):`,
    ...page.map((text) => `  ${oneLine(text)}`),
    ...attempts.map(attemptLine(now)),
  ];
}

function attemptLine(now: number): (attempt: ActivityAttempt) => string {
  return ({ step, attempt, nextAt, lastError }) => {
    const next =
      nextAt === undefined || nextAt <= now ? '' : `, next in ${formatAge(nextAt - now)}`;
    const error = lastError === undefined ? '' : `; it failed last with: ${oneLine(lastError)}`;
    return `  ${step}: attempt ${attempt}${next}${error}`;
  };
}

function eventLine(now: number): (event: SeenEvent) => string {
  return ({ at, type, reason, message, count }) => {
    const times = count > 1 ? ` (${count} times)` : '';
    const mark = type === 'Warning' ? '!' : ' ';
    return ` ${mark}${ageSince(at, now).padEnd(7)} ${reason}: ${oneLine(message)}${times}`;
  };
}

function commandLines({ findings, commands }: Explanation): string[] {
  const shown = alikeOf(findings).slice(0, findingsMax);
  const ofFindings = shown.flatMap(({ first }) => first.commands);
  const all = [...new Set([...commands, ...ofFindings])];
  return all.length === 0 ? [] : ['What you can do:', ...indented(all)];
}

const indented = (lines: readonly string[]): string[] => lines.map((text) => `  ${text}`);

const nameWidth = 12;

function line(name: string, value: string): string {
  return `${`${name}:`.padEnd(nameWidth)} ${oneLine(value)}`;
}
