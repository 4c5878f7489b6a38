/** Finds what is wrong: objects in, findings out. All commands show these. */
import type { Machine } from '../../workflows/api/machine.ts';
import type { Finding } from './finding.ts';
import { worstFirst } from './finding.ts';
import type { Install } from '../install/install.ts';
import type { Patience } from './install.ts';
import { defaultPatience, installFindings } from './install.ts';
import { policiesOf } from '../install/policies.ts';
import { policyFindings } from './policies.ts';
import { updateStateOf } from '../install/in-place.ts';
import { healthFindings, nodeNameOf } from './machine-health.ts';
import { updateFindings } from './machine-in-place.ts';
import { untouchedFindings, isDeletionTaken } from './machine-untouched.ts';
import { classFindings, deploymentFindings, setFindings } from './pools.ts';
import { nameInLine } from '../../workflows/values/name-in-line.ts';
import {
  editClassCommands,
  hookCommands,
  kubectlFor,
  retryCommand,
  drainCommands,
  skipVolumeCommands,
  moreTimeCommand,
  replaceCommand,
  updateDrainCommands,
} from './machine-commands.ts';
import { failureSequelOf, foundMachine } from './machine-object.ts';
import {
  joinDeadlineOf,
  timeOf,
  drainDeadlineOf,
  updateDrainDeadlineOf,
} from '../install/times.ts';
import type { Trouble } from './trouble.ts';
import { holdReportIn, hookPatienceMs } from '../../workflows/api/deletion-hooks.ts';
import { drainBlockerOf } from '../../workflows/api/drain-failure.ts';
import {
  creationTroubleOf,
  failureMessageOf,
  isOfApiServer,
} from '../../workflows/api/creation-failure.ts';

/** The worst first. Empty: nothing waits for longer than it should. */
export function diagnose(install: Install, patience: Patience = defaultPatience): Finding[] {
  return worstFirst([
    ...installFindings(install, patience),
    ...install.deployments.flatMap(deploymentFindings),
    ...install.sets.flatMap(setFindings),
    ...policiesOf(install).flatMap(policyFindings),
    ...install.classes.flatMap((one) => classFindings(one, install)),
    ...install.machines.flatMap((machine) => machineFindings(machine, install)),
  ]);
}

export function machineFindings(machine: Machine, install: Install): Finding[] {
  return [
    ...drainFindings(machine, install),
    ...hookFindings(machine, install),
    ...creationFindings(machine, install),
    ...joinFindings(machine, install),
    ...healthFindings(machine, install),
    ...updateFindings(machine, install),
    ...untouchedFindings(machine, install),
  ];
}

/** A machine whose instance cannot be made. */
function creationFindings(machine: Machine, install: Install): Finding[] {
  if (!isRefused(machine)) return [];
  const { trouble, cause } = cloudFailureOf(machine);
  return [
    {
      trouble,
      object: foundMachine(machine),
      cause,
      since: timeOf(machine.status?.lastOperation?.lastUpdateTime),
      ...(machine.status?.currentStatus?.phase !== 'Failed' && {
        until: joinDeadlineOf(machine, install),
        sequel: failureSequelOf(machine, install),
      }),
      commands: commandsFor(machine, trouble),
    },
  ];
}

function isRefused({ metadata, status }: Machine): boolean {
  const { type, state, errorCode } = status?.lastOperation ?? {};
  const isCreation = type === 'Create' && state === 'Failed' && errorCode !== undefined;
  return metadata.deletionTimestamp === undefined && isCreation;
}

const commandsByTrouble: Partial<Record<Trouble, (machine: Machine) => string[]>> = {
  'bad-spec': editClassCommands,
  'missing-secret': editClassCommands,
  credentials: secretCommands,
  'worker-down': () => ['kubectl get deployments -A -l app.kubernetes.io/name=millwright'],
};

function commandsFor(machine: Machine, trouble: Trouble | undefined): string[] {
  const known = trouble && commandsByTrouble[trouble];
  if (known) return known(machine);
  return ['# tries it now, not after the back-off', retryCommand(machine)];
}

function secretCommands(machine: Machine): string[] {
  const className = nameInLine(machine.spec.class?.name ?? '');
  const paths = '{.secretRef.name}{" "}{.credentialsSecretRef.name}';
  return [
    '# the Secret with the credentials; a repaired one is tried at once',
    `${kubectlFor(machine)} get machineclass ${className} -o jsonpath='${paths}'`,
  ];
}

/** As activities/drain/status.ts writes it, in the words of MCM v0.62.1. */
const drainFailed = /^Drain failed due to - (.*?)\. Will retry in next sync\b/s;

/** A machine whose deletion waits for others. */
function hookFindings(machine: Machine, { now }: Install): Finding[] {
  const { metadata, status } = machine;
  const { held } = holdReportIn(status?.conditions, Date.parse);
  const isGoing = metadata.deletionTimestamp !== undefined;
  if (!isGoing || !held || now < held.since + hookPatienceMs) return [];
  const { message: cause, since } = held;
  const commands = hookCommands(machine);
  return [{ trouble: 'hook-waits', object: foundMachine(machine), cause, since, commands }];
}

/** A machine that is to go, or to be updated in place, and is not: its drain, or the cloud. */
function drainFindings(machine: Machine, install: Install): Finding[] {
  const { status, metadata } = machine;
  const { state, description = '' } = status?.lastOperation ?? {};
  const isGoing = metadata.deletionTimestamp !== undefined && isDeletionTaken(machine);
  const isForUpdate = updateStateOf(machine) === 'draining';
  if ((!isGoing && !isForUpdate) || state !== 'Failed') return [];
  const [, words] = drainFailed.exec(description) ?? [];
  if (words !== undefined) return [blockedFinding(machine, install, words)];
  return isGoing ? [deletionFinding(machine)] : [];
}

