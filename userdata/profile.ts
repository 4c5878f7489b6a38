/** Generated from profile.schema.json by `npm run generate`; do not edit. */

/** How machines of one operating system become Nodes. */
export interface Profile {
  /** As `millwright.dev/user-data` says it, such as `ubuntu-24.04`. */
  name: string;
  /** Grows with each change of the profile; it is noted on each Machine. */
  version: string;
  /** The system. */
  operatingSystem: {
    /** Its family. */
    name: 'ubuntu' | 'debian' | 'flatcar' | 'rhel' | 'rocky' | 'amazon-linux' | 'opensuse-leap';
    /** Such as `24.04`, in quotes. */
    version: string;
    /** For people. */
    title: string;
    /** Since when its publisher does not support it; absent: supported. */
    outOfSupport?: string;
  };
  /** What the image reads. */
  format: 'cloud-init' | 'ignition';
  /** Values of `provider` of classes that it is for. Default: all that take its format. */
  providers?: string[];
  /** `none`: the image has what is needed. */
  packageManager: 'apt' | 'dnf' | 'yum' | 'zypper' | 'none';
  /** That are installed before the join. */
  packages?: string[];
  /** Folder of the programs that are downloaded. Default `/usr/local/bin`. */
  programs?: string;
  /** `download`, or `system` where the image brings its own. Default `download`. */
  containerd?: 'download' | 'system';
  /**
   * `permissive` where pods could not run otherwise, or `enforcing`. Default: that of the image.
   */
  seLinux?: 'permissive' | 'enforcing';
  /** Of the cgroups that it starts with; kubelets have to take 1. Default 2. */
  cgroupVersion?: 1 | 2;
  /** Loaded at boot, beside `overlay` and `br_netfilter`. */
  kernelModules?: string[];
  /** Beside those that Kubernetes needs. */
  sysctl?: {
    [k: string]: string;
  };
  /** Units that are stopped and masked, where they are there, such as a firewall. */
  disabledUnits?: string[];
  /** By which the system updates itself: masked unless `disableAutoUpdate` is false. */
  autoUpdateUnits?: string[];
  /** File with the DNS servers of pods with `dnsPolicy: Default`. Default: the kubelet's. */
  resolvConf?: string;
  /** Files beside those that every machine gets. */
  files?: {
    /** Where it is written. */
    path: string;
    /** Default `0644`; `0600` where the content is a secret. */
    permissions?: string;
    /** Its text. */
    content: string;
  }[];
  /** systemd units beside those that every machine gets. */
  units?: {
    /** With its ending, such as `node-exporter.service`. */
    name: string;
    /** The unit. Default: the system has it. */
    content?: string;
    /** It starts at boot. Default true. */
    enabled?: boolean;
    /** It cannot be started. Default false. */
    masked?: boolean;
    /** Files that overlay the unit. */
    dropIns?: {
      /** Such as `10-limits.conf`. */
      name: string;
      /** Its text. */
      content: string;
    }[];
  }[];
  /** Lines of bash. */
  commands?: {
    /**
     * Lines of bash, before anything is installed. One that fails is tried again with the whole.
     */
    beforeJoin?: string[];
    /** Lines of bash, once the kubelet has its certificate. */
    afterJoin?: string[];
  };
}
