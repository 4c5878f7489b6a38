/** The command line of `npm run test:live`. */
import { parseArgs } from 'node:util';

export const liveProviders = ['AWS', 'Azure', 'GCP'] as const;
export type LiveProvider = (typeof liveProviders)[number];

export interface LiveOptions {
  provider: LiveProvider;
  /** Files. */
  machineClass: string;
  secret: string;
  /**
   * `run`: the checks, and the sweep of what they leave. `plan`: nothing is made. `sweep`: what
   * earlier runs have left goes.
   */
  mode: 'run' | 'plan' | 'sweep';
  /** Whose runs these are: instances carry it, and `--sweep` deletes those of this owner only. */
  owner: string;
  limits: LiveLimits;
  allowsAmbientCredentials: boolean;
  allowsTokenFiles: boolean;
}

export interface LiveLimits {
  /** Machines that the checks may ask for. */
  maxInstances: number;
  /** After so long nothing more is made, and the sweep begins. */
  maxMinutes: number;
  /** Instances times minutes, in the worst case; the run is refused if its plan needs more. */
  maxInstanceMinutes: number;
}

export const liveHelp = `Usage: npm run test:live -- --provider AWS|Azure|GCP --class FILE --secret FILE [options]

Runs the conformance kit of drivers against a real cloud, with your account and at your cost: instances are made, looked at, listed and
deleted. All of them carry the tags of this suite, and all are deleted at the end, whatever happened. docs/clouds/live.md says more.

  --provider NAME            AWS, Azure or GCP
  --class FILE               MachineClass, YAML or JSON; its providerSpec is used
  --secret FILE              Secret of the class: credentials and userData (stringData, or data in base64)
  --dry-run                  prints the plan and its worst cost, asks the cloud only what is there, and makes nothing
  --sweep                    deletes what earlier runs of this owner have left, and makes nothing
  --owner NAME               whose runs these are (default "default"): two people in one account need two names
  --max-instances N          machines that may be asked for (default 12, at most 100)
  --max-minutes N            after so long nothing more is made (default 10, at most 240)
  --max-cost N               instance-minutes that may be used in the worst case (default 240)
  --ambient-credentials      as with the worker: credentials of this process, where the Secret has none
  --token-files              as with the worker: the Secret may name a token file of this machine
  -h, --help

Exit code: 0 all is well, 1 a check failed or something is left, 2 the command line is wrong.`;

export class WrongArguments extends Error {}

const options = {
  provider: { type: 'string' },
  class: { type: 'string' },
  secret: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  sweep: { type: 'boolean', default: false },
  owner: { type: 'string', default: 'default' },
  'max-instances': { type: 'string', default: '12' },
  'max-minutes': { type: 'string', default: '10' },
  'max-cost': { type: 'string', default: '240' },
  'ambient-credentials': { type: 'boolean', default: false },
  'token-files': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

type Values = ReturnType<typeof parse>;

/** Throws `WrongArguments`. */
export function readLiveArguments(argv: readonly string[]): LiveOptions | { mode: 'help' } {
  const values = parse(argv);
  if (values.help) return { mode: 'help' };
  return {
    provider: providerIn(values.provider),
    machineClass: required('--class', values.class),
    secret: required('--secret', values.secret),
    mode: modeIn(values),
    owner: ownerIn(values.owner),
    limits: {
      maxInstances: numberIn('--max-instances', values['max-instances'], 100),
      maxMinutes: numberIn('--max-minutes', values['max-minutes'], 240),
      maxInstanceMinutes: numberIn('--max-cost', values['max-cost'], 24_000),
    },
    allowsAmbientCredentials: values['ambient-credentials'],
    allowsTokenFiles: values['token-files'] || values['ambient-credentials'],
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: false }).values;
  } catch (error) {
    throw new WrongArguments(error instanceof Error ? error.message : String(error));
  }
}

function providerIn(text: string | undefined): LiveProvider {
  const provider = liveProviders.find((name) => name === text);
  if (provider) return provider;
  const given = text === undefined ? 'is missing' : `is "${text}"`;
  throw new WrongArguments(`--provider ${given}; allowed: ${liveProviders.join(', ')}`);
}

function required(flag: string, text: string | undefined): string {
  if (text) return text;
  throw new WrongArguments(`${flag} is missing: name a YAML file`);
}

function modeIn(values: Values): LiveOptions['mode'] {
  if (values['dry-run'] && values.sweep) {
    throw new WrongArguments('--dry-run and --sweep: one of them only');
  }
  if (values['dry-run']) return 'plan';
  return values.sweep ? 'sweep' : 'run';
}

/** It becomes a part of tags and labels of all clouds. */
function ownerIn(text: string): string {
  if (/^[a-z0-9]([-a-z0-9]{0,30}[a-z0-9])?$/.test(text)) return text;
  const allowed = 'up to 32 lower-case letters, digits and dashes';
  throw new WrongArguments(`--owner is "${text}"; allowed: ${allowed}`);
}

function numberIn(flag: string, text: string, most: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new WrongArguments(`${flag} is "${text}"; allowed: a whole number from 1 to ${most}`);
}
