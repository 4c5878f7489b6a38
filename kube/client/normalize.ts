/**
 * Makes an answer of the API server what the types say, where MCM's own CRDs let less pass than
 * ours.
 */
import { group } from '../../workflows/api/constants.ts';
import { isRecord } from '../../workflows/values/is-record.ts';

/** A missing field is reported by the code that needs it; it is no reason to throw here. */
const emptySpecs: Record<string, object> = {
  Machine: {},
  MachineSet: {},
  MachineDeployment: { template: {} },
};

/** An object, a list or an event of a watch; changed in place, since it was read just now. */
export function whole<T>(answer: T): T {
  if (!isRecord(answer)) return answer;
  if (Array.isArray(answer.items)) for (const item of answer.items) complete(item);
  complete(answer.object);
  complete(answer);
  return answer;
}

function complete(object: unknown): void {
  if (!isRecord(object) || typeof object.kind !== 'string') return;
  const isOurs = typeof object.apiVersion === 'string' && object.apiVersion.startsWith(`${group}/`);
  const spec = isOurs ? emptySpecs[object.kind] : undefined;
  if (!spec) return;
  object.spec ??= structuredClone(spec);
  for (const metadata of templateMetadataIn(object.spec)) fillTexts(metadata);
}

/** Metadata of templates in the specs of objects that are made from one, and for Nodes. */
function templateMetadataIn(spec: unknown): unknown[] {
  const template = fieldOf(spec, 'template');
  const machines = [spec, fieldOf(template, 'spec')];
  return [template, ...machines.map((machine) => fieldOf(machine, 'nodeTemplate'))].map((part) =>
    fieldOf(part, 'metadata'),
  );
}

/**
 * MCM's schemas ask nothing of it, so that `annotations:` without a value is stored as null. To Go
 * a map that is null is none, and a text an empty one.
 */
function fillTexts(metadata: unknown): void {
  if (!isRecord(metadata)) return;
  for (const name of ['labels', 'annotations']) {
    const texts = metadata[name];
    if (texts === null) delete metadata[name];
    if (!isRecord(texts)) continue;
    for (const [key, text] of Object.entries(texts)) if (text === null) texts[key] = '';
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}
