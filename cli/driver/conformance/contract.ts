/** What the JSON schema of the contract says of an answer. */
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import schema from '../../../workflows/contracts/driver.schema.json' with { type: 'json' };
import type { Activity } from './workflow.ts';

interface Branch {
  properties: { outcome: { const: string } };
}

type BranchOrRef = Branch | { $ref: string };

interface Contract {
  properties: Record<Activity, { properties: { output: { $ref: string } } }>;
  $defs: Record<string, { oneOf?: BranchOrRef[] } & Partial<Branch>>;
}

/** The type that TypeScript finds for the schema has a name for each definition. */
const contract: Contract = Object(schema);
const ajv = new Ajv2020({ allErrors: true, strict: false });
const compiled = new Map<string, ValidateFunction>();

/** A sentence for each fault; empty when the answer is as the schema says. */
export function faultsOf(activity: Activity, answer: unknown): string[] {
  const { $ref } = contract.properties[activity].properties.output;
  const branches = contract.$defs[$ref.slice('#/$defs/'.length)]?.oneOf;
  if (!branches) return faultsBy($ref, answer);
  const outcome: unknown = Object(answer).outcome;
  const names = branches.map(outcomeOf);
  const index = names.findIndex((name) => name === outcome);
  // Errors of the branches that are not meant would hide the one that counts.
  if (index >= 0) return faultsBy(`${$ref}/oneOf/${index}`, answer);
  return [`outcome: ${JSON.stringify(outcome)} is not one of ${names.join(', ')}`];
}

function outcomeOf(branch: BranchOrRef): string | undefined {
  const { properties } = '$ref' in branch ? definitionOf(branch.$ref) : branch;
  return properties?.outcome.const;
}

function definitionOf($ref: string): Partial<Branch> {
  return contract.$defs[$ref.slice('#/$defs/'.length)] ?? {};
}

function faultsBy($ref: string, answer: unknown): string[] {
  const validate = compiled.get($ref) ?? ajv.compile({ $defs: contract.$defs, $ref });
  compiled.set($ref, validate);
  if (validate(answer)) return [];
  return (validate.errors ?? []).map(({ instancePath, message = '', params }) => {
    const allowed: unknown = params['allowedValues'];
    const values = Array.isArray(allowed) ? `: ${allowed.join(', ')}` : '';
    return `${instancePath === '' ? 'the answer' : instancePath.slice(1)} ${message}${values}`;
  });
}
