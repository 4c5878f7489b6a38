/**
 * What a vendor publishes of its API, as JSON schemas: a double refuses what they do not have, and
 * is held to them in its own answers. Unknown fields are faults.
 */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';

export interface Published {
  /** By field; empty when nothing is wrong. */
  faultsOf: (name: string, value: unknown) => string[];
}

type Schema = Readonly<Record<string, unknown>>;

/** `file`: JSON with `definitions`, as Swagger 2.0 has them. */
export function readPublished(file: URL): Published {
  const { definitions }: { definitions: Record<string, Schema> } = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false });
  const closed = Object.entries(definitions).map(([name, schema]) => [name, closedOf(schema)]);
  ajv.addSchema({ $id: 'published', definitions: Object.fromEntries(closed) });
  return {
    faultsOf(name, value) {
      const validate = ajv.getSchema(`published#/definitions/${name}`);
      if (!validate) throw new Error(`the published description has no ${name}`);
      if (validate(value)) return [];
      return (validate.errors ?? []).map(({ instancePath, message = '', params }) =>
        `${instancePath} ${message} ${JSON.stringify(params)}`.trim(),
      );
    },
  };
}

/** As the services read JSON: what they do not know is a mistake of the client. */
function closedOf(schema: Schema): Schema {
  const isOpen = schema['properties'] === undefined || 'additionalProperties' in schema;
  return isOpen ? schema : { ...schema, additionalProperties: false };
}