function blockedFinding(machine: Machine, install: Install, words: string): Finding {
  const trouble = troubleOf(machine, words);
  const volumeCommands = trouble === 'drain-volume' ? skipVolumeCommands(machine) : [];
  const isGoing = machine.metadata.deletionTimestamp !== undefined;
  const commands = isGoing
    ? [...volumeCommands, ...drainCommands(machine)]
    : updateDrainCommands(machine, nodeNameOf(machine));
  return {
    trouble,
    object: foundMachine(machine),
    cause: `its drain is blocked, ${words}`,
    since: timeOf(machine.status?.lastOperation?.lastUpdateTime),
    until: isGoing ? drainDeadlineOf(machine, install) : updateDrainDeadlineOf(machine, install),
    sequel: 'what is left of its pods is deleted by force',
    commands: [...budgetCommands(words), ...commands],
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

/** Share of the time that it has: a Node that joins at all has joined by then. */
const patience = 0.5;

/** A machine whose instance is there and whose Node is not, or is not Ready. */
function joinFindings(machine: Machine, install: Install): Finding[] {
  if (machine.metadata.deletionTimestamp !== undefined) return [];
  if (hasFailedToJoin(machine)) return [failedFinding(machine)];
  if (isClaimed(machine)) return [claimedFinding(machine)];
  const { spec, status } = machine;
  const isJoining = status?.currentStatus?.phase === 'Pending' && spec.providerID !== undefined;
  return isJoining ? lateFindings(machine, install) : [];
}

function lateFindings(machine: Machine, install: Install): Finding[] {
  const { metadata, spec, status } = machine;
  const until = joinDeadlineOf(machine, install);
  const from = timeOf(metadata.creationTimestamp);
  if (from === undefined || until === undefined) return [];
  if (install.now < from + (until - from) * patience) return [];
  return [
    {
      trouble: 'never-joins',
      object: foundMachine(machine),
      cause: `instance ${spec.providerID ?? 'unknown'} has no Node that is Ready${readinessOf(machine)}`,
      since: timeOf(status?.currentStatus?.lastUpdateTime),
      until,
      sequel: failureSequelOf(machine, install),
      commands: moreTimeCommand(machine, install),
    },
  ];
}

function failedFinding(machine: Machine): Finding {
  const { metadata, status } = machine;
  return {
    trouble: 'never-joins',
    object: foundMachine(machine),
    cause: `its Node did not become Ready in time: ${status?.lastOperation?.description ?? ''}`,
    since: timeOf(metadata.creationTimestamp),
    commands: replaceCommand(machine),
  };
}

/** Another Machine has its Node: `activities/machine/node/claims.ts`. */
function isClaimed({ status }: Machine): boolean {
  const { type, state, errorCode } = status?.lastOperation ?? {};
  const isPending = status?.currentStatus?.phase === 'Pending';
  return isPending && type === 'Create' && state === 'Failed' && errorCode === undefined;
}

function claimedFinding(machine: Machine): Finding {
  const { description = '', lastUpdateTime } = machine.status?.lastOperation ?? {};
  return {
    trouble: 'never-joins',
    object: foundMachine(machine),
    cause: description,
    since: timeOf(lastUpdateTime),
    commands: replaceCommand(machine),
  };
}

/** As activities/machine/record.ts says it. A refused create is another trouble. */
function hasFailedToJoin({ status }: Machine): boolean {
  const { description = '', errorCode } = status?.lastOperation ?? {};
  const isFailed = status?.currentStatus?.phase === 'Failed' && errorCode === undefined;
  return isFailed && / failed to join the cluster in /.test(description);
}

/** Last words of its Node, where there is one. */
function readinessOf({ status }: Machine): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (!ready) return '';
  const words = [ready.reason, ready.message].filter((text) => text !== undefined && text !== '');
  return `: ${words.join(': ') || `Ready is ${ready.status}`}`;
}

interface CloudFailure {
  /** Undefined where a retry may help as well as anything. */
  trouble: Trouble | undefined;
  cause: string;
}

/** Reads from a Machine what the cloud, or what is before it, has refused. */
function cloudFailureOf(machine: Machine): CloudFailure {
  const words = failureMessageOf(machine);
  const { errorCode = '' } = machine.status?.lastOperation ?? {};
  if (isOfApiServer(words)) return apiServerFailure(errorCode, words);
  const trouble = creationTroubleOf(errorCode, words);
  const introduction = (trouble && introductions[trouble]) ?? 'the cloud fails';
  return { trouble, cause: `${introduction}: ${words}` };
}

/** Our own rights, a webhook, a quota of Kubernetes: no page is about these. */
function apiServerFailure(errorCode: string, words: string): CloudFailure {
  return errorCode === 'Unavailable'
    ? { trouble: 'api-server-down', cause: `an API server does not answer: ${words}` }
    : { trouble: undefined, cause: `an API server refuses what it needs: ${words}` };
}

const introductions: Partial<Record<Trouble, string>> = {
  'bad-spec': 'what is written is refused',
  'missing-secret': 'what it is made from is missing',
  credentials: 'the cloud refuses the credentials',
  quota: "the account's quota is used up",
  capacity: 'the cloud has no room',
  'worker-down': 'no worker serves its provider',
};
