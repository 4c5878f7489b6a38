/** How long machines took to come and to go, for a guess at how long others will take. */
import { parseDuration } from '../../workflows/api/duration.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import type { Machine } from '../../workflows/api/machine.ts';
import { creationMsOf, medianOf } from '../install/creation-times.ts';

interface Guess {
  /** Likely seconds. */
  seconds: number;
  /** Seconds that it cannot exceed without a failure. */
  longestSeconds: number;
  /** Source of the guess, such as `3 machines of class small`. */
  source: string;
}

export interface Durations {
  creation: Guess;
  /** From the request until instance and Node are gone. */
  deletion: Guess;
  /** Before an update in place. */
  drain: Guess;
  /** Until the agent on the Node has updated it. */
  update: Guess;
}

/** Where nothing is known. */
const creationSeconds = 180;
const deletionSeconds = 120;
const drainSeconds = 120;
const updateSeconds = 600;
/** Defaults of the worker's flags. */
const creationTimeoutSeconds = 1_200;
const drainTimeoutSeconds = 7_200;
const inPlaceUpdateTimeoutSeconds = 1_200;
/** Deletion of an instance, once its Node is drained. */
const removalSeconds = 300;

export interface PastDeletion {
  machine: string;
  seconds: number;
}

interface PastMachines {
  machines: readonly Machine[];
  classes: readonly MachineClass[];
  deletions: readonly PastDeletion[];
}

/** @param className Of the machines that are to come. */
export function durationsOf(
  { machines, classes, deletions }: PastMachines,
  { className, template }: { className: string; template: Machine['spec'] },
): Durations {
  const longestDrain = secondsOf(template.drainTimeout, drainTimeoutSeconds);
  const gone = medianOf(deletions.map(({ seconds }) => seconds));
  return {
    creation: {
      ...creationGuess({ machines, classes }, className),
      longestSeconds: secondsOf(template.creationTimeout, creationTimeoutSeconds),
    },
    deletion: {
      ...(gone === undefined
        ? { seconds: deletionSeconds, source: 'a default: no deletion is known' }
        : { seconds: gone, source: `the last ${countOf(deletions.length)} that went` }),
      longestSeconds: longestDrain + removalSeconds,
    },
    drain: { seconds: drainSeconds, source: 'a default', longestSeconds: longestDrain },
    update: {
      seconds: updateSeconds,
      source: 'a default: nothing says how long an agent takes',
      longestSeconds: secondsOf(template.inPlaceUpdateTimeout, inPlaceUpdateTimeoutSeconds),
    },
  };
}

function creationGuess(
  { machines, classes }: Pick<PastMachines, 'machines' | 'classes'>,
  className: string,
): Pick<Guess, 'seconds' | 'source'> {
  const ofClass = timesOf(machines, (name) => name === className);
  const seconds = medianOf(ofClass);
  if (seconds !== undefined) {
    return { seconds, source: `${countOf(ofClass.length)} of class ${className}` };
  }
  const provider = providerOf(classes, className);
  const known = timesOf(machines, (name) => providerOf(classes, name) === provider);
  const ofProvider = medianOf(known);
  if (provider === undefined || ofProvider === undefined) {
    return { seconds: creationSeconds, source: 'a default: no machine like these is there' };
  }
  return { seconds: ofProvider, source: `${countOf(known.length)} of provider ${provider}` };
}

function providerOf(classes: readonly MachineClass[], name: string): string | undefined {
  return classes.find(({ metadata }) => metadata.name === name)?.provider;
}

function timesOf(machines: readonly Machine[], isMeant: (className: string) => boolean): number[] {
  return machines
    .filter(({ spec }) => isMeant(spec.class?.name ?? ''))
    .flatMap((machine) => creationMsOf(machine) ?? [])
    .map((ms) => ms / 1_000);
}

function countOf(count: number): string {
  return count === 1 ? '1 machine' : `${count} machines`;
}

function secondsOf(text: string | undefined, otherwise: number): number {
  return (text === undefined ? undefined : parseDuration(text)) ?? otherwise;
}
