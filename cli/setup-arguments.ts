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
}

const { parse, wrong } = commandLine(
  {
    'temporal-address': { type: 'string', default: '' },
    'temporal-namespace': { type: 'string', default: '' },
    'retention-days': { type: 'string', default: '7' },
    check: { type: 'boolean', default: false },
    output: { type: 'string', short: 'o', default: 'text' },
    help: { type: 'boolean', short: 'h', default: false },
  },
  'millwright --help',
);

/** Temporal takes no less than a day. */
const retentionPattern = /^[1-9]\d{0,3}$/;

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
  };
}
