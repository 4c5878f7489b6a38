/** One attempt to carry out what a MachineDeployment planned. */
import type { KubeClient } from '../../kube/client/client.ts';
import type { ObjectReference } from '../../workflows/contracts/references.ts';
import type { RefusedObjects } from './refused-objects.ts';

/** Where the steps are carried out, and what is refused of them. */
export interface Attempt {
  control: KubeClient;
  deployment: ObjectReference;
  refused: RefusedObjects;
}
