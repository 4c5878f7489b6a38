import type { DriverCall } from '../../workflows/contracts/driver-activities.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { ClassReader } from './reader.ts';
import type { CredentialRefusals } from './refusals.ts';

/** What reading and judging a MachineClass needs. */
export interface ClassDependencies {
  /** Cluster of the Machines. */
  control: KubeClient;
  /** The namespace of `control` that this process serves. */
  namespace: string;
  classes: ClassReader;
  /**
   * Whether a driver serves the queue of this provider for such calls; default: those that read.
   */
  hasDriver(provider: string, call?: DriverCall): Promise<boolean>;
  /**
   * A sentence for each error in a provider spec. None for a driver that runs elsewhere: it checks
   * the spec itself.
   */
  specFaults(provider: string, providerSpec: unknown): string[];
  /** What clouds say of the credentials of classes. */
  refusals: CredentialRefusals;
}
