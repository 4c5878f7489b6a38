import { applyCluster } from '../cluster/apply.ts';
import { temporalOf } from '../options.ts';
import { clusterAutoscaler } from './cluster-autoscaler.ts';
import type { Component, Job } from './component.ts';
import { etcd } from './etcd.ts';
import { kubeApiserver } from './kube-apiserver.ts';
import { kubeControllerManager, kubeScheduler } from './kube-controllers.ts';
import { ourPrograms } from './operator.ts';
import { registerSearchAttributes } from './search-attributes.ts';
import { postgresql } from './postgresql.ts';
import { temporal } from './temporal.ts';
import { temporalNamespace } from './temporal-namespace.ts';
import { temporalServer, temporalUi } from './temporal-server.ts';
import { temporalSchema } from './temporal-schema.ts';
import { workflowBundle } from './workflow-bundle.ts';
import { prometheus } from './prometheus.ts';
import type { StackWorld } from './world.ts';

export function componentsOf(world: StackWorld): Component[] {
  const components = [
    etcd(world),
    kubeApiserver(world),
    kubeControllerManager(world),
    kubeScheduler(world),
    ...temporalComponents(world),
    ...ourPrograms(world),
    ...(world.options.autoscaler ? [clusterAutoscaler(world)] : []),
  ].filter((component) => isWanted(component, world));
  return world.options.monitoring ? [...components, prometheus(world, components)] : components;
}

export function jobsOf(world: StackWorld): Job[] {
  const jobs = [
    applyCluster(world),
    ...(temporalOf(world) === 'postgresql'
      ? [temporalSchema(world), temporalNamespace(world)]
      : []),
    registerSearchAttributes(world),
    workflowBundle(world),
  ];
  return jobs.filter((job) => job !== undefined).filter((job) => isWanted(job, world));
}

function temporalComponents(world: StackWorld): Component[] {
  switch (temporalOf(world)) {
    case 'development':
      return [temporal(world)];
    case 'postgresql':
      return [postgresql(world), temporalServer(world), temporalUi(world)];
    case 'elsewhere':
      return [];
  }
}

function isWanted({ name }: { name: string }, { options: { only } }: StackWorld): boolean {
  return only?.includes(name) ?? true;
}
