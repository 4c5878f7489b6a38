/** Commands of people and programs to a rollout while it runs. */
import { allowedReason, isReason, longestOverrideMs } from '../api/policy-override.ts';
import { quoted } from '../api/validation.ts';
import { localFirst, messageOf } from '../runtime/activity-options.ts';
import type { PendingCommand } from '../runtime/command-queue.ts';
import { CommandQueue, refusal, refuseOnObject } from '../runtime/command-queue.ts';
import type { Page } from '../runtime/page.ts';
import type { RolloutCommand } from '../contracts/commands.ts';
import { rolloutCommands } from '../contracts/commands.ts';
import type { ObjectReference } from '../contracts/references.ts';
import { defined } from '../values/defined.ts';
import type { DeploymentFacts } from '../plan/machine-deployment/rollout/facts.ts';

/** Present state, by which a command is refused before it begins. */
interface KnownDeployment {
  facts: () => DeploymentFacts | undefined;
  generation: () => number | undefined;
}

export class RolloutCommands extends CommandQueue<RolloutCommand> {
  constructor({ facts, generation }: KnownDeployment, page: Page) {
    super((command) => faultOf(command, facts()), page, { knownGeneration: generation });
    this.listen(rolloutCommands.pause);
    this.listen(rolloutCommands.resume);
    this.listen(rolloutCommands.rollback);
    this.listen(rolloutCommands.setReplicas);
    this.listen(rolloutCommands.overridePolicies);
  }

  /** `canaryRevision`: that a `resume` lets pass. Returns why it could not be done, if so. */
  async apply(
    { command, answer, written, heardAt }: PendingCommand<RolloutCommand>,
    of: { deployment: ObjectReference; canaryRevision: number | undefined },
  ): Promise<string | undefined> {
    const input = defined({ ...of, command, written, heardAt, now: Date.now() });
    try {
      const words = await localFirst((port) => port.applyRolloutCommand(input), command.verb);
      answer?.resolve(words);
      return undefined;
    } catch (error) {
      const fault = messageOf(error);
      answer?.reject(refusal(fault));
      const object = { ...of.deployment, kind: 'MachineDeployment' as const };
      if (written !== undefined) await refuseOnObject({ object, written, fault });
      return `${command.verb}: ${fault}`;
    }
  }
}

/** The API's own limit. */
const mostReplicas = 2 ** 31 - 1;

/** Returns the fault of a command, in words that say what to do; undefined when it can be tried. */
export function faultOf(
  command: RolloutCommand,
  facts: DeploymentFacts | undefined,
): string | undefined {
  if (facts?.isDeleting) return 'the MachineDeployment is being deleted';
  if (command.by !== undefined && typeof command.by !== 'string') return 'by: must be a text';
  if (command.verb === 'setReplicas') return replicasFault(command.replicas);
  if (command.verb === 'overridePolicies') return overrideFault(command);
  return command.verb === 'rollback' ? rollbackFault(command.revision, facts) : undefined;
}

function replicasFault(replicas: unknown): string | undefined {
  const isFit = isWhole(replicas) && replicas <= mostReplicas;
  return isFit ? undefined : `replicas: ${quoted(replicas)}: must be a whole number of 0 or more`;
}

const longestMinutes = longestOverrideMs / 60_000;

function overrideFault({ minutes, reason }: { minutes: unknown; reason: unknown }) {
  const isFit = typeof minutes === 'number' && minutes > 0 && minutes <= longestMinutes;
  if (!isFit)
    return `minutes: ${quoted(minutes)}: must be more than 0, and ${longestMinutes} at most`;
  if (typeof reason === 'string' && isReason(reason)) return undefined;
  return `reason: ${quoted(reason)}: ${allowedReason}`;
}

function rollbackFault(revision: unknown, facts: DeploymentFacts | undefined): string | undefined {
  if (revision !== undefined && !isWhole(revision)) {
    return `revision: ${quoted(revision)}: must be a whole number, or 0 for the one before`;
  }
  if (!facts) return undefined;
  if (facts.isPaused) return 'the MachineDeployment is paused: resume it, then roll back';
  const known = facts.sets
    .map((set) => set.revision)
    .filter((number) => number > 0)
    .toSorted((a, b) => a - b);
  if (!revision || known.includes(revision)) return undefined;
  return `revision: ${revision}: no MachineSet has it; known are ${known.join(', ') || 'none'}`;
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
