/** `millwright migrate check`. */
import { readFile } from 'node:fs/promises';
import type { Place } from '../connect.ts';
import { UsageError } from '../usage-error.ts';
import type { Migration } from './arguments.ts';
import { readFacts, type Facts } from './facts.ts';
import { isHindered, lineOf, note, type Finding } from './finding.ts';
import { findingsOf } from './findings.ts';
import { commandLinesOf, translate, wordsIn, yamlOf, type Translation } from './flags.ts';

export interface Checked {
  facts: Facts;
  findings: Finding[];
  translation: Translation;
}

export async function check(place: Place, asked: Migration): Promise<Checked> {
  const facts = await readFacts(place, asked);
  const { lines, others } = commandLinesOf(facts.mcm);
  // What holds for machines is the machine controller's, and every process takes all flags.
  const ofFile = await wordsOfFile(asked.flagsFrom);
  const written = ofFile ? [{ component: 'worker' as const, words: ofFile }] : lines;
  const translation = translate(written, facts.namespace);
  const { externalProviders } = asked;
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

/** What to print. */
export function reportOf(
  { facts, findings, translation }: Checked,
  { isJson }: { isJson: boolean },
): { text: string; isFree: boolean } {
  const isFree = !isHindered(findings);
  const { namespace } = facts;
  const { values, leftOut } = translation;
  if (isJson) {
    const all = { namespace, isFree, findings, values, leftOut };
    return { isFree, text: JSON.stringify(all, undefined, 2) };
  }
  const end = isFree
    ? `Nothing hinders a take-over of ${namespace}.`
    : `${namespace} cannot be taken over yet.`;
  const ofValues = ['', "MCM's flags as values of the chart:", ...yamlOf(values, '  ')];
  const others = leftOut.map((text) => `  # ${text}`);
  const isMcmThere = facts.mcm.length > 0 || Object.keys(values).length > 1;
  return {
    isFree,
    text: [...findings.map(lineOf), ...(isMcmThere ? [...ofValues, ...others] : []), '', end].join(
      '\n',
    ),
  };
}
