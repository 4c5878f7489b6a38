/** The calls that a webhook or a quota makes an API server refuse at the moment, or change. */
import { customResource } from '../../../../../kube/client/paths.ts';
import type { Install } from '../../../world/world.ts';
import type { Evidence } from '../../evidence.ts';
import type { JudgedKind, JudgedObject } from '../../objects.ts';

export type Call = [method: 'POST' | 'PATCH' | 'DELETE', kind: JudgedKind];

/** Of all objects of a kind. */
export function isRefused(
  { world: { weather } }: Evidence,
  { control, namespace }: Install,
  ...calls: readonly Call[]
): boolean {
  return calls.some(([method, kind]) => {
    const path = customResource(kind, namespace);
    const paths = [path, `${path}/`];
    const isAltered = method === 'POST' && weather.isAltered(path, control.name);
    return (
      isAltered ||
      paths.some((one) => weather.refusalOf(`${method} ${one}`, control.name) !== undefined)
    );
  });
}

/** Of the status of this set alone, as a rule on one of its fields does it. */
export function isStatusRefused(
  { world: { weather } }: Evidence,
  { control, namespace }: Install,
): (set: JudgedObject) => boolean {
  return ({ metadata: { name } }) => {
    const call = `PATCH ${customResource('machinesets', namespace, name)}/status`;
    return weather.refusalOf(call, control.name) !== undefined;
  };
}

/** Writes to the Nodes of the target cluster. */
export function areNodesRefused({ world: { weather } }: Evidence, { target }: Install): boolean {
  return ['PATCH', 'DELETE'].some(
    (method) => weather.refusalOf(`${method} /api/v1/nodes/`, target.name) !== undefined,
  );
}

/**
 * Of this Node alone, as a policy does it. Its labels and its finalizer are written before its
 * Machine runs.
 */
export function isNodeGuarded(
  { world: { weather } }: Evidence,
  { target }: Install,
  { metadata: { name } }: JudgedObject,
): boolean {
  return weather.refusalOf(`PATCH /api/v1/nodes/${name}`, target.name) !== undefined;
}

/** Of this Machine alone, as a policy does it. */
export function isMachineRefused(
  { world: { weather } }: Evidence,
  { control, namespace }: Install,
  method: 'PATCH' | 'DELETE',
): (machine: JudgedObject) => boolean {
  return ({ metadata: { name } }) => {
    const call = `${method} ${customResource('machines', namespace, name)}`;
    return weather.refusalOf(call, control.name) !== undefined;
  };
}
