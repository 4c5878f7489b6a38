/** The providers of machine-controller that the front serves. */
import { fake } from './fake.ts';
import type { ProviderTable } from './table.ts';

/** By `cloudProvider`. */
export const providerTables: Readonly<Record<string, ProviderTable>> = { fake };
