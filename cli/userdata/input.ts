/** The profile and the config that options name: built in, in files, or those of a class. */
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { configOf, profileOf } from '../../activities/user-data/class-user-data.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { customResource } from '../../kube/client/paths.ts';
import type { UserDataConfig } from '../../userdata/config.ts';
import { inputFrom, readConfig, readProfile, type Read } from '../../userdata/documents.ts';
import type { Profile } from '../../userdata/profile.ts';
import { builtInProfile, profileNames } from '../../userdata/profiles.ts';
import { poolFaults, type UserDataInput } from '../../userdata/render.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import { annotations } from '../../workflows/api/constants.ts';
import type { MachineClass } from '../../workflows/api/machine-class.ts';
import { cloudInitSettings, userDataSourceOf } from '../../workflows/api/user-data.ts';
import { nearestOf } from '../../workflows/values/nearest.ts';
import type { ClusterOptions, OutputOptions } from '../command-line/options.ts';
import { UsageError } from '../command-line/usage-error.ts';
import type { ClusterScope } from '../connection/cluster.ts';

export interface InputOptions extends ClusterOptions, OutputOptions {
  /** Of a MachineClass. Undefined: no cluster is asked, and the other three are given. */
  className?: string | undefined;
  /** A name, or a file. Undefined: as the class says. */
  profile?: string | undefined;
  /** A file. Undefined: as the class says. */
  config?: string | undefined;
  /** Undefined: that of the class. */
  provider?: string | undefined;
}

/** Where documents are read that the command line does not give. */
interface OfClass {
  scope: ClusterScope;
  machineClass: MachineClass;
}

/**
 * Secrets are not read.
 *
 * @param scope Undefined where no class is named.
 * @throws {UsageError} It cannot be rendered: a line for each fault.
 */
export async function inputOf(
  scope: ClusterScope | undefined,
  { className = '', profile, config, provider }: InputOptions,
): Promise<UserDataInput> {
  const asked = scope && { scope, machineClass: await readClass(scope, className) };
  const read = inputFrom({
    profile: profile === undefined ? await profileOfClass(asked) : await profileNamed(profile),
    config: config === undefined ? await configOfClass(asked) : await configIn(config),
    provider: provider ?? asked?.machineClass.provider ?? '',
  });
  const faults = read.faults ?? poolFaults(read.value);
  if (read.faults || faults.length > 0) throw new UsageError(faults.join('\n'));
  return read.value;
}

async function readClass({ kube, namespace }: ClusterScope, name: string): Promise<MachineClass> {
  const path = customResource('machineclasses', namespace, name);
  const found = await ignoreNotFound(kube.get<MachineClass>(path));
  if (found) return found;
  throw new Error(`MachineClass ${namespace}/${name} does not exist`);
}

async function profileOfClass(asked: OfClass | undefined): Promise<Read<Profile>> {
  if (!asked) return { faults: ['--profile is missing: a name, or a file'] };
  const { scope, machineClass } = asked;
  const source = userDataSourceOf(machineClass);
  const named = `MachineClass ${scope.namespace}/${machineClass.metadata.name}`;
  const help = '--profile NAME shows what a profile would make';
  if (!source) {
    const text = `${named} has no annotation ${annotations.userData}: its machines start with the userData of its Secret`;
    return { faults: [`${text}; ${help}`] };
  }
  if (source.from === 'secret') {
    const text = `${named} takes the user data that operating-system-manager has made: Secret ${cloudInitSettings}/${source.name}. Nothing is rendered`;
    return { faults: [`${text}; ${help}`] };
  }
  return await profileOf({ client: scope.kube, namespace: scope.namespace }, source);
}

async function configOfClass(asked: OfClass | undefined): Promise<Read<UserDataConfig>> {
  if (!asked) return { faults: ['--config is missing: a file'] };
  const { scope, machineClass } = asked;
  const name = machineClass.metadata.annotations?.[annotations.userDataConfig];
  return await configOf({ client: scope.kube, namespace: scope.namespace }, name);
}

async function profileNamed(word: string): Promise<Read<Profile>> {
  if (/\/|\.ya?ml$/.test(word) || word === '-') return readProfile(await textIn(word), word);
  const value = builtInProfile(word);
  if (value) return { value };
  const meant = nearestOf(word, profileNames());
  const names =
    meant === undefined ? `known are ${profileNames().join(', ')}` : `did you mean ${meant}?`;
  return { faults: [`--profile: ${JSON.stringify(word)} is not a profile: ${names}`] };
}

async function configIn(file: string): Promise<Read<UserDataConfig>> {
  return readConfig(await textIn(file), file);
}

async function textIn(file: string): Promise<string> {
  return (await bytesIn(file)).toString('utf8');
}

/** `-` is the standard input, as a stream: a read of a pipe fails where its writer is slower. */
export async function bytesIn(file: string): Promise<Buffer> {
  try {
    return file === '-' ? await buffer(process.stdin) : await readFile(file);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}
