/** A PodDisruptionBudget, as far as controllers care. */
import type { KubeObject } from '../../../kube/client/client.ts';
import type { Condition } from './objects.ts';
import type { Selector } from './selector.ts';

export interface BudgetStatus {
  observedGeneration?: number;
  expectedPods: number;
  currentHealthy: number;
  desiredHealthy: number;
  disruptionsAllowed: number;
  disruptedPods?: Record<string, string>;
  conditions?: Condition[];
}

export interface BudgetObject extends KubeObject {
  spec?: {
    minAvailable?: number | string;
    maxUnavailable?: number | string;
    selector?: Selector;
    unhealthyPodEvictionPolicy?: string;
  };
  status?: Partial<BudgetStatus>;
}
