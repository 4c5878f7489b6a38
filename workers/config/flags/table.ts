/**
 * Every flag of both processes. MCM v0.62.1 has two binaries; each of our processes accepts the
 * flags of both.
 */
import { grouped, type Flag, type Flags } from './flag.ts';
import { machineFlags } from './machine.ts';
import { processFlags } from './process.ts';
import { boolean, duration, integer, text } from './kinds.ts';

/**
 * Flags that MCM has and Millwright has no use for. They are accepted, so that command lines need
 * no change.
 */
const unusedFlags = {
  'cloud-provider': {
    kind: text,
    default: '',
    says: 'Unused in MCM too.',
    noop: 'The MachineClass names the provider.',
  },
  'min-resync-period': {
    kind: duration,
    default: '12h',
    says: 'Time between two resyncs of the informers.',
    noop: 'Nothing is polled: watches resume where they ended, or list again.',
  },
  'controller-start-interval': {
    kind: duration,
    default: '0s',
    says: 'Unused in MCM too.',
    noop: 'There is one thing to start.',
  },
  'kube-api-content-type': {
    kind: text,
    default: 'application/vnd.kubernetes.protobuf',
    says: 'Unused in MCM too.',
    noop: 'API servers serve custom resources as JSON only.',
  },
  profiling: {
    kind: boolean,
    default: 'false',
    says: 'Serves /debug/pprof in MCM.',
    noop: 'Profiles are taken by Node.js: start it with --cpu-prof or --inspect.',
  },
  'contention-profiling': {
    kind: boolean,
    default: 'false',
    says: 'Records waits for locks in MCM.',
    noop: 'One thread has no locks to wait for.',
  },
  'machine-replace-cycle-count-threshold': {
    kind: integer({ min: 0 }),
    default: '3',
    says: 'Failed replacements after which a newer MCM than v0.62.1 grows the creation timeout.',
    noop: 'The creation timeout does not grow by itself.',
  },
} as const satisfies Flags;

const flagTable = {
  ...processFlags,
  ...machineFlags,
  ...grouped('Without effect', unusedFlags),
};

export type FlagName = keyof typeof flagTable;

export type FlagValues = {
  [Name in FlagName]: NonNullable<ReturnType<(typeof flagTable)[Name]['kind']['parse']>>;
};

export const isFlagName = (name: string): name is FlagName => Object.hasOwn(flagTable, name);

export const flagNames = Object.keys(flagTable).filter(isFlagName);

export function flagOf(name: FlagName): Flag<unknown> {
  return flagTable[name];
}
