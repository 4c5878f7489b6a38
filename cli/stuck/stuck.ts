import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { diagnose } from '../diagnosis/diagnose.ts';
import { findingData } from '../diagnosis/finding.ts';
import type { Install } from '../install/install.ts';
import { notesData, notesOf, stopLines } from '../install/notes.ts';
import { readAll } from '../install/read.ts';
import type { InstallOptions } from '../command-line/options.ts';
import { findingTable, nothingStuck } from '../diagnosis/table.ts';

interface StuckOptions extends InstallOptions {
  /** Seconds. Undefined: an hour. */
  stoppedFor?: number | undefined;
}

export async function stuck(scope: ClusterScope, options: StuckOptions): Promise<Answer> {
  const install = await readAll(scope, options);
  const { output, stoppedFor } = options;
  return stuckAnswer(install, { isWide: output === 'wide', stoppedFor });
}

interface StuckView {
  isWide: boolean;
  /** Seconds. Default an hour. */
  stoppedFor?: number | undefined;
}

export function stuckAnswer(install: Install, { isWide, stoppedFor }: StuckView): Answer {
  const patience = stoppedFor === undefined ? undefined : { stopMs: stoppedFor * 1_000 };
  const findings = diagnose(install, patience);
  return {
    text: [
      ...stopLines(install),
      findings.length === 0 ? nothingStuck(install) : findingTable(findings, { install, isWide }),
      ...notesOf(install),
    ].join('\n'),
    data: { findings: findings.map(findingData), ...notesData(install) },
    names: findings.map(({ object }) => `${object.kind}/${object.name}`),
  };
}
