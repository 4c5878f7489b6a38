/** What the operator of the process decides for its drivers. Nothing of it comes from a MachineClass or a Secret. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface DriverSettings {
  /** Of the process: endpoints of clouds, and credentials where they are allowed. */
  env: Environment;
  /**
   * A class whose Secret holds no credentials may use those of the process: environment, instance metadata, workload identity. Off by
   * default, as whoever may write a MachineClass would have the rights of the process.
   */
  allowsAmbientCredentials: boolean;
}
