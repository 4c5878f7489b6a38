/**
 * A part of `npm run generate`: makes each driver's provider-spec.ts from its
 * provider-spec.schema.json, and the types of profiles and configs of user data in the same way.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';
import { wrapComments } from './generated-comments.ts';

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

/** Files in `userdata/`: `<name>.schema.json` to `<name>.ts`. */
export const userDataSchemas = ['config', 'profile'] as const;

export const driverFolder = (driver: string): URL =>
  new URL(`../activities/drivers/${driver}/`, import.meta.url);

export const userDataFolder = new URL('../userdata/', import.meta.url);

/** The text of `<name>.ts`, of `<name>.schema.json`. The schema's `title` is the type's name. */
export async function generateTypes(folder: URL, name: string): Promise<string> {
  const file = `${name}.schema.json`;
  const schema = JSON.parse(await readFile(new URL(file, folder), 'utf8'));
  const code = await compile(schema, schema.title, {
    additionalProperties: false,
    bannerComment: `/** Generated from ${file} by \`npm run generate\`; do not edit. */`,
    style: { printWidth: 100, singleQuote: true },
  });
  return wrapComments(code);
}

if (import.meta.main) {
  const files = [
    ...driversWithSchema.map((driver) => ({ folder: driverFolder(driver), name: 'provider-spec' })),
    ...userDataSchemas.map((name) => ({ folder: userDataFolder, name })),
  ];
  for (const { folder, name } of files) {
    await writeFile(new URL(`${name}.ts`, folder), await generateTypes(folder, name));
  }
}
