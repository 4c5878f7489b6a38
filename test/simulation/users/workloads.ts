/** What users need of the controllers that make pods. */
import type { Cluster } from '../world/kube-client.ts';

export interface Workload {
  cluster: Cluster;
  namespace: string;
  /** Also the value of the label `app` of its pods. */
  name: string;
  replicas: number;
}

export interface Workloads {
  /** Also changes the number of one that is there. */
  add(workload: Workload): void;
  remove(workload: Omit<Workload, 'replicas'>): void;
}
