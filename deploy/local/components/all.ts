import { applyCluster } from '../cluster/apply.ts';
import type { Component, Job } from './component.ts';
import { etcd } from './etcd.ts';
import { kubeApiserver } from './kube-apiserver.ts';
import { kubeControllerManager, kubeScheduler } from './kube-controllers.ts';
import { kwok } from './kwok.ts';
import { ourPrograms } from './operator.ts';
import { registerSearchAttributes } from './search-attributes.ts';
import { temporal } from './temporal.ts';
import { workflowBundle } from './workflow-bundle.ts';
import type { StackWorld } from './world.ts';

export function componentsOf(world: StackWorld): Component[] {
  const components = [
    etcd(world),
    kubeApiserver(world),
    kubeControllerManager(world),
    kubeScheduler(world),
    kwok(world),
    ...(world.options.temporalAddress === undefined ? [temporal(world)] : []),
    ...ourPrograms(world),
  ];
  return components.filter((component) => isWanted(component, world));
}

export function jobsOf(world: StackWorld): Job[] {
  const jobs = [applyCluster(world), registerSearchAttributes(world), workflowBundle(world)];
  return jobs.filter((job) => job !== undefined).filter((job) => isWanted(job, world));
}

function isWanted({ name }: { name: string }, { options: { only } }: StackWorld): boolean {
  return only?.includes(name) ?? true;
}
