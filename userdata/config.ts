/** Generated from config.schema.json by `npm run generate`; do not edit. */

/**
 * What the machines of a pool get, beside what their profile says: the key `config.yaml` of the
 * ConfigMap that `millwright.dev/user-data-config` of a MachineClass names.
 */
export interface UserDataConfig {
  /** The cluster that machines join. */
  kubernetes: {
    /** Version of the kubelet. */
    version: string;
    /** Address of the API server, as machines reach it. */
    apiServer: string;
    /** Certificates of the CAs that the API server's is checked with. */
    caBundle: string;
    /**
     * As kubeadm prints them, `sha256:` and 64 digits: each certificate of `caBundle` has to be one
     * of these. Default: not compared.
     */
    caCertHashes?: string[];
    /**
     * Addresses of the cluster's DNS servers.
     *
     * @minItems 1
     */
    clusterDNS: [string, ...string[]];
    /** Default `cluster.local`. */
    clusterDomain?: string;
  };
  /** Default: containerd in the newest version that is known. */
  containerRuntime?: {
    /** Default `containerd`. */
    name?: 'containerd';
    /** Of containerd. Where the system brings its own, it must not be given. */
    version?: string;
    /** Image of the pause container. Default: the one of containerd. */
    sandboxImage?: string;
  };
  /** The Node. */
  node?: {
    /**
     * `machine`: the name of the Machine. `hostname`: what the cloud calls the machine. Default:
     * what the driver of the cloud expects.
     */
    name?: 'machine' | 'hostname';
    /** `ipv4` or `ipv6`: which address the kubelet takes. Default: it decides. */
    ip?: 'ipv4' | 'ipv6';
    /**
     * That it registers with. Labels of the class's `nodeTemplate` and of the MachineDeployment are
     * set by Millwright.
     */
    labels?: {
      [k: string]: string;
    };
    /** That it registers with. */
    taints?: {
      /** Its key. */
      key: string;
      /** Its value. Default empty. */
      value?: string;
      /** What it does. */
      effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
    }[];
    /**
     * `external`: a cloud controller manager writes providerID and addresses. `none`: the kubelet
     * does without. Default: `external` on a cloud.
     */
    cloudProvider?: 'external' | 'none';
  };
  /**
   * Settings of the kubelet, by the names of KubeletConfiguration, which are Gardener's;
   * Kubermatic's with a capital letter are read too.
   */
  kubelet?: {
    /** Pods of the Node at most. */
    maxPods?: number | string;
    /** Processes of a pod at most. */
    podPidsLimit?: number | string;
    /** Files of a log. */
    containerLogMaxFiles?: number | string;
    /** Pulls a second; 0: no limit. */
    registryPullQPS?: number | string;
    /** Pulls at once. */
    registryBurst?: number | string;
    /** Pulls side by side. */
    maxParallelImagePulls?: number | string;
    /** Disk usage at which images are removed. */
    imageGCHighThresholdPercent?: number | string;
    /** Disk usage down to which they are. */
    imageGCLowThresholdPercent?: number | string;
    /** Seconds. */
    evictionMaxPodGracePeriod?: number | string;
    /** Limits of CPU are enforced. */
    cpuCFSQuota?: boolean;
    /** One pull after the other. */
    serializeImagePulls?: boolean;
    /** The kubelet ends rather than change kernel settings. */
    protectKernelDefaults?: boolean;
    /** Pods have seccomp's `RuntimeDefault`. */
    seccompDefault?: boolean;
    /** The kubelet ends where there is swap. Default true. */
    failSwapOn?: boolean;
    /**
     * The serving certificate is asked for by CSR, which has to be approved: docs/user-data.md.
     * Default true.
     */
    serverTLSBootstrap?: boolean;
    /** How CPUs are given to pods. */
    cpuManagerPolicy?: 'none' | 'static';
    /** How memory of NUMA nodes is. */
    memoryManagerPolicy?: 'None' | 'Static';
    /** How both go together. */
    topologyManagerPolicy?: 'none' | 'best-effort' | 'restricted' | 'single-numa-node';
    /** Such as `100Mi`. */
    containerLogMaxSize?: string;
    /** Such as `2m`. */
    imageMinimumGCAge?: string;
    /** Such as `24h`. */
    imageMaximumGCAge?: string;
    /** Such as `5m`. */
    streamingConnectionIdleTimeout?: string;
    /** Such as `30s`. */
    shutdownGracePeriod?: string;
    /** Such as `10s`. */
    shutdownGracePeriodCriticalPods?: string;
    /** Such as `4m`. */
    evictionPressureTransitionPeriod?: string;
    /**
     * What is kept for the kubelet and containerd. Resources and quantities; Kubermatic's form
     * `cpu=200m,memory=300Mi` is read too.
     */
    kubeReserved?:
      | {
          [k: string]: string;
        }
      | string;
    /**
     * What is kept for the system. Resources and quantities; Kubermatic's form
     * `cpu=200m,memory=300Mi` is read too.
     */
    systemReserved?:
      | {
          [k: string]: string;
        }
      | string;
    /**
     * Signals such as `memory.available` and their bounds. Resources and quantities; Kubermatic's
     * form `cpu=200m,memory=300Mi` is read too.
     */
    evictionHard?:
      | {
          [k: string]: string;
        }
      | string;
    /**
     * As evictionHard, with a grace period. Resources and quantities; Kubermatic's form
     * `cpu=200m,memory=300Mi` is read too.
     */
    evictionSoft?:
      | {
          [k: string]: string;
        }
      | string;
    /**
     * Of evictionSoft. Resources and quantities; Kubermatic's form `cpu=200m,memory=300Mi` is read
     * too.
     */
    evictionSoftGracePeriod?:
      | {
          [k: string]: string;
        }
      | string;
    /**
     * How much is freed at least. Resources and quantities; Kubermatic's form
     * `cpu=200m,memory=300Mi` is read too.
     */
    evictionMinimumReclaim?:
      | {
          [k: string]: string;
        }
      | string;
    /** Feature gates by name. */
    featureGates?: {
      [k: string]: boolean;
    };
    /** What pods may do with swap, where `failSwapOn` is false. */
    swapBehavior?: 'NoSwap' | 'LimitedSwap';
    /** As `maxPods`: Kubermatic's spelling. */
    MaxPods?: number | string;
    /** As `podPidsLimit`: Kubermatic's spelling. */
    PodPidsLimit?: number | string;
    /** As `containerLogMaxFiles`: Kubermatic's spelling. */
    ContainerLogMaxFiles?: number | string;
    /** As `containerLogMaxSize`: Kubermatic's spelling. */
    ContainerLogMaxSize?: string;
    /** As `kubeReserved`: Kubermatic's spelling. */
    KubeReserved?:
      | {
          [k: string]: string;
        }
      | string;
    /** As `systemReserved`: Kubermatic's spelling. */
    SystemReserved?:
      | {
          [k: string]: string;
        }
      | string;
    /** As `evictionHard`: Kubermatic's spelling. */
    EvictionHard?:
      | {
          [k: string]: string;
        }
      | string;
  };
  /** Mirrors, CAs and credentials of image registries. */
  registries?: {
    /** Such as `docker.io` or `registry.example.com:5000`. */
    host: string;
    /**
     * Addresses that are asked first, in this order. Default: none.
     *
     * Items: A mirror.
     */
    mirrors?: string[];
    /** CA of the registry and its mirrors. Default: those of the system. */
    caBundle?: string;
    /**
     * Name of a Secret in the namespace of the class, with `username` and `password`. The kubelet
     * pulls with it.
     */
    credentialsSecret?: string;
  }[];
  /** Through which containerd, kubelet and downloads go. */
  proxy?: {
    /** For http. */
    http?: string;
    /** For https. */
    https?: string;
    /**
     * Names, suffixes and networks that are reached without it, such as the API server. The machine
     * itself, the cloud's metadata and the cluster's domain always are.
     */
    noProxy?: string[];
  };
  /** Time servers. Default: those of the system. */
  ntpServers?: string[];
  /** Who may log in. */
  ssh?: {
    /** Default: that of the image. */
    user?: string;
    /** Public keys, a line each. */
    authorizedKeys: string[];
  };
  /** Files beside those of the profile. */
  files?: {
    /** Where it is written. */
    path: string;
    /** Default `0644`; `0600` where the content is a secret. */
    permissions?: string;
    /** Its text. */
    content?: string;
    /** Its content stands in a Secret. */
    secret?: {
      /** Name of a Secret in the namespace of the class. */
      name: string;
      /** Key in it. */
      key: string;
    };
  }[];
  /** systemd units beside those of the profile. */
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
  /** Beside those of the profile. */
  commands?: {
    /**
     * Lines of bash, before anything is installed. One that fails is tried again with the whole.
     */
    beforeJoin?: string[];
    /** Lines of bash, once the kubelet has its certificate. */
    afterJoin?: string[];
  };
  /** Of the system's package manager. */
  packages?: {
    /** False: the image has all packages of the profile, and none is asked for. Default true. */
    install?: boolean;
    /** Beside those of the profile. */
    extra?: string[];
  };
  /** Where programs come from. */
  downloads?: {
    /**
     * Instead of the publishers' hosts, for machines without internet: each file stands below it by
     * its host and path, as `SOURCE/dl.k8s.io/release/v1.34.2/bin/linux/amd64/kubelet`. Default:
     * the publishers.
     */
    source?: string;
    /**
     * SHA-256 of versions that Millwright does not know: by program, version and architecture. Of a
     * program whose version nothing else says, the newest that is here is taken.
     */
    digests?: {
      [k: string]: {
        [k: string]: {
          /** Of x86-64. */
          amd64?: string;
          /** Of 64-bit ARM. */
          arm64?: string;
        };
      };
    };
  };
  /** Options of single systems. */
  operatingSystem?: {
    /** All packages are upgraded before the join. Default false. */
    distUpgradeOnBoot?: boolean;
    /**
     * The system does not update itself. Default true: an update would restart a Node that was not
     * drained.
     */
    disableAutoUpdate?: boolean;
    /** Of Red Hat Enterprise Linux. */
    subscription?: {
      /** Id of the organization. */
      organization: string;
      /** The key. */
      activationKey: {
        /** Name of a Secret in the namespace of the class. */
        name: string;
        /** Key in it. */
        key: string;
      };
    };
  };
}
