/** An explanation, as one would read it at night. */
import { isoOf } from '../install/times.ts';
import { millwrightFor } from '../command-line/millwright-line.ts';
import { alikeOf, nameOf } from '../diagnosis/table.ts';
import { ageSince, formatAge } from '../terminal/age.ts';
import { oneLine, withoutControls } from '../terminal/screen.ts';
import { ownPalette } from '../terminal/style.ts';
import type {
  ActivityAttempt,
  Awaited,
  Explanation,
  SeenEvent,
  WorkflowFacts,
} from './explanation.ts';

const eventsMax = 8;
const findingsMax = 5;

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
