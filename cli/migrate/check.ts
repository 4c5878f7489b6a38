/** `millwright migrate check`. */
import { readFile } from 'node:fs/promises';
import type { Answer } from '../command-line/answer.ts';
import type { ClusterScope } from '../connection/cluster.ts';
import { UsageError } from '../command-line/usage-error.ts';
import type { MigrateOptions } from './options.ts';
import { readFacts, type Facts } from './facts.ts';
import { lineOf, note, type MigrateResult } from './result.ts';
import { findingsOf } from './findings.ts';
import { commandLinesOf, translate, wordsIn, yamlOf, type Translation } from './flags.ts';

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

/** Exit code 1: something hinders a take-over. */
export function reportOf({ facts, findings, translation }: CheckedMigration): Answer {
  const isFree = findings.every(({ state }) => state !== 'hinders');
  const { namespace } = facts;
  const { values, leftOut } = translation;
  const end = isFree
    ? `Nothing hinders a take-over of ${namespace}.`
    : `${namespace} cannot be taken over yet.`;
  const ofValues = ['', "MCM's flags as values of the chart:", ...yamlOf(values, '  ')];
  const others = leftOut.map((text) => `  # ${text}`);
  const isMcmThere = facts.mcm.length > 0 || Object.keys(values).length > 1;
  return {
    data: { namespace, isFree, findings, values, leftOut },
    exitCode: isFree ? 0 : 1,
    text: [...findings.map(lineOf), ...(isMcmThere ? [...ofValues, ...others] : []), '', end].join(
      '\n',
    ),
  };
}
