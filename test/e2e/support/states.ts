/** What the Machines and MachineSets of a namespace looked like at one moment. */

export interface Counts {
  /** Machines that exist, Terminating ones included. */
  total: number;
  /** Without those that have a deletionTimestamp. */
  active: number;
  /** Of the active ones: in phase Running or Available. */
  available: number;
}

export interface SetState extends Counts {
  /** `spec.replicas`; undefined when the set is gone or was never seen. */
  wanted?: number;
  revision?: string;
}

export interface State extends Counts {
  at: Date;
  /**
   * What made it: `Machine pool-x Running`, `Machine pool-x gone`, `MachineSet pool-77 wants 3`.
   */
  cause: string;
  /** By the name of the set; machines without an owner are under `(none)`. */
  sets: Record<string, SetState>;
}

/** A place in the recording: the states from here on. */
export type Moment = number;
