/** `millwright setup`: makes a Temporal namespace ready for Millwright, and says what it lacks. */
import type { Connection } from '@temporalio/client';
import { Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { Environment, TemporalSettings } from '../../workers/config/temporal.ts';
import { reasonOf } from '../../workers/log/reason.ts';
import {
  commandsFor,
  registerSearchAttributes,
  searchAttributeFaults,
  wordsOfTypes,
} from '../../workers/temporal/search-attributes.ts';
import { connectOrExplain, namedTemporalSettings, orMissing } from '../connection/temporal.ts';
import type { Answer } from '../command-line/answer.ts';
import type { OutputOptions, TemporalOptions } from '../command-line/options.ts';
import type { VersionOptions } from './version.ts';
import type { SetupResult } from './steps.ts';
import { askEveryMs, knownWithinMs } from './steps.ts';
import { untilAnswered } from '../connection/until-answered.ts';
import { ensureCurrent } from './version.ts';

export interface SetupOptions extends TemporalOptions, OutputOptions {
  /** How long Temporal keeps closed workflows, where the namespace is made. */
  retentionDays: number;
  /** Changes nothing. */
  isCheck: boolean;
  /** Present: only this is done, and the namespace is checked. */
  version?: VersionOptions;
}

/** All calls together: each of the two things that are made may take so long to be known. */
const longestMs = 3 * knownWithinMs;

interface SetupReport {
  address: string;
  namespace: string;
  isReady: boolean;
  findings: readonly SetupResult[];
}

/** Exit code 1: something is missing. */
export async function setup(
  options: SetupOptions,
  env: Environment = process.env,
): Promise<Answer<SetupReport>> {
  const settings = namedTemporalSettings(options, env);
  const connection = await connectOrExplain(settings);
  try {
    const waitMs = (options.version?.waitMinutes ?? 0) * 60_000;
    const findings = await connection.withDeadline(Date.now() + longestMs + waitMs, () =>
      findingsOf(options, settings, connection),
    );
    const isReady = findings.every(({ state }) => state !== 'missing');
    const { address, namespace } = settings;
    const lines = findings.map(({ what, state, text }) => `${state.padEnd(8)}${what}: ${text}`);
    const end = isReady
      ? `Namespace ${namespace} of ${address} is ready.`
      : `Namespace ${namespace} of ${address} is not ready.`;
    const data = { address, namespace, isReady, findings };
    return { text: [...lines, end].join('\n'), data, exitCode: isReady ? 0 : 1 };
  } finally {
    await connection.close();
  }
}

/** What a later step needs, an earlier one has found or made. */
async function findingsOf(
  options: SetupOptions,
  { namespace }: TemporalSettings,
  connection: Connection,
): Promise<SetupResult[]> {
  const { serverVersion } = await connection.workflowService.getSystemInfo({});
  const server: SetupResult = { what: 'server', state: 'there', text: `version ${serverVersion}` };
  const { version, isCheck } = options;
  // Who names a version has an install, and no reason to make a namespace of a mistyped name.
  const ofNamespace = await ensureNamespace(
    { ...options, isCheck: isCheck || version !== undefined },
    namespace,
    connection,
  );
  if (ofNamespace.state === 'missing') return [server, ofNamespace];
  if (version) {
    const temporal = new Client({ connection, namespace });
    return [server, ofNamespace, await ensureCurrent(version, isCheck, temporal)];
  }
  return [server, ofNamespace, await ensureAttributes(options, namespace, connection)];
}

async function ensureNamespace(
  { retentionDays, isCheck }: SetupOptions,
  namespace: string,
  { workflowService }: Connection,
): Promise<SetupResult> {
  const what = 'namespace';
  const found = await orMissing(workflowService.describeNamespace({ namespace }));
  if (found) {
    const seconds = Number(found.config?.workflowExecutionRetentionTtl?.seconds ?? 0);
    return { what, state: 'there', text: `keeps closed workflows for ${seconds / 3_600} hours` };
  }
  const command = `temporal operator namespace create --namespace ${namespace} --retention ${retentionDays}d`;
  if (isCheck) return { what, state: 'missing', text: `make it with: ${command}` };
  try {
    await workflowService.registerNamespace({
      namespace,
      description: 'Millwright',
      workflowExecutionRetentionPeriod: msToTs(`${retentionDays}d`),
    });
    return { what, state: 'made', text: `keeps closed workflows for ${retentionDays} days` };
  } catch (error) {
    const why = reasonOf(error);
    return {
      what,
      state: 'missing',
      text: `it cannot be made (${why}). Run as an administrator: ${command}`,
    };
  }
}

async function ensureAttributes(
  { isCheck }: SetupOptions,
  namespace: string,
  connection: Connection,
): Promise<SetupResult> {
  const what = 'search attributes';
  const client = new Client({ connection, namespace });
  const faults = async () => await orMissing(searchAttributeFaults(client));
  const found = await until(faults, `the server does not know the namespace ${namespace} yet`);
  const { missing, mistyped } = found;
  if (mistyped.length > 0) {
    return { what, state: 'missing', text: wordsOfTypes(mistyped, namespace) };
  }
  if (missing.length === 0) return { what, state: 'there', text: 'all of them' };
  const names = missing.join(', ');
  const commands = commandsFor(missing, namespace);
  const toDo = ['Run as an administrator, here or in Temporal Cloud:', ...commands].join('\n  ');
  if (isCheck) return { what, state: 'missing', text: `${names}. ${toDo}` };
  const refusal = await registerSearchAttributes(connection, namespace, missing);
  if (refusal !== undefined) {
    return { what, state: 'missing', text: `${names}: ${refusal}. ${toDo}` };
  }
  await until(
    async () => ((await faults())?.missing.length === 0 ? true : undefined),
    'the server does not know the search attributes yet',
  );
  return { what, state: 'made', text: names };
}

async function until<Found>(
  ask: () => Promise<Found | undefined>,
  otherwise: string,
): Promise<Found> {
  const answer = await untilAnswered(ask, {
    withinMs: knownWithinMs,
    everyMs: askEveryMs,
  });
  if (answer === undefined) throw new Error(`${otherwise}: try again`);
  return answer;
}
