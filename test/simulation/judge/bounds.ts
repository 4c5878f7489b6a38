/** How many machines a MachineDeployment may have, and has to have (MCM 7.5). */
import type { JudgedObject } from './objects.ts';

export interface Bounds {
  /** Of all its sets together. */
  most: number;
  /** That are available. */
  least: number;
}

export function boundsOf({ spec = {} }: JudgedObject): Bounds {
  const { replicas = 0, strategy = {} } = spec;
  const { type = '', rollingUpdate = {}, inPlaceUpdate = {} } = strategy;
  if (!['RollingUpdate', 'InPlaceUpdate'].includes(type)) return { most: replicas, least: 0 };
  const isInPlace = type === 'InPlaceUpdate';
  const room = isInPlace ? inPlaceUpdate : rollingUpdate;
  const mayMake = !isInPlace || inPlaceUpdate.orchestrationType !== 'Manual';
  const surge = mayMake ? amountOf(room.maxSurge, replicas, Math.ceil) : 0;
  const asked = amountOf(room.maxUnavailable, replicas, Math.floor);
  const unavailable = surge === 0 && asked === 0 ? 1 : asked;
  return { most: replicas + surge, least: Math.max(0, replicas - unavailable) };
}

function amountOf(
  value: number | string | undefined,
  of: number,
  round: (amount: number) => number,
): number {
  if (typeof value === 'number') return value;
  const [, percent] = /^(\d+)%$/.exec(value ?? '') ?? [];
  if (percent !== undefined) return round((Number(percent) * of) / 100);
  return Number(value ?? 0) || 0;
}
