/**
 * The search attributes that our workflows set have to be known to Temporal: a workflow that sets
 * an unknown one stands still. Whether they are known shows by using them, which every right on the
 * Temporal namespace allows; to list or register them is the right of an administrator.
 */
import type { Client } from '@temporalio/client';
import { Connection } from '@temporalio/client';
import { searchAttributes } from '../../workflows/contracts/search-attributes.ts';
import { backoffMs } from '../../workflows/values/backoff.ts';
import type { Logger } from '../log/logger.ts';
import { reasonOf } from '../log/reason.ts';
import { random, sleep } from '../../activities/system/system.ts';
import { isInvalidArgument } from './grpc-errors.ts';

/** As `temporal.api.enums.v1.IndexedValueType` counts them. */
const typeNumbers = { TEXT: 1, KEYWORD: 2, DATETIME: 6 } as const;
/** As the command `temporal` calls them. */
const typeNames = { TEXT: 'Text', KEYWORD: 'Keyword', DATETIME: 'Datetime' } as const;
/** A store needs some seconds for a new attribute. */
const waitMs = { first: 1_000, max: 60_000 };

export interface SearchAttributeWait {
  log: Logger;
  /** Ends the waiting: its reason is thrown. */
  signal: AbortSignal;
  /** Called with why this process is not ready, at each attempt that fails. */
  onMissing: (reason: string) => void;
  waitMs?: { first: number; max: number };
}

/** Resolves when all can be used. Registers those that are not known, where it may. */
export async function untilSearchAttributesKnown(
  temporal: Client,
  wait: SearchAttributeWait,
): Promise<void> {
  const { connection } = temporal;
  if (!(connection instanceof Connection)) return;
  const { first, max } = wait.waitMs ?? waitMs;
  for (let attempt = 1; ; attempt += 1) {
    wait.signal.throwIfAborted();
    if (await areUsable(temporal, connection, wait)) return;
    const backoff = { attempt, firstMs: first, maxMs: max, jitter: 0.5 };
    await sleep(backoffMs(backoff, random()), { signal: wait.signal }).catch(() =>
      wait.signal.throwIfAborted(),
    );
  }
}

async function areUsable(
  temporal: Client,
  connection: Connection,
  { log, onMissing }: SearchAttributeWait,
): Promise<boolean> {
  const { namespace } = temporal.options;
  try {
    const { missing, mistyped } = await searchAttributeFaults(temporal);
    if (mistyped.length > 0) {
      const reason = typesMessage(mistyped, namespace);
      onMissing(reason);
      log.error({ names: mistyped }, reason);
    } else if (missing.length > 0)
      await register(missing, connection, { namespace, log, onMissing });
    // The next attempt finds out whether they can be used by now.
    return missing.length + mistyped.length === 0;
  } catch (err) {
    const reason = reasonOf(err);
    onMissing(`cannot find out whether the search attributes exist: ${reason}`);
    log.warn({ reason }, 'cannot find out whether the search attributes exist');
    return false;
  }
}

async function register(
  missing: readonly string[],
  connection: Connection,
  { namespace, log, onMissing }: Pick<SearchAttributeWait, 'log' | 'onMissing'> & Place,
): Promise<void> {
  const names = missing.join(', ');
  onMissing(`waits for the search attributes ${names}`);
  const refusal = await registerSearchAttributes(connection, namespace, missing);
  if (refusal === undefined) return log.info({ names: missing }, 'search attributes registered');
  const commands = commandsFor(missing, namespace);
  const reason = `Temporal does not know the search attributes ${names}, and this process cannot register them (${refusal})`;
  onMissing([`${reason}. Run, as an administrator:`, ...commands].join('\n'));
  log.error({ names: missing, reason: refusal, commands }, 'search attributes are missing');
}

interface Place {
  /** Of Temporal. */
  namespace: string;
}

/** Names of what cannot be used. */
export interface SearchAttributeFaults {
  /** Temporal does not know them. */
  missing: string[];
  /** They are of another application: it refuses their values, and so the runs that have them. */
  mistyped: string[];
}

/** Counts that match nothing cost the store nothing: one for all, or for each where that fails. */
export async function searchAttributeFaults(client: Client): Promise<SearchAttributeFaults> {
  const faults: SearchAttributeFaults = { missing: [], mistyped: [] };
  const names = Object.keys(searchAttributes);
  // Temporal Cloud allows 30 such calls a second, and all workers ask after an upgrade.
  if (await canAsk(client, `(${names.map(conditionOf).join(' OR ')})`)) return faults;
  for (const name of names) {
    if (await canAsk(client, conditionOf(name))) continue;
    const isKnown = await canAsk(client, `${name} IS NOT NULL`);
    (isKnown ? faults.mistyped : faults.missing).push(name);
  }
  return faults;
}

function conditionOf(name: string): string {
  return `${name} ${valuesOf[typeOf(name)]}`;
}

/** Values that can be asked of a type. Keyword and Text are alike to what we write. */
const valuesOf = {
  KEYWORD: '= "none"',
  TEXT: '= "none"',
  DATETIME: '> "2000-01-01T00:00:00Z"',
} as const;

async function canAsk({ workflowService, options }: Client, condition: string): Promise<boolean> {
  try {
    await workflowService.countWorkflowExecutions({
      namespace: options.namespace,
      query: `WorkflowId = "none" AND ${condition}`,
    });
    return true;
  } catch (error) {
    if (!isInvalidArgument(error)) throw error;
    return false;
  }
}

/** Types cannot be changed, and what is removed is lost to who has it. */
export function typesMessage(names: readonly string[], namespace: string): string {
  const types = names.map((name) => `${name} (must be ${typeNames[typeOf(name)]})`);
  return `search attributes of Temporal namespace ${namespace} have another type: ${types.join(', ')}. Give Millwright a Temporal namespace of its own`;
}

/** Returns why it cannot be done: no right, no such service, no column left. */
export async function registerSearchAttributes(
  { operatorService }: Connection,
  namespace: string,
  names: readonly string[],
): Promise<string | undefined> {
  const types = names.map((name): [string, number] => [name, typeNumbers[typeOf(name)]]);
  try {
    await operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(types),
    });
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** For a server of one's own, and for Temporal Cloud. */
export function commandsFor(names: readonly string[], namespace: string): string[] {
  const each = names.map((name) => ({ name, type: typeNames[typeOf(name)] }));
  const own = each.map(({ name, type }) => `--name ${name} --type ${type}`);
  const cloud = each.map(({ name, type }) => `--search-attribute "${name}=${type}"`);
  return [
    `temporal operator search-attribute create --namespace ${namespace} ${own.join(' ')}`,
    `tcld namespace search-attributes add --namespace ${namespace} ${cloud.join(' ')}`,
  ];
}

function typeOf(name: string): keyof typeof typeNumbers {
  const type = searchAttributes[name];
  if (type !== 'KEYWORD' && type !== 'TEXT' && type !== 'DATETIME') {
    throw new Error(`the search attribute ${name} has the unexpected type ${type}`);
  }
  return type;
}
