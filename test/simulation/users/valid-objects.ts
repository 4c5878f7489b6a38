/** What an API server with the rules of deploy/crds would refuse. */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { customResource, disruptionPolicy } from '../../../kube/client/paths.ts';
import { group, ownGroup } from '../../../workflows/api/constants.ts';
import {
  machineClassFaults,
  machineDeploymentFaults,
  machineFaults,
  machineSetFaults,
} from '../../../workflows/api/validation.ts';
import { isRecord } from '../../../workflows/values/is-record.ts';
import type { Install } from '../world/world.ts';
import type { Found } from './kubectl.ts';
import { kinds as ofMachines } from './set-up.ts';
import type { Kind as KindOfMachines } from './set-up.ts';

const kinds = [...ofMachines, 'disruptionpolicies'] as const;
type Kind = KindOfMachines | 'disruptionpolicies';
type Validate = (object: unknown) => string[];

const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });

const rules: Record<Kind, (object: object) => string[]> = {
  machineclasses: machineClassFaults,
  machinedeployments: machineDeploymentFaults,
  machinesets: machineSetFaults,
  machines: machineFaults,
  disruptionpolicies: () => [],
};

interface Schema {
  properties: Record<string, unknown>;
}

function validatorOf(kind: Kind): Validate {
  const of = kind === 'disruptionpolicies' ? ownGroup : group;
  const url = new URL(`../../../deploy/crds/${of}_${kind}.yaml`, import.meta.url);
  const crd: { spec: { versions: [{ schema: { openAPIV3Schema: Schema } }] } } = parse(
    readFileSync(url, 'utf8'),
  );
  const schema = crd.spec.versions[0].schema.openAPIV3Schema;
  // The server adds the fields of an ObjectMeta to what a CRD says of them.
  const properties = { ...schema.properties, metadata: { type: 'object' } };
  const validate = ajv.compile(Object(closed({ ...schema, properties })));
  return (object) => {
    if (validate(object)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
}

/** A real server drops fields that it does not know; here they are mistakes. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isRecord(schema)) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  );
  const isOpen =
    !isRecord(schema['properties']) ||
    schema['additionalProperties'] !== undefined ||
    schema['x-kubernetes-preserve-unknown-fields'] === true;
  return isOpen ? inner : { ...inner, additionalProperties: false };
}

const validators = new Map(kinds.map((kind) => [kind, validatorOf(kind)] as const));

/** A line for each fault of each object of ours. */
export function faultsIn({ control, namespace }: Install): string[] {
  return kinds.flatMap((kind) => {
    const path = kind === 'disruptionpolicies' ? disruptionPolicy : customResource.bind({}, kind);
    const { items = [] }: { items?: Found[] } = control.server.get(path(namespace));
    return items.flatMap((object) =>
      [...(validators.get(kind)?.(object) ?? []), ...rules[kind](object)].map(
        (fault) => `${kind}/${object.metadata.name}: ${fault}`,
      ),
    );
  });
}
