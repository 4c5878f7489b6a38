import type { DriverCall } from '../../workflows/contracts/driver-activities.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { ClassReader } from './reader.ts';
import type { CredentialRefusals } from './refusals.ts';

/** Parts for reading and validating a MachineClass. */
export interface ClassDependencies {
  /** Cluster of the Machines. */
  control: KubeClient;
  /** Cluster that the machines join; absent with `--target-kubeconfig=none`. */
  target?: KubeClient;
  /** The namespace of `control` that this process serves. */
  namespace: string;
  classes: ClassReader;
  /** Reports whether a driver serves such calls of this provider; default: those that read. */
  hasDriver(provider: string, call?: DriverCall): Promise<boolean>;
  /**
   * A sentence for each error in a provider spec. None for a driver that runs elsewhere: it checks
   * the spec itself.
   */
  specFaults(provider: string, providerSpec: unknown): string[];
  /** What clouds say of the credentials of classes. */
  refusals: CredentialRefusals;
}
