/** What is wrong with a provider spec, by its schema. */
import { specReading } from '../spec-schema.ts';
import type { YandexProviderSpec } from './provider-spec.ts';
import schema from './provider-spec.schema.json' with { type: 'json' };

export const { specOf, validateProviderSpec } = specReading<YandexProviderSpec>(schema);
