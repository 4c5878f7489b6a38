/**
 * A part of `npm run generate`: makes the types of the driver contract from its JSON schema, which
 * is what drivers in other languages go by.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';
import { wrapComments } from './generated-comments.ts';

const contracts = new URL('../workflows/contracts/', import.meta.url);
const schemaFile = new URL('driver.schema.json', contracts);
export const typesFile = new URL('driver-contract.ts', contracts);

/** Where the types stand that the core also uses without a driver. */
const sharedTypes = {
  './references.ts': ['ObjectReference'],
  '../plan/machine/facts.ts': ['Instance', 'MachineFailure'],
  '../plan/machine/node-template.ts': ['NodeTemplate'],
};

export const sharedNames = Object.values(sharedTypes).flat();

type JsonSchema = Parameters<typeof compile>[0];

export const options = {
  additionalProperties: false,
  bannerComment: '',
  style: { printWidth: 100, singleQuote: true },
} as const;

const banner = '/** Generated from driver.schema.json by `npm run generate`; do not edit. */';

export async function readSchema(): Promise<JsonSchema> {
  return JSON.parse(await readFile(schemaFile, 'utf8'));
}

/** The text of driver-contract.ts. */
export async function generateDriverContract(): Promise<string> {
  const schema = await readSchema();
  const shared = sharedNames.map((name) => [name, { tsType: name }]);
  const $defs = { ...schema['$defs'], ...Object.fromEntries(shared) };
  const code = await compile({ ...schema, $defs }, 'DriverContract', options);
  const imports = Object.entries(sharedTypes).map(
    ([file, names]) => `import type { ${names.join(', ')} } from '${file}';`,
  );
  // The shared types would be named after themselves.
  const types = code
    .replaceAll(/^export type (\w+) = \1;\n/gm, '')
    .replaceAll(/^\}\n(?=.)/gm, '}\n\n');
  return `${[banner, ...imports].join('\n')}\n\n${wrapComments(types.trimStart())}`;
}

if (import.meta.main) await writeFile(typesFile, await generateDriverContract());
