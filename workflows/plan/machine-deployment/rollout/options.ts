/** Options of a rollout, read from annotations `millwright.dev/...` of the MachineDeployment. */
import { options as keys } from '../../../api/constants.ts';
import { parseDuration } from '../../../api/duration.ts';
import type { MachineDeployment } from '../../../api/machine-deployment.ts';
import { allowed, quoted } from '../../../api/validation.ts';
import { unknownAnnotations } from '../../../values/unknown-annotations.ts';
import { defined } from '../../../values/defined.ts';
import type { RolloutOptions, Wave } from './facts.ts';
import { allowedOverride, parseOverride } from './policy-override.ts';
import type { PassedCanary } from './waves.ts';
import { parseNote, parsePassed, parseWaves } from './waves.ts';

export interface OptionsText {
  annotations: Readonly<Record<string, string>>;
  replicas: number;
  /** Milliseconds of an RFC 3339 time; NaN for nonsense. */
  parseTime(text: string): number;
  /** Milliseconds. */
  now: number;
}

export interface ParsedOptions extends RolloutOptions {
  onDelete: boolean;
  honorsMinReadySeconds: boolean;
  soakSeconds: number;
  /** Machines of the deployment that may be replaced at a time; absent: as many as fail. */
  replacementBudget?: number;
  restart?: string;
}

/** `parseTime` and `now`: as in `OptionsText`. */
export function optionsOf(
  { metadata, spec }: Pick<MachineDeployment, 'metadata' | 'spec'>,
  parseTime: OptionsText['parseTime'],
  now: number,
): ParsedOptions {
  // The schema lets negative counts pass.
  const replicas = Math.max(spec.replicas ?? 0, 0);
  return parseOptions({ annotations: metadata.annotations ?? {}, replicas, parseTime, now });
}

/**
 * Reads the options. A faulty one is in `faults` and counts as absent, and rollouts stand still.
 */
export function parseOptions({
  annotations,
  replicas,
  parseTime,
  now,
}: OptionsText): ParsedOptions {
  const faults = unknownAnnotations(annotations);
  const read = <T>(key: string, parse: (text: string) => T | undefined, may: string) => {
    const text = annotations[key];
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined) {
      faults.push(`annotation ${key}: Invalid value: ${quoted(text)}: ${may}`);
    }
    return value;
  };
  const isSet = (key: string): boolean => read(key, booleanOf, 'must be true or false') ?? false;
  const count = (text: string): number | undefined => countOf(text, replicas);
  const at = (text: string) =>
    timePattern.test(text) && parseTime(text) >= 0 ? { at: parseTime(text), text } : undefined;
  const override = (text: string) => parseOverride(text, (time) => at(time)?.at, now);
  const atLeastOne = 'must be a number of 1 or more, or a percentage such as 25%';
  const waves = `${atLeastOne}, or several that grow, each alone or with a time: 1, 25% for 30m`;
  const failure = read(keys.inPlaceFailure, inPlaceFailureOf, 'must be stop or replace');
  const passed = 'must be a revision, such as 3, or waves of it that are passed, such as 3:1';
  const options = {
    autoRollback: isSet(keys.autoRollback),
    inPlaceFailure: failure === 'replace' ? failure : undefined,
    onDelete: isSet(keys.onDelete),
    honorsMinReadySeconds: isSet(keys.honorMinReadySeconds),
    soakSeconds: read(keys.soak, parseDuration, allowed.duration) ?? 0,
    ...canaryOf(read(keys.canary, (text) => parseWaves(text, count), waves)),
    ...passedOf(read(keys.canaryPassed, parsePassed, passed)),
    waveNote: parseNote(annotations[keys.canarySince] ?? '', parseTime),
    replacementBudget: read(keys.replacementBudget, count, atLeastOne),
    rolloutAfter: read(keys.rolloutAfter, at, 'must be a time such as 2026-01-31T22:00:00Z'),
    overridePolicies: read(keys.overridePolicies, override, allowedOverride),
    restart: annotations[keys.restart],
    rolledBackFrom: annotations[keys.rolledBackFrom],
  };
  return defined({ ...options, faults });
}

/** A canary that a person ends is as it was before there were waves. */
function canaryOf(waves: Wave[] | undefined): Pick<RolloutOptions, 'canary' | 'waves'> {
  const [first, ...more] = waves ?? [];
  const isInWaves = more.length > 0 || first?.seconds !== undefined;
  return { ...(first && { canary: first.machines }), ...(waves && isInWaves && { waves }) };
}

function passedOf(
  passed: PassedCanary | undefined,
): Pick<RolloutOptions, 'canaryPassed' | 'wavesPassed'> {
  if (!passed) return {};
  const { revision, count } = passed;
  return count === undefined ? { canaryPassed: revision } : { wavesPassed: { revision, count } };
}

/** A number alone would be read as a year or a month. */
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function booleanOf(text: string): boolean | undefined {
  if (text === 'true') return true;
  return text === 'false' ? false : undefined;
}

function inPlaceFailureOf(text: string): 'replace' | 'stop' | undefined {
  return text === 'replace' || text === 'stop' ? text : undefined;
}

function wholeOf(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** A percentage is rounded up: it is at least one machine. */
function countOf(text: string, replicas: number): number | undefined {
  const share = /^(\d{1,3})%$/.exec(text)?.[1];
  const count = share === undefined ? wholeOf(text) : Math.ceil((Number(share) * replicas) / 100);
  if (share !== undefined && Number(share) > 0) return Math.max(count ?? 0, 1);
  return count === 0 ? undefined : count;
}
