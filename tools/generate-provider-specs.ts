/**
 * A part of `npm run generate`: makes each driver's provider-spec.ts from its
 * provider-spec.schema.json.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';

/** Drivers whose provider spec has a schema. */
export const driversWithSchema = [
  'alicloud',
  'anexia',
  'aws',
  'azure',
  'digitalocean',
  'gcp',
  'hetzner',
  'kubevirt',
  'metal',
  'nutanix',
  'openstack',
  'vcd',
  'vsphere',
  'yandex',
] as const;

const banner =
  '/** Generated from provider-spec.schema.json by `npm run generate`; do not edit. */';

export const driverFolder = (driver: string): URL =>
  new URL(`../activities/drivers/${driver}/`, import.meta.url);

/** The text of provider-spec.ts. The schema's `title` is the name of the type. */
export async function generateProviderSpec(driver: string): Promise<string> {
  const schema = JSON.parse(
    await readFile(new URL('provider-spec.schema.json', driverFolder(driver)), 'utf8'),
  );
  return await compile(schema, schema.title, {
    additionalProperties: false,
    bannerComment: banner,
    style: { printWidth: 100, singleQuote: true },
  });
}

if (import.meta.main) {
  for (const driver of driversWithSchema) {
    const text = await generateProviderSpec(driver);
    await writeFile(new URL('provider-spec.ts', driverFolder(driver)), text);
  }
}
