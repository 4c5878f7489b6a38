/**
 * What deploy/crds makes of an object of our kinds. Its rules are those of
 * workflows/api/validation.ts, which has the same texts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import {
  machineClassFaults,
  machineDeploymentFaults,
  machineFaults,
  machineSetFaults,
} from '../../../workflows/api/validation.ts';
import { pruned, schemaFaults } from './crd-schema.ts';
import type { Schema } from './crd-schema.ts';
import type { Resource } from './resources.ts';
import type { Cause } from './status.ts';
import type { Stored } from './store.ts';

const folder = new URL('../../../deploy/crds/', import.meta.url);
let schemas: ReadonlyMap<string, Schema> | undefined;

interface Crd {
  spec: {
    names: { kind: string };
    versions: [{ schema: { openAPIV3Schema: Schema } }];
  };
}

function schemaOf({ kind }: Resource): Schema {
  schemas ??= new Map(
    readdirSync(folder)
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => {
        const { spec }: Crd = parse(readFileSync(new URL(file, folder), 'utf8'));
        return [spec.names.kind, spec.versions[0].schema.openAPIV3Schema];
      }),
  );
  const schema = schemas.get(kind);
  if (!schema) throw new Error(`deploy/crds has no kind ${JSON.stringify(kind)}`);
  return schema;
}

/** Without what the schema does not know, and with its status where there is none. */
export function prunedByCrd(resource: Resource, object: Stored): Stored {
  const { metadata, ...content } = object;
  const schema = schemaOf(resource);
  return { ...withStatus(schema, Object(pruned(schema, content))), metadata };
}

/** No other field of ours has a default. */
function withStatus({ properties }: Schema, content: object): object {
  const status = properties?.['status']?.default;
  if (status === undefined || 'status' in content) return content;
  return { ...content, status: structuredClone(status) };
}

export interface CrdView {
  /** Undefined for an object that is new. */
  before?: Stored | undefined;
  /** That is written. */
  part: 'status' | 'rest';
}

/** What the schema and its rules refuse. */
export function crdFaults(resource: Resource, after: Stored, view: CrdView): Cause[] {
  const { metadata: _metadata, status, ...rest } = after;
  const ofStatus = status === undefined ? {} : { status };
  const content = view.part === 'rest' ? rest : ofStatus;
  const faults = schemaFaults(partOf(schemaOf(resource), view.part), content).toSorted(byField);
  if (faults.length > 0) return [...faults, ...replicaFaults(faults, content)];
  return ruleFaults(after, view);
}

/** A fault that was there before is let be. */
export function ruleFaults(after: Stored, { before, part }: CrdView): Cause[] {
  if (part === 'status') return [];
  const old = new Set(before ? faultsOf(before) : []);
  return (
    faultsOf(after)
      // What must be there says the schema.
      .filter((fault) => !old.has(fault) && !fault.endsWith('Required value'))
      .map(causeOf)
  );
}

function partOf(schema: Schema, part: 'status' | 'rest'): Schema {
  const { properties: { status = {}, ...rest } = {}, required = [] } = schema;
  return part === 'status'
    ? { ...schema, properties: { status }, required: [] }
    : { ...schema, properties: rest, required };
}

function byField(a: Cause, b: Cause): number {
  return a.field < b.field ? -1 : 1;
}

/** The path behind the scale subresource is read once more. */
function replicaFaults(faults: readonly Cause[], content: Record<string, unknown>): Cause[] {
  return faults
    .filter(({ field }) => field === 'spec.replicas' || field === 'status.replicas')
    .map(({ field }) => {
      const value: unknown = field
        .split('.')
        .reduce((at: Record<string, unknown>, key) => Object(at[key]), content);
      const type = typeof value?.valueOf() === 'number' ? 'float64' : typeof value?.valueOf();
      const message = `Invalid value: 0: .${field} accessor error: ${String(value)} is of the type ${type}, expected int64`;
      return { reason: 'FieldValueInvalid', message, field: `.${field}` };
    });
}

const faultsOfKind: Readonly<Record<string, (object: object) => string[]>> = {
  Machine: machineFaults,
  MachineSet: machineSetFaults,
  MachineDeployment: machineDeploymentFaults,
  MachineClass: machineClassFaults,
};

function faultsOf(object: Stored): string[] {
  return faultsOfKind[object.kind ?? '']?.(object) ?? [];
}

/** Of a line such as `spec.class: Required value: must name a MachineClass`. */
function causeOf(fault: string): Cause {
  const [field = ''] = fault.split(': ', 1);
  const message = fault.slice(field.length + 2);
  const reason = message.startsWith('Required') ? 'FieldValueRequired' : 'FieldValueInvalid';
  return { reason, message, field: field === 'spec.replicas' ? '.spec.replicas' : field };
}
