/** A machine that is to go and does not: its drain, or the cloud. */
import { drainBlockerOf } from '../../workflows/api/drain-failure.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { cloudFailureOf } from './cloud-failure.ts';
import type { Finding } from './finding.ts';
import type { Install } from '../install/install.ts';
import { drainCommands, kubectlFor, retryCommand, skipVolumeCommands } from './machine-commands.ts';
import { foundMachine } from './machine-object.ts';
import { isDeletionTaken } from './machine-untouched.ts';
import { drainDeadlineOf, timeOf } from '../install/times.ts';
import type { Trouble } from './trouble.ts';

/** As activities/drain/status.ts writes it, in the words of MCM v0.62.1. */
const drainFailed = /^Drain failed due to - (.*?)\. Will retry in next sync\b/s;

export function drainFindings(machine: Machine, install: Install): Finding[] {
  const { status, metadata } = machine;
  const { state, description = '' } = status?.lastOperation ?? {};
  const isGoing = metadata.deletionTimestamp !== undefined && isDeletionTaken(machine);
  if (!isGoing || state !== 'Failed') return [];
  const [, words] = drainFailed.exec(description) ?? [];
  return [words === undefined ? deletionFinding(machine) : blockedFinding(machine, install, words)];
}

function blockedFinding(machine: Machine, install: Install, words: string): Finding {
  const trouble = troubleOf(machine, words);
  const volumeCommands = trouble === 'drain-volume' ? skipVolumeCommands(machine) : [];
  return {
    trouble,
    object: foundMachine(machine),
    cause: `its drain is blocked, ${words}`,
    since: timeOf(machine.status?.lastOperation?.lastUpdateTime),
    until: drainDeadlineOf(machine, install),
    sequel: 'what is left of its pods is deleted by force',
    commands: [...budgetCommands(words), ...volumeCommands, ...drainCommands(machine)],
  };
}

/** By what has been in the way for longest, as the alerts have it. */
function troubleOf(machine: Machine, words: string): Trouble {
  if (words.includes('is out of reach')) return 'api-server-down';
  return drainBlockerOf(machine) === 'Volume' ? 'drain-volume' : 'drain-budget';
}

/** The first budget that is named. */
function budgetCommands(words: string): string[] {
  const [, namespace, name] = /PodDisruptionBudget ([-a-z0-9.]+)\/([-a-z0-9.]+)/.exec(words) ?? [];
  if (namespace === undefined || name === undefined) return [];
  return [
    '# in the cluster of the Nodes: who may not go, and why',
    `kubectl -n ${namespace} describe poddisruptionbudget ${name}`,
  ];
}

/** Pages that say what helps a deletion as well. */
const troublesOfDeletions: ReadonlySet<Trouble | undefined> = new Set<Trouble>([
  'credentials',
  'missing-secret',
  'worker-down',
  'api-server-down',
]);

/** The instance does not go. */
function deletionFinding(machine: Machine): Finding {
  const failure = cloudFailureOf(machine);
  return {
    trouble: troublesOfDeletions.has(failure.trouble) ? failure.trouble : undefined,
    object: foundMachine(machine),
    cause: `it is to go, and ${failure.cause}`,
    since: timeOf(machine.status?.lastOperation?.lastUpdateTime),
    commands: [
      `${kubectlFor(machine)} describe machine ${machine.metadata.name}`,
      retryCommand(machine),
    ],
  };
}
