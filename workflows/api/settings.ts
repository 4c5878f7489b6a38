/**
 * Settings of every machine whose spec does not say otherwise. MCM v0.62.1 takes the same from its
 * flags.
 */
export interface MachineDefaults {
  /** A machine without a Node after this long is Failed. Default 1200. */
  creationTimeoutSeconds: number;
  /** A machine that is unhealthy for this long is Failed. Default 600. */
  healthTimeoutSeconds: number;
  /** A deletion that drains for longer than this is forced. Default 7200. */
  drainTimeoutSeconds: number;
  /**
   * A machine that is updated in place for longer than this is InPlaceUpdateFailed. Default 1200.
   */
  inPlaceUpdateTimeoutSeconds: number;
  /**
   * Refused evictions of one pod, 20 s apart, before it is deleted without asking its budget.
   * Default 360.
   */
  maxEvictRetries: number;
  /**
   * Wait for the volumes of an evicted pod to be detached, on top of the pod's grace period.
   * Default 120.
   */
  pvDetachTimeoutSeconds: number;
  /** Wait for the volumes of an evicted pod to be attached to another node. Default 90. */
  pvReattachTimeoutSeconds: number;
  /** How long a failed machine is preserved. Default 345600 (96 h). */
  preserveTimeoutSeconds: number;
  /** Types of Node conditions that make a machine unhealthy when True. Case sensitive. */
  nodeConditions: string[];
  /** Value of `auth-extra-groups` in bootstrap token Secrets; empty leaves the field out. */
  bootstrapTokenAuthExtraGroups: string;
  /** Wait before an instance is asked for again after ResourceExhausted. Default 600. */
  resourceExhaustedRetrySeconds: number;
}
