/** Virtual machines as the cluster sees them. */
import type { Instance, NodeConditionFault } from './instance.ts';

/** Every method waits while the API server is away, and ends early when `signal` is aborted. */
export interface NodeRegistry {
  /** Registers the Node. Returns its UID. `onRefused` hears why it has to wait, once per reason. */
  register(instance: Instance, watch: RegistrationWatch): Promise<string>;
  sicken(instance: Instance, condition: NodeConditionFault, signal: AbortSignal): Promise<void>;
  /** As if the kubelet died. A Node that is gone or is another machine's is left alone. */
  stop(instance: Instance, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface RegistrationWatch {
  signal: AbortSignal;
  onRefused: (message: string) => void;
}

/** For a cloud without a cluster: machines run, and no Node shows them. */
export const noNodes: NodeRegistry = {
  register: async () => '',
  sicken: async () => {},
  stop: async () => {},
  close: async () => {},
};
