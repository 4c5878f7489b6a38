/** What chaos can do. */
import type { Reapply } from '../support/reset-run.ts';

export const components = [
  'worker',
  'second-worker',
  'watcher',
  'second-watcher',
  'temporal',
  'kube-apiserver',
] as const;

export type Component = (typeof components)[number];

/** As docs/virtual-cloud.md has them. */
export interface PlannedFault {
  kind: 'loseAnswer' | 'throttle' | 'hang' | 'vanish';
  operation: 'create' | 'delete' | 'list' | '*';
  times: number;
  seconds?: number;
}

/**
 * `share` points at one of the things that are there when the time has come: 0 is the first by
 * name, 1 (out) behind the last.
 */
export type Action =
  | { type: 'create'; pool: string; replicas: number; class: string }
  | { type: 'scale'; pool: string; replicas: number }
  | { type: 'roll'; pool: string; class: string }
  | { type: 'drain'; pool: string; share: number }
  | { type: 'delete'; pool: string }
  | { type: 'kill'; component: Component }
  | { type: 'fault'; fault: PlannedFault }
  | { type: 'cancel' | 'terminate'; share: number }
  /** `point` points at one of the tasks of its history, as `share` at the workflow. */
  | { type: 'reset'; share: number; point: number; reapply: Reapply }
  /** A kubelet says of one Node that it is another Machine's, and what was applied to it. */
  | { type: 'lie'; share: number }
  /** A policy takes the label off each new Machine that its set counts by. */
  | { type: 'strip'; seconds: number }
  /** A tenant writes the largest objects that it may. */
  | { type: 'worst' };
