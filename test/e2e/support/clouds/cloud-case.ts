/** A cloud that a test starts, and what a worker and a MachineClass need to know of it. */
import type { Step } from '../kill-steps.ts';
import type { RelayedRequest, Upstream } from '../relay.ts';

export interface CloudCase {
  /** As in the `provider` of a MachineClass. */
  provider: string;
  start(): Promise<RunningCloud>;
}

export interface RunningCloud {
  upstream: Upstream;
  /**
   * Variables for the worker. `url`: where it is to look for the cloud, the upstream itself or a
   * relay.
   */
  envFor(url: string): Record<string, string>;
  /** A relay in front of it has to speak TLS, with this. */
  serverTls?: { cert: string; key: string };
  providerSpec: object;
  secret: Record<string, string>;
  stepOf(request: RelayedRequest): Step;
  /** What lives there, in words, sorted: instances, and all that goes with them. */
  living(): Promise<string[]>;
  /** How many instances of this name there ever were. */
  made(name: string): Promise<number>;
  stop(): Promise<void>;
}

/** `cloud POST instances`: identities are left out, as a worker is killed once at each kind. */
export function stepAt(action: string, isWrite: boolean): Step {
  return { kind: `cloud ${action}`, object: '', isWrite, isDecisive: isWrite };
}
