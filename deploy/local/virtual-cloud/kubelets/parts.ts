import type { KubeAnswer, KubeCall } from '../kube-api.ts';
import type { Agenda } from './agenda.ts';

/** The parts that kubelets act with. */
export interface KubeletParts {
  agenda: Agenda;
  /** Fails where it is worth another try. A refusal is logged. */
  call: (request: KubeCall) => Promise<KubeAnswer>;
}
