/** The command line of `millwright setup` -> what is asked. */
import { commandLine } from './command-line.ts';
import { isJson } from './usage-error.ts';

export interface SetupQuestion {
  command: 'setup';
  /** Empty: as TEMPORAL_ADDRESS or the profile says. */
  address: string;
  /** Of Temporal. Empty: as TEMPORAL_NAMESPACE or the profile says. */
  temporalNamespace: string;
  /** How long Temporal keeps closed workflows, where the namespace is made. */
  retentionDays: number;
  /** Changes nothing. */
  isCheck: boolean;
  isJson: boolean;
  /** Present: only this is done, and the namespace is checked. */
  version?: VersionQuestion;
}

export interface VersionQuestion {
  /** As `--worker-deployment` of the worker. */
  deploymentName: string;
  /** `own`: that of the code beside this command. `unversioned`: workers without a version. */
  buildId: string;
  /** How long to wait for a worker of it. */
  waitMinutes: number;
}

const { parse, wrong } = commandLine(
  {
    'temporal-address': { type: 'string', default: '' },
    'temporal-namespace': { type: 'string', default: '' },
    'retention-days': { type: 'string', default: '7' },
    current: { type: 'string', default: '' },
    deployment: { type: 'string', default: '' },
    'wait-minutes': { type: 'string', default: '5' },
    check: { type: 'boolean', default: false },
    output: { type: 'string', short: 'o', default: 'text' },
    help: { type: 'boolean', short: 'h', default: false },
  },
  'millwright --help',
);

/** Temporal takes no less than a day. */
const retentionPattern = /^[1-9]\d{0,3}$/;

const waitPattern = /^\d{1,2}$/;
const namePattern = /^[-\w.]{1,200}$/;

/** Throws a `UsageError`. */
export function readSetupArguments(argv: readonly string[]): SetupQuestion | { command: 'help' } {
  const { values, positionals } = parse(argv);
  if (values.help) return { command: 'help' };
  if (positionals.length > 0) throw wrong(`"${positionals.join(' ')}" is too much after "setup"`);
  const days = values['retention-days'];
  if (!retentionPattern.test(days)) {
    throw wrong(`--retention-days is "${days}"; allowed: whole days from 1 to 9999`);
  }
  return {
    command: 'setup',
    address: values['temporal-address'],
    temporalNamespace: values['temporal-namespace'],
    retentionDays: Number(days),
    isCheck: values.check,
    isJson: isJson(values.output),
    ...readVersion(values),
  };
}

interface VersionValues {
  current: string;
  deployment: string;
  'wait-minutes': string;
}

function readVersion(values: VersionValues): Pick<SetupQuestion, 'version'> {
  const { current, deployment, 'wait-minutes': minutes } = values;
  if (current === '' && deployment === '') return {};
  if (!namePattern.test(current)) {
    throw wrong(
      `--current is "${current}"; allowed: a build id of letters, digits, "-", "_" and ".", or own, or unversioned`,
    );
  }
  if (!/^[-\w]{1,200}$/.test(deployment)) {
    throw wrong(
      `--deployment is "${deployment}"; allowed: what --worker-deployment of the worker is, letters, digits, "-" and "_"`,
    );
  }
  if (!waitPattern.test(minutes)) {
    throw wrong(`--wait-minutes is "${minutes}"; allowed: whole minutes from 0 to 99`);
  }
  const waitMinutes = Number(minutes);
  return { version: { deploymentName: deployment, buildId: current, waitMinutes } };
}
