/** An explanation for programs: times in ISO 8601. */
import { findingData } from '../diagnosis/finding.ts';
import { isoOf } from '../install/times.ts';
import type { Explanation } from './explanation.ts';

export function explanationData(explanation: Explanation): object {
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
