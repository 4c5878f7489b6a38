/** Generated from deploy/crds by `npm run generate`; do not edit. */
import type { ObjectMeta } from './meta.ts';

/** What the machines of a kind are made of. Its fields stand at the top, not under `spec`. */
export interface MachineClass {
  /** Always `machine.sapcloud.io/v1alpha1`. */
  apiVersion: string;
  kind: 'MachineClass';
  metadata: ObjectMeta;
  credentialsSecretRef?: SecretReference;
  nodeTemplate?: NodeTemplate;
  /** Name of the driver, e.g. `virtual` or `AWS`. */
  provider?: string;
  /** What the driver needs to know to make an instance. Each driver documents its fields. */
  providerSpec: Record<string, unknown>;
  secretRef?: SecretReference;
}

/** Secret with the credentials of the cloud, if they are not in `secretRef`. */
export interface SecretReference {
  /** Name of the Secret. */
  name?: string;
  /** Namespace of the Secret. It must be that of the class. */
  namespace?: string;
}

/** What a Node of this class will be like, for the cluster autoscaler when there is none yet. */
export interface NodeTemplate {
  /** Processor architecture, e.g. `amd64` or `arm64`. */
  architecture?: string;
  /** Capacity of the Node. `cpu`, `memory` and `gpu` are needed. */
  capacity: Record<string, number | string>;
  /** Type of the instance, in the words of the provider. */
  instanceType: string;
  /** Region of the Node. */
  region: string;
  /** Extended resources that the controller writes into the Node's capacity. */
  virtualCapacity?: Record<string, number | string>;
  /** Zone of the Node. */
  zone: string;
  [k: string]: unknown;
}
