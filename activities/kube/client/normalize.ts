/**
 * Makes an answer of the API server what the types say, where MCM's own CRDs let less pass than
 * ours.
 */
import { group } from '../../../workflows/api/constants.ts';

/** A missing field is reported by the code that needs it; it is no reason to throw here. */
const emptySpecs: Record<string, object> = {
  Machine: {},
  MachineSet: {},
  MachineDeployment: { template: {} },
};

interface Answer {
  apiVersion?: unknown;
  kind?: unknown;
  spec?: unknown;
  items?: unknown;
  object?: unknown;
}

/** An object, a list or an event of a watch; changed in place, since it was read just now. */
export function whole<T>(answer: T): T {
  if (!isAnswer(answer)) return answer;
  if (Array.isArray(answer.items)) for (const item of answer.items) complete(item);
  complete(answer.object);
  complete(answer);
  return answer;
}

function complete(object: unknown): void {
  if (!isAnswer(object) || typeof object.kind !== 'string') return;
  const isOurs = typeof object.apiVersion === 'string' && object.apiVersion.startsWith(`${group}/`);
  const spec = isOurs ? emptySpecs[object.kind] : undefined;
  if (spec) object.spec ??= structuredClone(spec);
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null;
}
