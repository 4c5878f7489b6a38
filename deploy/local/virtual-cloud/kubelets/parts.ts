import type { KubeClient } from '../../../../kube/client/client.ts';
import type { Agenda } from './agenda.ts';

/** The parts that kubelets act with. */
export interface KubeletParts {
  agenda: Agenda;
  client: KubeClient;
  /** Fails where it is worth another try; what is refused is logged. */
  attempt: (write: Promise<unknown>) => Promise<void>;
}
