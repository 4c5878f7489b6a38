/**
 * `npm run generate`: makes the types in workflows/api/ from deploy/crds/.
 *
 * Every schema with a `title` becomes a type of that name. A type that several kinds use stands in
 * the file of the first of them, and the others import it.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';
import { parse } from 'yaml';
import { wrapComments } from './generated-comments.ts';

/**
 * The keywords of a CRD's schema that matter for types, and `tsType` of json-schema-to-typescript.
 */
interface ApiSchema {
  $ref?: string;
  tsType?: string;
  title?: string;
  description?: string;
  type?: TypeName | TypeName[];
  nullable?: boolean;
  required?: string[];
  properties?: Record<string, ApiSchema>;
  additionalProperties?: ApiSchema | boolean;
  items?: ApiSchema;
  anyOf?: ApiSchema[];
  'x-kubernetes-preserve-unknown-fields'?: boolean;
}

type TypeName = 'array' | 'boolean' | 'integer' | 'null' | 'object' | 'string';

interface CustomResourceDefinition {
  spec: { versions: [{ schema: { openAPIV3Schema: ApiSchema } }] };
}

/** CRD -> file of its types. The order decides where shared types stand. */
const kinds = [
  { crd: 'machine.sapcloud.io_machines', file: 'machine.ts' },
  { crd: 'machine.sapcloud.io_machinesets', file: 'machine-set.ts' },
  { crd: 'machine.sapcloud.io_machinedeployments', file: 'machine-deployment.ts' },
  { crd: 'machine.sapcloud.io_machineclasses', file: 'machine-class.ts' },
  { crd: 'millwright.dev_disruptionpolicies', file: 'disruption-policy.ts' },
];

/**
 * Types that are written by hand, because they are not ours or because the schema says only
 * "string".
 */
const handWritten: Record<string, string[]> = {
  'meta.ts': ['ConditionStatus', 'NodeCondition', 'ObjectMeta'],
  'phases.ts': [
    'DisruptionReason',
    'MachinePhase',
    'OperationState',
    'OperationType',
    'OrchestrationType',
    'StrategyType',
  ],
};

/** Fields, as `<type>.<field>`, with one of these types. */
const typeOfField: Record<string, string> = {
  'CurrentStatus.phase': 'MachinePhase',
  'DisruptionPolicyCondition.status': 'ConditionStatus',
  'DisruptionPolicySpec.reasons': 'DisruptionReason[]',
  'InPlaceUpdateMachineDeployment.orchestrationType': 'OrchestrationType',
  'LastOperation.state': 'OperationState',
  'LastOperation.type': 'OperationType',
  'MachineDeploymentCondition.status': 'ConditionStatus',
  'MachineDeploymentStrategy.type': 'StrategyType',
  'MachineSetCondition.status': 'ConditionStatus',
  // Our client reads nulls in them as Go does: as no map, and as empty texts.
  'TemplateMeta.annotations': 'Record<string, string>',
  'TemplateMeta.labels': 'Record<string, string>',
};

const banner = '/** Generated from deploy/crds by `npm run generate`; do not edit. */';

/** The texts of the generated files by name, e.g. `machine.ts`. */
export async function generateApi(crdFolder: URL): Promise<Map<string, string>> {
  const types = new Types();
  const files = new Map<string, string>();
  for (const { crd: name, file } of kinds) {
    const text = await readFile(new URL(`${name}.yaml`, crdFolder), 'utf8');
    const crd: CustomResourceDefinition = parse(text);
    files.set(file, await fileOf(crd.spec.versions[0].schema.openAPIV3Schema, file, types));
  }
  return files;
}

async function fileOf(root: ApiSchema, file: string, types: Types): Promise<string> {
  const schema = types.define(asObject(root), file);
  const code = await compile({ ...schema, definitions: types.standingIn(file) }, root.title ?? '', {
    additionalProperties: false,
    bannerComment: '',
    style: { printWidth: 100, singleQuote: true },
  });
  return `${[banner, ...types.importsFor(code, file)].join('\n')}\n\n${compact(code)}`;
}

