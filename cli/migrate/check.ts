/** `millwright migrate check`. */
import { readFile } from 'node:fs/promises';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { UsageError } from '../command-line/usage-error.ts';
import type { MigrateOptions } from './options.ts';
import { readFacts, type Facts } from './facts.ts';
import { note, reportOf, type MigrateResult } from './result.ts';
import { findingsOf } from './findings.ts';
import { commandLinesOf, translate, wordsIn, type Translation } from './flags.ts';

interface CheckedMigration {
  facts: Facts;
  findings: MigrateResult[];
  translation: Translation;
}

export async function check(
  scope: ClusterScope,
  options: MigrateOptions,
): Promise<CheckedMigration> {
  const facts = await readFacts(scope, options);
  const { lines, others } = commandLinesOf(facts.mcm);
  // The machine controller says what holds for machines, and every process takes all flags.
  const ofFile = await wordsOfFile(options.flagsFrom);
  const written = ofFile ? [{ component: 'worker' as const, words: ofFile }] : lines;
  const translation = translate(written, facts.namespace);
  const { externalProviders } = options;
  const findings = [
    ...findingsOf({ facts, translation, externalProviders }),
    ...others.map((name) =>
      note('flags', `container ${name} is not MCM's: its flags are left out`),
    ),
  ];
  return { facts, findings, translation };
}

async function wordsOfFile(file: string | undefined): Promise<string[] | undefined> {
  if (file === undefined) return undefined;
  try {
    return wordsIn(await readFile(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`--flags-from ${file}: the file cannot be read`, { cause: error });
  }
}

export function answerOf({ facts, findings, translation }: CheckedMigration): Answer {
  const { values, leftOut } = translation;
  const isMcmThere = facts.mcm.length > 0 || Object.keys(values).length > 1;
  const whose = isMcmThere ? 'MCM' : undefined;
  return reportOf({ namespace: facts.namespace, findings, values, leftOut, whose });
}
