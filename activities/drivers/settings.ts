/**
 * What the operator of the process decides for its drivers. Nothing of it comes from a MachineClass
 * or a Secret.
 */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface DriverSettings extends DriverPermissions {
  /**
   * The environment of the process: endpoints of clouds, and credentials where they are allowed.
   */
  env: Environment;
}

/** What a Secret or a class may have a driver do. The worker's flags give it. */
export interface DriverPermissions {
  /**
   * A class whose Secret holds no credentials may use those of the process: environment, instance
   * metadata, workload identity. Off by default, as everyone who may write a MachineClass would
   * have the rights of the process.
   */
  allowsAmbientCredentials: boolean;
  /**
   * A Secret may name a role, application or account that is taken with the token of a workload
   * identity in a file of the process, on all clouds alike. Default false, as everyone who may
   * write a Secret then chooses what the process's token is used for. `--token-files`, and
   * `--ambient-credentials`, which gives more.
   */
  allowsTokenFiles?: boolean;
  /**
   * An instance that a Machine has by `spec.providerID` and that carries the tags of an earlier
   * control cluster gets those of this one, so that listings show it again. Default false: it needs
   * a right that no other step needs. `--retag-adopted`.
   */
  allowsRetagging?: boolean;
}
