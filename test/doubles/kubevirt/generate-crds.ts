/**
 * Makes CRDs of the TypeScript types of `@kubevirt-ui/kubevirt-api`, which are made of KubeVirt's
 * own description: `node test/doubles/kubevirt/generate-crds.ts` writes crds.json.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const models = new URL('../../../node_modules/@kubevirt-ui/kubevirt-api/', import.meta.url);

export const crdsFile = new URL('crds.json.gz', import.meta.url);

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema;
  enum?: string[];
  'x-kubernetes-preserve-unknown-fields'?: true;
  'x-kubernetes-int-or-string'?: true;
}

interface Crd {
  group: string;
  version: string;
  kind: string;
  plural: string;
  /** Folder and type of the package. */
  folder: string;
  type: string;
}

const kinds: readonly Crd[] = [
  {
    group: 'kubevirt.io',
    version: 'v1',
    kind: 'VirtualMachine',
    plural: 'virtualmachines',
    folder: 'kubevirt',
    type: 'V1VirtualMachine',
  },
  {
    group: 'cdi.kubevirt.io',
    version: 'v1beta1',
    kind: 'DataVolume',
    plural: 'datavolumes',
    folder: 'containerized-data-importer',
    type: 'V1beta1DataVolume',
  },
];

export function crds(): object[] {
  return kinds.map(crdOf);
}

function crdOf({ group, version, kind, plural, folder, type }: Crd): object {
  const schema = new Types(folder).schemaOf(type);
  // The API server knows these three itself.
  const openAPIV3Schema = {
    ...schema,
    properties: {
      ...schema.properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
    },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema },
        },
      ],
    },
  };
}

/** The types of one folder. */
class Types {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  schemaOf(name: string): Schema {
    const url = new URL(`${this.#folder}/models/${name}.ts`, models);
    const text = readFileSync(url, 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
    const [, body = ''] =
      new RegExp(`export interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`).exec(text) ?? [];
    const fields = [...body.matchAll(/^ {2}'?([\w-]+)'?(\?)?: ([^;]+);/gm)];
    const properties = fields.map(([, field = '', , type = '']) => [
      // A word of TypeScript has an underscore in front.
      field.replace(/^_/, ''),
      this.#typeOf(type, text),
    ]);
    const required = fields.flatMap(([, field = '', mark]) => (mark === undefined ? [field] : []));
    return {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
    };
  }

  #typeOf(type: string, text: string): Schema {
    const [, item] = /^Array<(.+)>$/.exec(type) ?? [];
    if (item !== undefined) return { type: 'array', items: this.#typeOf(item, text) };
    const [, value] = /^\{ \[key: string\]: (.+?);? \}$/.exec(type) ?? [];
    if (value !== undefined) {
      return { type: 'object', additionalProperties: this.#typeOf(value, text) };
    }
    if (type === 'string' || type === 'boolean') return { type };
    if (type === 'number') return { type: 'integer' };
    if (type === 'object') return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const [, members] = new RegExp(`export enum ${type} \\{([\\s\\S]*?)\\}`).exec(text) ?? [];
    if (members === undefined) return this.schemaOf(type);
    const values = [...members.matchAll(/= '([^']*)'/g)].map(([, one = '']) => one);
    return { type: 'string', enum: values };
  }
}

if (import.meta.main) writeFileSync(crdsFile, gzipSync(JSON.stringify(crds()), { level: 9 }));
