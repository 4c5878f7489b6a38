import type { Answer } from '../command-line/answer.ts';
import type { Place } from '../connection/cluster.ts';
import { diagnose } from '../diagnosis/diagnose.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { findingData } from '../diagnosis/finding.ts';
import type { Fleet } from '../install/install.ts';
import { notesData, notesOf, stopLines } from '../install/notes.ts';
import { readAll } from '../install/read-all.ts';
import type { StuckQuestion } from './command.ts';
import { findingTable } from '../diagnosis/table.ts';

export async function stuck(place: Place, asked: StuckQuestion): Promise<Answer> {
  const fleet = await readAll(place, asked);
  const { output, stoppedFor } = asked;
  return stuckAnswer(fleet, { isWide: output === 'wide', stoppedFor });
}

interface View {
  isWide: boolean;
  /** Seconds. Default an hour. */
  stoppedFor?: number | undefined;
}

export function stuckAnswer(fleet: Fleet, { isWide, stoppedFor }: View): Answer {
  const patience = stoppedFor === undefined ? undefined : { stopMs: stoppedFor * 1_000 };
  const findings = diagnose(fleet, patience);
  return {
    text: [
      ...stopLines(fleet),
      formatFindings(findings, { fleet, isWide }),
      ...notesOf(fleet),
    ].join('\n'),
    data: { findings: findings.map(findingData), ...notesData(fleet) },
    names: findings.map(({ object }) => `${object.kind}/${object.name}`),
  };
}

function formatFindings(
  findings: readonly Finding[],
  { fleet, isWide }: { fleet: Fleet; isWide: boolean },
): string {
  return findings.length === 0 ? nothingStuck(fleet) : findingTable(findings, { fleet, isWide });
}

export const nothingStuck = ({ stops }: Fleet): string =>
  stops.length === 0 ? 'Nothing is stuck.' : 'Nothing else is stuck.';
