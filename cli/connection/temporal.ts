/** How commands find Temporal: by options, variables or a profile, as `temporal` does. */
import type { Connection } from '@temporalio/client';
import type { Environment, TemporalSettings } from '../../workers/config/temporal.ts';
import { readTemporalSettings } from '../../workers/config/temporal.ts';
import { connectTo, isUnknownToTemporal } from '../../workers/kube/clients.ts';
import { isTemporalKnown } from './temporal-options.ts';
import type { TemporalOptions } from '../command-line/options.ts';
import { reasonOf } from '../../workers/log/reason.ts';

/** Throws with all that is wrong. */
export function temporalSettingsOf(
  { temporalAddress = '', temporalNamespace = '', payloadKeys = '' }: TemporalOptions,
  env: Environment,
): TemporalSettings {
  const flags = {
    'temporal-address': temporalAddress,
    'temporal-namespace': temporalNamespace,
    'payload-keys': payloadKeys,
  };
  const { settings, faults } = readTemporalSettings(flags, env);
  if (!settings) throw new Error(faults.join('\n'));
  return settings;
}

/** The same, for commands that change what is there: without an address they guess none. */
export function namedTemporalSettings(
  options: TemporalOptions,
  env: Environment,
): TemporalSettings {
  if (!isTemporalKnown(options, env))
    throw new Error('The address of Temporal is not known: --temporal-address says where it is.');
  return temporalSettingsOf(options, env);
}

/** To the server, whether the namespace is there or not. */
export async function connectOrExplain(settings: TemporalSettings): Promise<Connection> {
  const { address } = settings;
  try {
    return await connectTo(settings);
  } catch (error) {
    throw new Error(`Temporal at ${address} does not answer: ${reasonOf(error)}`, { cause: error });
  }
}

/** Undefined where Temporal has no such namespace, Schedule or version. */
export async function orMissing<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isUnknownToTemporal(error)) return undefined;
    throw error;
  }
}
