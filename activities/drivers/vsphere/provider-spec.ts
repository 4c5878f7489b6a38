/** Generated from provider-spec.schema.json by `npm run generate`; do not edit. */

/** `providerSpec` of a MachineClass with `provider: vsphere`, as Gardener's driver reads it. */
export interface VsphereProviderSpec {
  /** Stands in the providerID. Default: nothing. */
  region?: string;
  /** Name of the datacenter, with its folder if it is in one. Default: the only one. */
  datacenter?: string;
  /** Where the disks lie; vSphere chooses the datastore. Goes before `datastore`. */
  datastoreCluster?: string;
  /** Where the disks lie. */
  datastore?: string;
  /** Cluster in whose root resource pool machines run. Goes before `resourcePool`. */
  computeCluster?: string;
  /** Resource pool in which machines run. */
  resourcePool?: string;
  /** Host on which machines run. Goes before `computeCluster` and `resourcePool`. */
  hostSystem?: string;
  /**
   * Folder of the machines, below `/DATACENTER/vm` or as a whole path. Default: `/DATACENTER/vm`
   * itself.
   */
  folder?: string;
  /** Virtual CPUs. Default and 0: those of the template. */
  numCpus?: number;
  /** MiB. Default and 0: that of the template. */
  memory?: number;
  /** All memory is reserved on the host. Default: as the template. */
  memoryReservationLockedToMax?: boolean;
  /** The first disk of the template, made larger. Default: as large as there. */
  systemDisk?: {
    /** GiB, and not less than the template's. */
    size: number;
  };
  /** Further options of the virtual machine, such as `sched.swap.vmxSwapEnabled`. */
  extraConfig?: {
    [k: string]: string;
  };
  /** Network of the first card. */
  network: string;
  /** Of the distributed switch, where several networks have this name. */
  switchUuid?: string;
  /** Virtual machine or template that is cloned, below `/DATACENTER/vm` or as a whole path. */
  templateVM: string;
  /**
   * Kind of the guest's operating system; `coreos64Guest` and `other4xLinux64Guest` get Ignition.
   * Default: that of the template.
   */
  guestId?: string;
  /** Properties of the template's vApp, in place of those that hold host name and user data. */
  vapp?: {
    /** By their ids. */
    properties: {
      [k: string]: string;
    };
  };
  /** Ignored: vSphere makes a folder of another name where files of that name lie. */
  force?: boolean;
  /** Ignored: its Node is waited for in any case. */
  waitForIP?: boolean;
  /** Not possible here: the class is refused. */
  customization?: string;
  /** Public keys that user data gets in addition. */
  sshKeys?: string[];
  /**
   * Custom attributes of the virtual machine. `mcm.gardener.cloud/cluster` and
   * `mcm.gardener.cloud/role`, or keys that begin with `kubernetes.io/cluster/` and
   * `kubernetes.io/role/`, say which machines are of this cluster.
   */
  tags: {
    [k: string]: string;
  };
}
