/** The search attributes that our workflows set have to be known to Temporal. */
import type { Client } from '@temporalio/client';
import { Connection } from '@temporalio/client';
import { searchAttributes } from '../workflows/messages.ts';
import type { Logger } from './logger.ts';

/** As `temporal.api.enums.v1.IndexedValueType` counts them. */
const typeNumbers = { KEYWORD: 2, DATETIME: 6 } as const;

/** Registers what is missing: an upsert of an unknown one fails a workflow's task for ever. */
export async function ensureSearchAttributes(
  { connection, options: { namespace } }: Client,
  log: Logger,
): Promise<void> {
  if (!(connection instanceof Connection)) return;
  const { operatorService } = connection;
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  const missing = Object.entries(searchAttributes).filter(([name]) => !(name in customAttributes));
  if (missing.length === 0) return;
  await operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(missing.map(([name, type]) => [name, typeNumbers[type]])),
  });
  log.info({ names: missing.map(([name]) => name) }, 'search attributes registered');
}
