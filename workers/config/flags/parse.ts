/** Command line -> values. Written as for Go's pflag, as MCM's command lines are. */
import { defaultOf, type Started } from './flag.ts';
import { type FlagName, flagNames, flagOf, type FlagValues, isFlagName } from './table.ts';

/** One thing that is wrong, with what is allowed and what to do. */
export type Fault = string;

export interface ReadFlags {
  values: FlagValues;
  /** Those that were written on the command line. */
  given: ReadonlySet<FlagName>;
  /** The same, as they were written. */
  texts: ReadonlyMap<FlagName, string>;
  faults: Fault[];
  asksFor?: 'help' | 'version';
}

/**
 * Reads `--flag=value`, `--flag value`, `--flag` and `--flag=false` for booleans, the same with one
 * dash, `-v3`, and `_` for `-` inside a name. The last one wins. Whatever is wrong becomes a fault
 * and leaves the default in place.
 */
export function readFlags(argv: readonly string[], started: Started): ReadFlags {
  const texts = new Map<FlagName, string>();
  const faults: Fault[] = [];
  let asksFor: 'help' | 'version' | undefined;
  for (let at = 0; at < argv.length; at += 1) {
    const word = readWord(argv[at] ?? '', argv[at + 1]);
    if (word.kind === 'request') asksFor ??= word.asksFor;
    if (word.kind === 'fault') faults.push(word.fault);
    if (word.kind === 'flag') {
      texts.set(word.name, word.text);
      at += word.usedNext ? 1 : 0;
    }
  }
  const { values, faults: valueFaults } = valuesOf(texts, started);
  return {
    values,
    given: new Set(texts.keys()),
    texts,
    faults: [...faults, ...valueFaults],
    ...(asksFor && { asksFor }),
  };
}

type Word =
  | { kind: 'flag'; name: FlagName; text: string; usedNext: boolean }
  | { kind: 'request'; asksFor: 'help' | 'version' }
  | { kind: 'fault'; fault: Fault };

function readWord(word: string, next: string | undefined): Word {
  const { given, text } = splitWord(word);
  if (given === undefined) return { kind: 'fault', fault: notAFlag(word) };
  if (given === 'help' || given === 'h') return { kind: 'request', asksFor: 'help' };
  if (given === 'version') return { kind: 'request', asksFor: 'version' };
  if (!isFlagName(given)) return { kind: 'fault', fault: unknownFlag(given) };
  return textOfFlag(given, text, next);
}

/** A boolean never takes the next word, as in Go. */
function textOfFlag(name: FlagName, text: string | undefined, next: string | undefined): Word {
  const { kind } = flagOf(name);
  if (text !== undefined) return { kind: 'flag', name, text, usedNext: false };
  if (kind.placeholder === '') return { kind: 'flag', name, text: 'true', usedNext: false };
  if (next !== undefined) return { kind: 'flag', name, text: next, usedNext: true };
  return { kind: 'fault', fault: `--${name} has no value; allowed: ${kind.allowed}` };
}

function splitWord(word: string): { given?: string; text?: string } {
  const verbosity = /^-v(-?\d+)$/.exec(word);
  if (verbosity?.[1] !== undefined) return { given: 'v', text: verbosity[1] };
  const [, name, , text] = /^--?([a-zA-Z][\w-]*)(=([^]*))?$/.exec(word) ?? [];
  if (name === undefined) return {};
  // MCM takes both spellings, as the flags of klog were once written with underscores.
  return { given: name.replaceAll('_', '-'), ...(text !== undefined && { text }) };
}

function valuesOf(texts: ReadonlyMap<FlagName, string>, started: Started) {
  const faults: Fault[] = [];
  const values: Partial<Record<FlagName, unknown>> = {};
  for (const name of flagNames) {
    const { kind, ...flag } = flagOf(name);
    const given = texts.get(name);
    const value = given === undefined ? undefined : kind.parse(given);
    if (given !== undefined && value === undefined) {
      faults.push(`--${name}: ${JSON.stringify(given)} is not allowed; allowed: ${kind.allowed}`);
    }
    values[name] = value ?? kind.parse(defaultOf(flag, started));
  }
  if (!isComplete(values)) throw new Error('The default of a flag is not allowed by its own kind.');
  return { values, faults };
}

function isComplete(values: Partial<Record<FlagName, unknown>>): values is FlagValues {
  return flagNames.every((name) => values[name] !== undefined);
}

function notAFlag(word: string): Fault {
  const hint = /^(true|false)$/i.test(word) ? `; write a boolean as --flag=${word}` : '';
  return `${JSON.stringify(word)} is not a flag, and only flags are allowed${hint}`;
}

function unknownFlag(given: string): Fault {
  const nearest = nearestFlag(given);
  const hint = nearest === undefined ? 'see --help' : `did you mean --${nearest}?`;
  return `--${given} is not known; ${hint}`;
}

/** The flag that a misspelt name most likely stands for, if any is near. */
export function nearestFlag(given: string): FlagName | undefined {
  const ranked = flagNames
    .map((name) => ({ name, distance: editDistance(given, name) }))
    .toSorted((a, b) => a.distance - b.distance || a.name.localeCompare(b.name));
  const best = ranked[0];
  if (best !== undefined && best.distance <= given.length / 3) return best.name;
  return given.length < 4 ? undefined : ranked.find(({ name }) => name.includes(given))?.name;
}

/**
 * Letters to add, drop or change to get from one word to the other (Levenshtein), a row at a time.
 */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 0; i < from.length; i += 1) {
    const above = row;
    row = [i + 1];
    for (let j = 0; j < to.length; j += 1) {
      const change = (above[j] ?? 0) + (from[i] === to[j] ? 0 : 1);
      row.push(Math.min(change, (above[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1));
    }
  }
  return row[to.length] ?? 0;
}
