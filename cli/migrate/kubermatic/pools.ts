/** MachineDeployments of machine-controller as the front would read them. */
import { instanceOf } from '../../../activities/front/instance-of.ts';
import type { Node } from '../../../kube/objects/nodes.ts';
import type {
  KubermaticMachine,
  KubermaticMachineDeployment,
  KubermaticMachineSet,
} from '../../../workflows/api/kubermatic.ts';
import { isMirrored, nameOf, ownedBy, type TheirObjects } from './objects.ts';

export interface Pool {
  deployment: KubermaticMachineDeployment;
  sets: readonly KubermaticMachineSet[];
  machines: readonly KubermaticMachine[];
  isServed: boolean;
  /** Each begins with the object that it is about. */
  faults: readonly string[];
  ignored: readonly string[];
  /** Of Machines that are not mirrored yet. */
  instances: readonly FoundInstance[];
}

export interface FoundInstance {
  machine: KubermaticMachine;
  found: { value: string } | { fault: string };
}
