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

/** Resolves when all are known. Registers those that are not, where it may. */
export async function untilSearchAttributesKnown(
  temporal: Client,
  wait: SearchAttributeWait,
): Promise<void> {
  const { connection } = temporal;
  if (!(connection instanceof Connection)) return;
  const { first, max } = wait.waitMs ?? waitMs;
  for (let attempt = 1; ; attempt += 1) {
    wait.signal.throwIfAborted();
    const missing = await stillMissing(temporal, connection, wait);
    if (missing.length === 0) return;
    const backoff = { attempt, firstMs: first, maxMs: max, jitter: 0.5 };
    await sleep(backoffMs(backoff, random()), { signal: wait.signal }).catch(() =>
      wait.signal.throwIfAborted(),
    );
  }
}

async function stillMissing(
  temporal: Client,
  connection: Connection,
  { log, onMissing }: SearchAttributeWait,
): Promise<string[]> {
  const { namespace } = temporal.options;
  try {
    const missing = await unknownSearchAttributes(temporal);
    if (missing.length === 0) return missing;
    const names = missing.join(', ');
    onMissing(`waits for the search attributes ${names}`);
    const refusal = await registerSearchAttributes(connection, namespace, missing);
    if (refusal === undefined) {
      log.info({ names: missing }, 'search attributes registered');
      // The next attempt finds out whether they can be used by now.
      return missing;
    }
    const commands = commandsFor(missing, namespace);
    const reason = `Temporal does not know the search attributes ${names}, and this process cannot register them (${refusal})`;
    onMissing([`${reason}. Run, as an administrator:`, ...commands].join('\n'));
    log.error({ names: missing, reason: refusal, commands }, 'search attributes are missing');
    return missing;
  } catch (err) {
    const reason = reasonOf(err);
    onMissing(`cannot find out whether the search attributes exist: ${reason}`);
    log.warn({ reason }, 'cannot find out whether the search attributes exist');
    return Object.keys(searchAttributes);
  }
}

/** One count that matches nothing for each, so that it costs the store nothing. */
export async function unknownSearchAttributes({
  workflowService,
  options,
}: Client): Promise<string[]> {
  const unknown: string[] = [];
  for (const name of Object.keys(searchAttributes)) {
    try {
      await workflowService.countWorkflowExecutions({
        namespace: options.namespace,
        query: `WorkflowId = "none" AND ${name} IS NOT NULL`,
      });
    } catch (error) {
      if (!isInvalidArgument(error)) throw error;
      unknown.push(name);
    }
  }
  return unknown;
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