/** Adds the fields that every stored object has, although MCM's schemas do not ask for them. */
function asObject(root: ApiSchema): ApiSchema {
  const fields = Object.keys(root.properties ?? {});
  const always = ['apiVersion', 'kind', 'metadata', 'spec'].filter((name) => fields.includes(name));
  return {
    ...root,
    required: [...always, ...(root.required ?? [])],
    properties: {
      ...root.properties,
      kind: { tsType: `'${root.title}'` },
      metadata: { tsType: 'ObjectMeta' },
    },
  };
}

/** Short comments on one line, maps as `Record`, and a blank line between types. */
function compact(code: string): string {
  return wrapComments(code)
    .replaceAll(/\{\s*\[k: string\]: (.*);\s*\}/g, 'Record<string, $1>')
    .replaceAll(/^\}\n(?=.)/gm, '}\n\n');
}

/** All named types seen so far, and where each stands. */
class Types {
  readonly #schemas = new Map<string, ApiSchema>();
  readonly #homes = new Map<string, string>();

  constructor() {
    for (const [file, names] of Object.entries(handWritten)) {
      for (const name of names) this.#homes.set(name, file);
    }
  }

  /** The part of `schema` that says something about types; titled parts of it become references. */
  define(schema: ApiSchema, file: string): ApiSchema {
    const { description, title, tsType, type, required, anyOf, items, properties } = schema;
    const { nullable, additionalProperties } = schema;
    const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
    return definedOf({
      description,
      title,
      tsType,
      type: nullable && typeof type === 'string' ? [type, 'null'] : type,
      required,
      anyOf,
      items: items && this.#refer(items, file),
      properties: properties && this.#fields(schema, file),
      additionalProperties: isOpen || additionalProperties,
    });
  }

  /** The named types whose home is this file. */
  standingIn(file: string): Record<string, ApiSchema> {
    return Object.fromEntries(
      [...this.#schemas].filter(([name]) => this.#homes.get(name) === file),
    );
  }

  importsFor(code: string, file: string): string[] {
    const needed = [...this.#homes].filter(
      ([name, home]) => home !== file && new RegExp(`: ${name}\\b`).test(code),
    );
    return [...new Set(needed.map(([, home]) => home))].toSorted().map((home) => {
      const names = needed.filter(([, other]) => other === home).map(([name]) => name);
      return `import type { ${names.toSorted().join(', ')} } from './${home}';`;
    });
  }

  #fields({ title, properties = {} }: ApiSchema, file: string): Record<string, ApiSchema> {
    const fields = Object.entries(properties).map(([field, schema]): [string, ApiSchema] => {
      const tsType = typeOfField[`${title}.${field}`];
      return [
        field,
        tsType === undefined
          ? this.#refer(schema, file)
          : definedOf({ description: schema.description, tsType }),
      ];
    });
    return Object.fromEntries(fields);
  }

  #refer(schema: ApiSchema, file: string): ApiSchema {
    const { title } = schema;
    if (title === undefined) return this.define(schema, file);
    const home = this.#homes.get(title) ?? file;
    this.#homes.set(title, home);
    if (home in handWritten) return { tsType: title };
    this.#remember(title, this.define(schema, file));
    return home === file ? { $ref: `#/definitions/${title}` } : { tsType: title };
  }

  /** One name means one thing; only the description of the whole may depend on the place. */
  #remember(title: string, schema: ApiSchema): void {
    const known = this.#schemas.get(title);
    if (known === undefined) this.#schemas.set(title, schema);
    else if (contentOf(known) !== contentOf(schema)) {
      throw new Error(
        `deploy/crds: two different schemas have the title ${title}; make them equal or rename one`,
      );
    }
  }
}

function definedOf(schema: { [K in keyof ApiSchema]: ApiSchema[K] | undefined }): ApiSchema {
  const entries = Object.entries(schema).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
}

/** References read alike, whether the type stands in the same file or another. */
function contentOf(schema: ApiSchema): string {
  return JSON.stringify({ ...schema, description: '' }).replaceAll(
    '"$ref":"#/definitions/',
    '"tsType":"',
  );
}

if (import.meta.main) {
  const files = await generateApi(new URL('../deploy/crds/', import.meta.url));
  for (const [file, text] of files) {
    await writeFile(new URL(`../workflows/api/${file}`, import.meta.url), text);
  }
}
