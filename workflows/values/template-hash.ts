/**
 * The name and the hash label of a MachineSet, derived from the template of its MachineDeployment.
 */
import { safeEncode } from './names.ts';

/** A value as JSON would carry it. */
type Json = unknown;

/**
 * 32-bit FNV-1a over the template, its keys sorted: the same template has the same hash whatever
 * the order of its keys. MCM v0.62.1 hashes a print of a Go struct and finds sets by their
 * template, never by the hash, so the two need not agree; a set that MCM made keeps its label.
 */
export function templateHash(template: Json, collisionCount = 0): string {
  return String(fnv1a(`${canonical(template)}#${collisionCount}`));
}

/** The API server's limit. */
const longestSetName = 253;

/** `<deployment>-<5 characters>`; of a long name the beginning, up to a letter or digit. */
export function machineSetName(deployment: string, hash: string): string {
  const suffix = `-${safeEncode(hash).slice(0, 5)}`;
  return deployment.slice(0, longestSetName - suffix.length).replace(/[^a-z0-9]+$/, '') + suffix;
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
}

/**
 * JSON with sorted keys and without empty values: an absent and an empty field are the same to
 * Kubernetes.
 */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .filter(([, field]) => !isEmpty(field))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`);
  return `{${entries.join(',')}}`;
}

function isEmpty(value: Json): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
