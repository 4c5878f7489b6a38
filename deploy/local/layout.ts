import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = resolve(fileURLToPath(import.meta.url), '../../..');

/**
 * Users of the API server. Each has a kubeconfig of its own, so that the audit log has each by
 * its name.
 */
export const users = [
  'admin',
  'kube-controller-manager',
  'kube-scheduler',
  'virtual-cloud',
  'millwright-watcher',
  'millwright-worker',
  // A worker with the watcher in it.
  'millwright-controller',
  // Workers that serve a part.
  'millwright-core',
  'millwright-drain',
  'millwright-driver',
  /** A driver in a program of its own. */
  'millwright-external',
  'millwright-front',
  'cluster-autoscaler',
  'update-agent',
] as const;

export type User = (typeof users)[number];

/** Where everything of one stack lies. Nothing of a stack is written outside of its folder. */
export interface Layout {
  stateDir: string;
  /** The administrator's kubeconfig, the one for people. */
  kubeconfig: string;
  kubeconfigOf: (user: User) => string;
  stackFile: string;
  portsFile: string;
  lockFile: string;
  logs: string;
  logOf: (component: string) => string;
  pki: string;
  /** File of the users, as kube-apiserver reads it. */
  tokens: string;
  etcdData: string;
  /** Database of the development server. */
  temporalDatabase: string;
  /** Folder of a Temporal server on PostgreSQL; it belongs to the user that PostgreSQL runs as. */
  postgresqlData: string;
  postgresqlPassword: string;
  /** Is there once the databases on PostgreSQL have all their tables. */
  temporalSchema: string;
  /** Configuration of a Temporal server on PostgreSQL, and of its UI. */
  temporalConfig: string;
  virtualCloudData: string;
  workflowBundle: string;
  prometheusConfig: string;
  prometheusData: string;
  /** Compiled modules of Node.js: a process that is started again is up in half the time. */
  compileCache: string;
  kubectlCache: string;
  /**
   * Paths that `--fresh` deletes, beside logs. The folder itself stays: a person may have named one
   * that holds more.
   */
  forgettable: string[];
}

export function layoutOf(stateDir: string): Layout {
  const at = (...parts: string[]): string => resolve(stateDir, ...parts);
  return {
    stateDir: at(),
    kubeconfig: at('kubeconfig'),
    kubeconfigOf: (user) => (user === 'admin' ? at('kubeconfig') : at('kubeconfigs', user)),
    stackFile: at('stack.json'),
    portsFile: at('ports.json'),
    lockFile: at('lock'),
    logs: at('logs'),
    logOf: (component) => at('logs', `${component}.log`),
    pki: at('pki'),
    tokens: at('pki', 'tokens.csv'),
    etcdData: at('data', 'etcd'),
    temporalDatabase: at('data', 'temporal.db'),
    postgresqlData: at('data', 'postgresql'),
    postgresqlPassword: at('data', 'postgresql-password'),
    temporalSchema: at('data', 'temporal-schema'),
    temporalConfig: at('temporal'),
    virtualCloudData: at('data', 'virtual-cloud'),
    workflowBundle: at('workflow-bundle.js'),
    prometheusConfig: at('prometheus.yaml'),
    prometheusData: at('data', 'prometheus'),
    compileCache: at('compile-cache'),
    kubectlCache: at('kubectl-cache'),
    forgettable: [
      'data',
      'pki',
      'kubeconfig',
      'kubeconfigs',
      'ports.json',
      'prometheus.yaml',
      'stack.json',
      'temporal',
      'workflow-bundle.js',
      'kubectl-cache',
    ].map((name) => at(name)),
  };
}
