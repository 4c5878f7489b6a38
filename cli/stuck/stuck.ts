import type { Answer } from '../answer.ts';
import type { Place } from '../connect.ts';
import { diagnose } from '../diagnosis/diagnose.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { findingData } from '../diagnosis/finding.ts';
import type { Fleet } from '../diagnosis/fleet.ts';
import { notesOf } from '../fleet/notes.ts';
import type { FleetQuestion } from '../fleet/question.ts';
import { readAll } from '../fleet/read-all.ts';
import { findingTable } from './table.ts';

export async function stuck(place: Place, asked: FleetQuestion): Promise<Answer> {
  const fleet = await readAll(place, asked);
  return stuckAnswer(fleet, { isWide: asked.output === 'wide' });
}

export function stuckAnswer(fleet: Fleet, { isWide }: { isWide: boolean }): Answer {
  const findings = diagnose(fleet);
  return {
    text: [formatFindings(findings, { fleet, isWide }), ...notesOf(fleet)].join('\n'),
    data: { findings: findings.map(findingData), unread: fleet.unread },
    names: findings.map(({ object }) => `${object.kind}/${object.name}`),
  };
}

function formatFindings(
  findings: readonly Finding[],
  { fleet, isWide }: { fleet: Fleet; isWide: boolean },
): string {
  return findings.length === 0 ? 'Nothing is stuck.' : findingTable(findings, { fleet, isWide });
}
